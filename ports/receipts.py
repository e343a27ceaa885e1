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

    def find(
        self, *, session_id: str | None = None, entry_id: str | None = None, project: str | None = None, limit: int
    ) -> Sequence[Receipt]:
        """
        Return receipts, the newest first.

        Args:
            session_id: Only of that session; None is any, as for the others.
            entry_id: Only with that entry in the text.
            project: Only of the project of that name.
            limit: How many at most; 0 gives none.

        """
        ...

    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return at most *limit* names of sessions that begin with *prefix*, in order, each once."""
        ...
