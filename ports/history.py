import datetime as dt
from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.importance.history import FieldChange, PastChange


class History(Protocol):
    """What was changed of which entry, and when; it outlives the entry (M-D9)."""

    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        """
        Add *changes* of the entry of that number, made *at*; an entry that is gone has a history too.

        Within a transaction of the `EntryRepository` they are rolled back with it.

        Raises:
            StorageError: the store can't be written now; nothing was recorded.
        """
        ...

    def of(self, number: int, limit: int) -> list[PastChange]:
        """Return at most *limit* changes of the entry of that number, the last recorded first."""
        ...
