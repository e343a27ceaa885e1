"""How a forgotten text is recognised."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.forgotten import (
    MIN_CHARACTERS,
    comparable,
    identifying,
    names_of,
    passages,
    recognisable,
    without_passages,
)
from tests.texts import SPACES, spelled

LONG = "The staging database is reset every night at three, so keep no fixture there."
SHORT = "All tests pass."
texts = st.lists(
    st.sampled_from([LONG, SHORT, "Quixoblate ships on Fridays.", "> quoted *words*"])
).map("\n\n".join)


@pytest.mark.parametrize(
    "other",
    [LONG.upper(), f"  {LONG}\n", LONG.replace(" ", "\n"), f"> {LONG}", f"**{LONG}**", f"- {LONG}"],
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
    assert {*without_passages(text, set()).split("\n\n")} >= {*remaining.split("\n\n")} - {""}


@given(spelled(gaps=SPACES))
def test_a_text_is_recognised_in_every_spelling(pair: tuple[str, str]) -> None:
    text, other = pair

    assert identifying([f"x{text}x"]) <= recognisable(f"x{other}x")
    assert without_passages(f"x{other}x", identifying([f"x{text}x"])) == ""
    assert names_of(f"x{text}x")[0] == names_of(f"x{other}x")[0]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
@pytest.mark.parametrize(
    "text",
    [
        "Der K\u00f6nig \u0130lker",
        "\u0390 \u00b5",
        "\u6771\u4eac \u5927\u5b66",
        "Stra\u00dfe",
        "a\u00adb",
    ],
)
def test_a_text_that_was_forgotten_before_spellings_were_known_is_recognised_in_all_normal_forms(
    text: str, form: Literal["NFC", "NFD", "NFKC"]
) -> None:
    tag = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    other = unicodedata.normalize(form, text)

    assert tag in recognisable(other)
    assert without_passages(f"Before.\n\n{other}\n\nAfter.", {tag}) == "Before.\n\nAfter."
