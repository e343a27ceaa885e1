"""Whether a receipt still proves the text it speaks of."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.receipts.injected_text import assembled, text_digest
from hardwon.domain.model.receipts.receipt import Receipt, Shown
from hardwon.domain.model.receipts.recomputed import fits
from hardwon.domain.model.receipts.reprinted import reprinted
from hardwon.domain.model.receipts.track_record import TrackRecord, earlier_record, reprinted_with

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class Since(NamedTuple):
    """
    A lesson that has another track record since it was injected.

    Attributes:
        entry_id: Which.
        then: What it had.
        now: What it has today.

    """

    entry_id: str
    then: TrackRecord
    now: TrackRecord


class Verdict(NamedTuple):
    """
    What came of putting an injected text together again.

    Attributes:
        changed: The ids of entries of which another text would be printed today, whatever their track record.
        gone: The ids of entries that are no more.
        miscounted: The ids of entries whose score is not what its parts give.
        tampered: Whether the receipt contradicts itself.
        since: The lessons of which only the track record is another today; with the one they had, they give their text.

    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    miscounted: tuple[str, ...] = ()
    tampered: bool = False
    since: "tuple[Since, ...]" = ()

    @property
    def verified(self) -> bool:
        """Whether the entries give the very text that was injected, and all scores are right."""
        return self == Verdict(since=self.since)


class _Piece(NamedTuple):
    """A part of the text as it is put together again."""

    text: str
    since: Since | None = None


def verdict(receipt: Receipt, entries: "Mapping[str, Entry]") -> Verdict:
    """
    Put the text of *receipt* together again and compare it with what was injected, byte for byte.

    Args:
        receipt: What is known of the injection.
        entries: The entries that it speaks of, by id, as they are today; those that are gone are missing.

    """
    known = [(each, _piece(each, entries[each.entry_id])) for each in receipt.shown if each.entry_id in entries]
    differing = [each.entry_id for each, piece in known if text_digest(piece.text) != each.digest]
    whole = [piece.text for _, piece in known]
    is_whole = len(whole) == len(receipt.shown) and _is_the_text(receipt, whole)
    return Verdict(
        changed=tuple(differing),
        gone=tuple(each.entry_id for each in receipt.shown if each.entry_id not in entries),
        miscounted=tuple(each.entry_id for each in receipt.shown if not fits(receipt, each)),
        tampered=_contradicts_itself(receipt, differing, whole, is_whole=is_whole),
        since=tuple(piece.since for _, piece in known if piece.since),
    )


def _piece(shown: Shown, entry: "Entry") -> _Piece:
    """Return the text of *entry*, with the track record that it had then when only that is another today."""
    text = reprinted(shown, entry)
    then = None if text_digest(text) == shown.digest else earlier_record(shown, entry)
    if then is None:
        return _Piece(text)
    now = TrackRecord(entry.observation_count, entry.confidence)
    return _Piece(reprinted_with(then, entry), Since(entry.entry_id, then, now))


def _contradicts_itself(receipt: Receipt, differing: Sequence[str], pieces: Sequence[str], *, is_whole: bool) -> bool:
    """Tell whether the text fits where its parts do not, or its parts where the text does not."""
    if len(receipt.frame) != len(receipt.shown) + 1:
        return True
    return bool(differing) if is_whole else not differing and len(pieces) == len(receipt.shown)


def _is_the_text(receipt: Receipt, pieces: Sequence[str]) -> bool:
    if len(receipt.frame) != len(pieces) + 1:
        return False
    return text_digest(assembled(receipt.frame, pieces)) == receipt.digest
