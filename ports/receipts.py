from collections.abc import Sequence
from typing import Protocol

from hardwon.domain.model.receipts.receipt import Receipt


class Receipts(Protocol):
    """What was injected, when and why."""

    def record(self, receipt: Receipt) -> None:
        """
        Keep *receipt*, and of all only the newest 2,000; never wait long for it.

        Raises:
            StorageError: the store is busy or can't be written; nothing was kept.
        """
        ...

    def shown_in(self, session_id: str) -> frozenset[str]:
        """Return the ids of all entries that were injected into that session."""
        ...

    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> Sequence[Receipt]:
        """Return at most *limit* receipts of that session and with that entry in it, the newest first; None is any."""
        ...

    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return at most *limit* names of sessions that begin with *prefix*, in order, each once."""
        ...
