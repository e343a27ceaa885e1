"""How a forgotten text is recognised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.forgotten import MIN_CHARACTERS, comparable, identifying, passages, without_passages

LONG = "The staging database is reset every night at three, so keep no fixture there."
SHORT = "All tests pass."
texts = st.lists(st.sampled_from([LONG, SHORT, "Quixoblate ships on Fridays.", "> quoted *words*"])).map("\n\n".join)


@pytest.mark.parametrize(
    "other", [LONG.upper(), f"  {LONG}\n", LONG.replace(" ", "\n"), f"> {LONG}", f"**{LONG}**", f"- {LONG}"]
)
def test_formatting_letter_case_and_line_breaks_do_not_count(other: str) -> None:
    assert comparable(other) == comparable(LONG) != comparable(LONG.replace("three", "four"))


def test_a_text_is_itself_and_its_paragraphs() -> None:
    assert [*passages(f"{LONG}\n\n{SHORT}")] == [
        f"{comparable(LONG)} {comparable(SHORT)}",
        comparable(LONG),
        comparable(SHORT),
    ]
    assert [*passages(SHORT)] == [comparable(SHORT)]
    assert [*passages("\n \n")] == []


def test_paragraphs_that_hold_a_word_identify_a_text_of_any_length() -> None:
    found = identifying([f"{LONG}\n\nQuixoblate!\n\n{SHORT}"], ["QUIXOBLATE"])

    assert "quixoblate!" in found
    assert not {comparable(LONG), comparable(SHORT)} & found


def test_without_such_a_paragraph_only_long_ones_do() -> None:
    at_least, below = "x" * MIN_CHARACTERS, "y" * (MIN_CHARACTERS - 1)

    found = identifying([f"{at_least}\n\n{below}"], ["elsewhere"])

    assert at_least in found
    assert below not in found
    assert identifying([below]) == {below}


@given(texts, texts)
def test_the_rest_of_a_text_holds_nothing_that_was_dropped(text: str, dropped: str) -> None:
    gone = {*passages(dropped)}
    remaining = without_passages(text, gone)

    assert not gone & {*[*passages(remaining)][1:]}
    assert {*without_passages(text, ()).split("\n\n")} >= {*remaining.split("\n\n")} - {""}
