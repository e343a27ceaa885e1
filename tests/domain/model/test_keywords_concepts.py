import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.keywords import concept_counts, concepts_of, words_of
from tests.strategies import WORDS

DOCUMENT = """\
# OAuth callback

The callback of OAuth: errors in `oauth_callback`, Errors of oauth-callback, and callbacks.
One error (OAuth callback) is worse than other errors. OAUTH!
"""


def test_whole_words_are_counted_whatever_their_case() -> None:
    counts = concept_counts(("oauth", "errors", "callback", "oauth callback", "parser"), DOCUMENT)

    assert list(counts.items()) == [
        ("oauth", 6),
        ("errors", 3),
        ("callback", 5),
        ("oauth callback", 4),
        ("parser", 0),
    ]


@pytest.mark.parametrize(
    ("asked", "concepts"),
    [
        (["oauth", "errors"], ("oauth", "errors")),
        (["OAuth", "Token-Refresh", "errors"], ("oauth", "token refresh", "errors")),
        (["a", "b", "c", "d", "e"], ("a", "b", "c", "d", "e")),
        (["b", "a", "B", "c", "d", "e"], ("b", "a", "c", "d", "e")),
    ],
)
def test_two_to_five_different_concepts_can_be_asked(
    asked: list[str], concepts: tuple[str, ...]
) -> None:
    assert concepts_of(asked) == concepts


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "concepts must be 2 to 5 different ones, got 0: []"),
        (["oauth"], "concepts must be 2 to 5 different ones, got 1: ['oauth']"),
        (["oauth", "OAuth!"], "concepts must be 2 to 5 different ones, got 1: ['oauth', 'OAuth!']"),
        (
            list("abcdef"),
            "concepts must be 2 to 5 different ones, got 6: ['a', 'b', 'c', 'd', 'e', 'f']",
        ),
        (["oauth", "?!", "errors"], "concept '?!' has no word to look for: give letters or digits"),
    ],
)
def test_fewer_more_or_empty_concepts_are_refused_in_one_line(
    asked: list[str], message: str
) -> None:
    with pytest.raises(InvalidQueryError) as refusal:
        concepts_of(asked)

    assert str(refusal.value) == message


@given(
    chosen=st.lists(st.sampled_from(WORDS), max_size=20),
    concepts=st.lists(st.sampled_from(WORDS), unique=True),
)
def test_a_concept_of_one_word_counts_as_often_as_the_word(
    chosen: list[str], concepts: list[str]
) -> None:
    text = ", ".join(chosen)

    assert concept_counts(concepts, text) == {
        concept: chosen.count(concept) for concept in concepts
    }


@given(text=st.text(), concepts=st.lists(st.text().filter(words_of), max_size=3))
def test_any_text_can_be_counted_in(text: str, concepts: list[str]) -> None:
    around = concept_counts(concepts, "\n".join([text, *concepts]))

    assert all(around[concept] >= 1 for concept in concepts)
