"""A lesson's track record of a past injection, found again."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.entry_text import piece_text
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry, assembled, text_digest
from hardwon.domain.model.injection.verify import (
    MAX_COUNTS,
    ChangedLesson,
    TrackRecord,
    VerificationResult,
    verdict,
)
from hardwon.domain.model.vocabulary import CONFIDENCES, Confidence
from tests.strategies import NOW, entries, lesson

FRAME = ("<\n", ">\n")


def receipt_of(entry: Entry) -> Receipt:
    piece = piece_text("lesson", entry)
    shown = ReceiptEntry(entry.entry_id, "lesson", text_digest(piece))
    return Receipt(
        "s",
        "start",
        NOW,
        "here",
        None,
        None,
        "hybrid",
        text_digest(assembled(FRAME, [piece])),
        FRAME,
        (shown,),
    )


@given(
    entry=entries,
    then=st.builds(TrackRecord, st.integers(1, 9), st.sampled_from(CONFIDENCES)),
    more=st.integers(0, 30),
    confidence=st.sampled_from(CONFIDENCES),
)
def test_an_entry_that_was_only_observed_again_still_gives_its_text(
    entry: Entry, then: TrackRecord, more: int, confidence: Confidence
) -> None:
    past = attrs.evolve(entry, **then._asdict())
    now = TrackRecord(then.observation_count + more, confidence)
    found = verdict(receipt_of(past), {entry.entry_id: attrs.evolve(past, **now._asdict())})

    assert found.verified
    assert found == VerificationResult(
        since=(ChangedLesson(entry.entry_id, then, now),) if then != now else ()
    )


@given(entry=entries, more=st.integers(0, 5))
def test_other_words_are_a_change_however_often_it_was_observed(entry: Entry, more: int) -> None:
    today = attrs.evolve(
        entry, name=f"{entry.name}x", observation_count=min(entry.observation_count, 9) + more
    )

    assert verdict(receipt_of(entry), {entry.entry_id: today}) == VerificationResult(
        changed=(entry.entry_id,)
    )


@pytest.mark.parametrize(("more", "is_verified"), [(MAX_COUNTS - 1, True), (MAX_COUNTS, False)])
def test_only_the_last_thousand_observations_are_gone_back(more: int, *, is_verified: bool) -> None:
    entry = lesson("Keep quotes.")
    today = attrs.evolve(entry, observation_count=1 + more)

    assert verdict(receipt_of(entry), {entry.entry_id: today}).verified == is_verified
