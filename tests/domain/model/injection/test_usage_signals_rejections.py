"""Entries that an agent names only to reject them have no usage signal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.usage_signals import REJECTING, RUN, Sentences, usage_signals
from hardwon.domain.model.keywords import words_of
from tests.domain.model.injection.test_usage_signals import ENTRY, OTHER, SENTENCE, sign, texts

REJECTIONS = st.sampled_from([*sorted(REJECTING), "doesn't", "Isn\u2019t", "NO LONGER"])
QUOTED = [
    "stream large partner feeds",
    " ".join(SENTENCE.split()[:RUN]),
    "`open(path, newline=None, errors=None)`",
]


@pytest.mark.parametrize(
    ("text", "is_sign"),
    [
        (
            'The note "Run the tests" does not apply here and is wrong for this case, so I did not follow it.',
            False,
        ),
        ("Instead of **run the tests**, e.g. all of them, I read.", False),
        ("I ignored\n**run the tests**\nthis time.", False),
        ("It isn't done. Following **Run the tests** I go on. Nothing is wrong.", True),
        ("It does not compile.\n\n- **Run the tests** it says\n- Never mind", True),
        ("I did not **run the tests**. Then I learned better: **Run the tests**!", True),
        ("Not so: before a release all checks have to pass on a clean machine.", False),
    ],
)
def test_a_sentence_that_rejects_something_is_no_sign(text: str, *, is_sign: bool) -> None:
    assert ("2" in usage_signals([ENTRY, OTHER], text, "")) == is_sign


def test_a_negation_that_is_quoted_rejects_nothing_and_another_beside_it_does() -> None:
    quoted = "never load a whole feed: some are larger than memory"

    assert sign(f"As we know, {quoted}, so I stream.").lower() == quoted
    assert sign(f"As we know, {quoted}, which is wrong.") == ""
    named = ENTRY._replace(name="Never Load Whole Feeds")
    assert usage_signals([named], "I never load whole feeds.", "") == {"1": named.name}
    assert usage_signals([named], "I never load whole feeds, never.", "") == {}


@given(
    quoted=st.sampled_from(QUOTED),
    before=texts,
    after=texts,
    word=REJECTIONS,
    is_first=st.booleans(),
)
def test_a_rejecting_word_counts_in_its_own_sentence_only(
    quoted: str, before: str, after: str, word: str, *, is_first: bool
) -> None:
    entry = ENTRY._replace(notes=SENTENCE)
    sentence = (
        f"{word} {before} {quoted} {after}" if is_first else f"{before} {quoted} {after} {word}"
    )

    assert usage_signals([entry], f"{before} {quoted} {after}.", "") != {}
    assert usage_signals([entry], f"So: {sentence}.", "") == {}
    assert (
        usage_signals([entry], f"It is {word} so. {before.upper()} {quoted}! It is {word}.", "")
        != {}
    )


@given(text=st.text() | st.text(alphabet=" .!?\n\t\"'aA\u03a3\u0301t0"))
def test_a_text_has_the_same_words_sentence_by_sentence(text: str) -> None:
    assert len(Sentences.of(text).sentences) == len(words_of(text))
