"""Keep what an injection leaves behind. Made of tuples, for the hook."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.errors import StorageError

if TYPE_CHECKING:
    from hardwon.domain.model.receipts.receipt import Receipt
    from hardwon.ports.entry_repository import EntryRepository
    from hardwon.ports.receipts import Receipts


class RecordInjection(NamedTuple):
    """
    Count what was injected and keep the receipt of it, together or not at all.

    Attributes:
        repository: Counts.
        receipts: Keep it.
        transaction: A context in which all changes happen together; raises StorageError, soon, when the store is busy.

    """

    repository: "EntryRepository"
    receipts: "Receipts"
    transaction: Callable[[], AbstractContextManager[None]]

    def __call__(self, receipt: "Receipt", seqs: Sequence[int]) -> tuple[str, ...]:
        """
        Record *receipt* and that the entries of the numbers *seqs* were injected.

        Returns:
            What was lost and why, one line each: a store that can't be written now never costs the session's time.

        """
        try:
            with self.transaction():
                self.repository.record_recall(seqs, receipt.at)
                self.receipts.record(receipt)
        except StorageError as error:
            return (f"recall not counted, no receipt kept: {error}",)
        return ()
