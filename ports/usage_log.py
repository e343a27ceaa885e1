import datetime as dt
from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.importance.usage import Usage


class UsageLog(Protocol):
    """Counts how entries are used; each call is one change that no other writer can undo."""

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """
        Count that each of *numbers* was found by a search or loaded once more, the last time *at*.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...

    def record_validation(self, number: int, *, useful: bool) -> None:
        """
        Count one more judgement of that entry; nothing happens when there is none of that number.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...

    def add(self, number: int, usage: Usage) -> None:
        """
        Count what another program has counted of that entry, on top; nothing happens when there is none of that number.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...
