"""An injection is found in what a host says it gave its model: whole, unchanged, and not before it was printed."""

import datetime as dt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import (
    TOLERANCE,
    GivenText,
    UndeliveredInjection,
    framed_by,
    text_digest,
)
from tests.strategies import NOW, texts

BEGIN, END = '<hardwon-memory note="notes">\n', "\n</hardwon-memory>\n"


def printed(text: str, pieces: list[str]) -> UndeliveredInjection:
    return UndeliveredInjection(1, "awaited", NOW, text_digest(text), framed_by(text, pieces))


def block(pieces: list[str]) -> str:
    return BEGIN + "\n---\n".join(pieces) + END


@given(pieces=st.lists(texts, max_size=4), before=texts, after=texts, trims=st.booleans())
def test_a_printed_block_is_found_trimmed_and_among_other_text(
    pieces: list[str], before: str, after: str, *, trims: bool
) -> None:
    text = block(pieces)
    given_text = text.strip() if trims else f"{before}\n{text}\n{after}"
    assume(BEGIN.strip() not in before + "".join(pieces))
    assume(END.strip() not in after + "".join(pieces))

    assert printed(text, pieces).is_in(GivenText(given_text, NOW))


@given(
    pieces=st.lists(texts, min_size=1, max_size=4),
    others=st.lists(texts, max_size=4),
    cut=st.integers(1, 200),
)
def test_another_text_or_a_part_of_it_is_not_it(
    pieces: list[str], others: list[str], cut: int
) -> None:
    text = block(pieces)
    assume(block(others) != text)

    assert not printed(text, pieces).is_in(GivenText(block(others), NOW))
    assert not printed(text, pieces).is_in(GivenText(text.strip()[:-cut], NOW))
    assert not printed(text, pieces).is_in(GivenText(""))


@pytest.mark.parametrize(
    ("at", "is_found"),
    [
        (None, True),
        (NOW + TOLERANCE, True),
        (NOW - TOLERANCE, True),
        (NOW - TOLERANCE - dt.timedelta.resolution, False),
    ],
)
def test_the_same_block_given_before_does_not_count(
    at: dt.datetime | None, *, is_found: bool
) -> None:
    text = block(["Name the unit."])

    assert printed(text, ["Name the unit."]).is_in(GivenText(text, at)) is is_found


def test_a_receipt_without_a_frame_is_found_as_the_whole_text_only() -> None:
    damaged = UndeliveredInjection(1, "awaited", NOW, text_digest("text"), ())

    assert damaged.is_in(GivenText("text"))
    assert not damaged.is_in(GivenText("some text"))
