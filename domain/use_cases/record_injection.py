"""Record what was injected: its receipt, and the count of its entries."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Self

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import COUNTED
from hardwon.ports.activity import Receipts, UsageLog

if TYPE_CHECKING:
    from hardwon.domain.model.injection.receipt import Receipt
    from hardwon.ports.activity import Activity


class RecordInjection(NamedTuple):
    """
    Store the receipt of an injection and count the injection, atomically.

    It is not counted yet if the host will report whether it arrived.

    Attributes:
        transaction: A context for atomic changes; raises StorageError, soon, when the store is
            busy.
    """

    usage: UsageLog
    receipts: Receipts
    transaction: Callable[[], AbstractContextManager[None]]

    @classmethod
    def on(cls, activity: "Activity") -> Self:
        """Return it on the records of *activity*."""
        return cls(activity.usage, activity.receipts, activity.counting)

    def record(self, receipt: "Receipt", numbers: Sequence[int]) -> tuple[str, ...]:
        """
        Record *receipt*, and the injection of the entries *numbers* if it counts already.

        Returns:
            The losses with their reasons, one line each: a busy store never delays the session.
        """
        try:
            with self.transaction():
                if receipt.delivery in COUNTED:
                    self.usage.record_recall(numbers, receipt.at)
                self.receipts.record(receipt)
        except StorageError as error:
            return (f"recall not counted, no receipt kept: {error}",)
        return ()
