"""Whether a receipt still proves the text it speaks of."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.receipts.injected_text import assembled, text_digest
from hardwon.domain.model.receipts.receipt import Receipt
from hardwon.domain.model.receipts.recomputed import fits
from hardwon.domain.model.receipts.reprinted import reprinted

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry


class Verdict(NamedTuple):
    """
    What came of putting an injected text together again.

    Attributes:
        changed: The ids of entries of which another text would be printed today.
        gone: The ids of entries that are no more.
        miscounted: The ids of entries whose score is not what its parts give.
        tampered: Whether the receipt contradicts itself.

    """

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    miscounted: tuple[str, ...] = ()
    tampered: bool = False

    @property
    def verified(self) -> bool:
        """Whether today's entries give the very text that was injected, and all scores are right."""
        return self == Verdict()


def verdict(receipt: Receipt, entries: "Mapping[str, Entry]") -> Verdict:
    """
    Put the text of *receipt* together again and compare it with what was injected, byte for byte.

    Args:
        receipt: What is known of the injection.
        entries: The entries that it speaks of, by id, as they are today; those that are gone are missing.

    """
    pieces = [reprinted(each, entries[each.entry_id]) if each.entry_id in entries else None for each in receipt.shown]
    differing = [
        each.entry_id
        for each, piece in zip(receipt.shown, pieces, strict=True)
        if piece is not None and text_digest(piece) != each.digest
    ]
    whole = [piece for piece in pieces if piece is not None]
    is_whole = len(whole) == len(pieces) and _is_the_text(receipt, whole)
    return Verdict(
        changed=tuple(differing),
        gone=tuple(each.entry_id for each in receipt.shown if each.entry_id not in entries),
        miscounted=tuple(each.entry_id for each in receipt.shown if not fits(receipt, each)),
        tampered=_contradicts_itself(receipt, differing, whole, is_whole=is_whole),
    )


def _contradicts_itself(receipt: Receipt, differing: Sequence[str], pieces: Sequence[str], *, is_whole: bool) -> bool:
    """Tell whether the text fits where its parts do not, or its parts where the text does not."""
    if len(receipt.frame) != len(receipt.shown) + 1:
        return True
    return bool(differing) if is_whole else not differing and len(pieces) == len(receipt.shown)


def _is_the_text(receipt: Receipt, pieces: Sequence[str]) -> bool:
    if len(receipt.frame) != len(pieces) + 1:
        return False
    return text_digest(assembled(receipt.frame, pieces)) == receipt.digest
