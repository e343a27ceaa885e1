import re

from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model import text as module
from hardwon.domain.model.text import MAX_WORDS, identifier_words, passages, split_at_humps
from tests.strategies import anything

sentences = st.lists(
    st.integers(1, 130).map(lambda length: " ".join(["word"] * length) + "."), max_size=6
)
texts = sentences.map(" ".join) | sentences.map("\n".join) | st.text(max_size=300)


@given(text=texts)
@example(text="")
@example(text=" \n ")
def test_every_word_is_in_one_passage_in_order(text: str) -> None:
    assert " ".join(passages("", text)).split() == text.split()


@given(text=texts)
def test_a_passage_is_short_or_one_unit(text: str) -> None:
    for passage in passages("", text):
        is_one_unit = (
            len([unit for unit in re.split(r"(?<=[.!?])\s+|\n+", passage) if unit.strip()]) <= 1
        )
        assert is_one_unit or len(passage.split()) <= MAX_WORDS


@given(text=texts, title=anything)
def test_the_title_precedes_every_passage(title: str, text: str) -> None:
    assert all(passage.startswith(title) for passage in passages(title, text))


def test_a_short_text_is_one_passage() -> None:
    assert passages("Locks", "Take them in order. Always.\nRelease them.") == [
        "Locks\nTake them in order.\nAlways.\nRelease them."
    ]


def test_a_long_text_is_packed_greedily() -> None:
    unit = " ".join(["word"] * 40) + "."

    assert [len(passage.split()) for passage in passages("", " ".join([unit] * 5))] == [80, 80, 40]


@given(text=st.text(alphabet="ab.!? \n\t\x1c\x0b", max_size=60))
def test_units_of_ascii_end_where_those_of_any_text_do(text: str) -> None:
    assert re.split(module._ASCII_UNIT_END, text) == re.split(module._UNIT_END, text)


@given(text=st.text(alphabet="abAB1_.,\u01c5\u0130\u00e9 \n\x1c\u2003", max_size=60) | anything)
def test_identifiers_are_those_of_all_words(text: str) -> None:
    humped = [split_at_humps(word) for word in dict.fromkeys(re.findall(r"[^\W_]+", text))]

    assert identifier_words(text) == [part for parts in humped if len(parts) > 1 for part in parts]


def test_identifiers_are_taken_apart() -> None:
    assert identifier_words(
        "parseHTTPRequest in camelCase, snake_case, HTML5 and parseHTTPRequest again"
    ) == [
        *("parse", "HTTP", "Request"),
        *("camel", "Case"),
    ]
    assert identifier_words("plain words") == []
