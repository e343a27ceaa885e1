"""The track record with which a lesson was injected, found again from the digest of what was printed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.block.entry_texts import track_record_text
from hardwon.domain.model.receipts.injected_text import text_digest
from hardwon.domain.model.receipts.receipt import Shown
from hardwon.domain.model.receipts.reprinted import reprinted
from hardwon.domain.model.vocabulary import CONFIDENCES, Confidence

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MOST_COUNTS = 1_000
"""So many observation counts are tried, from the present one down."""


class TrackRecord(NamedTuple):
    """
    What is printed with a lesson besides its words.

    Attributes:
        observation_count: How often it was observed, from 1.
        confidence: How sure its authors are.

    """

    observation_count: int
    confidence: Confidence


def earlier_record(shown: Shown, entry: "Entry") -> TrackRecord | None:
    """
    Return the track record with which *entry* gives the piece of *shown*; None when no earlier one does.

    Args:
        shown: A lesson whose text is another today.
        entry: As it is today.

    """
    if shown.form != "lesson":
        return None
    words = _words(entry)
    return next(
        (each for each in _earlier(entry) if text_digest(words + track_record_text(*each)) == shown.digest), None
    )


def reprinted_with(record: TrackRecord, entry: "Entry") -> str:
    """Return what stood for the lesson *entry* when it had that track record."""
    return _words(entry) + track_record_text(*record)


def _words(entry: "Entry") -> str:
    text = reprinted(Shown(entry.entry_id, "lesson", ""), entry)
    return text.removesuffix(track_record_text(entry.observation_count, entry.confidence))


def _earlier(entry: "Entry") -> Iterator[TrackRecord]:
    for count in range(entry.observation_count, max(entry.observation_count - MOST_COUNTS, 0), -1):
        for confidence in (entry.confidence, *CONFIDENCES):
            yield TrackRecord(count, confidence)
