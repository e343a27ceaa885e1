from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from hardwon.domain.model.receipts.influence import Influence


class Influences(Protocol):
    """Which injected entries were of use."""

    def record(self, influence: Influence) -> bool:
        """
        Count that an entry was used in a session; never wait long for it.

        Returns:
            False when that was known already, or there is no such entry.

        Raises:
            StorageError: the store is busy or can't be written; nothing was counted.

        """
        ...

    def counts(self, entry_ids: Iterable[str]) -> Mapping[str, int]:
        """Return in how many sessions each of *entry_ids* was used; those in none are left out."""
        ...

    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> Sequence[Influence]:
        """Return at most *limit* of that session and entry, the newest first, then by id; None is any."""
        ...

    def most_used(self, limit: int) -> Sequence[tuple[str, int]]:
        """Return at most *limit* entries by id, with in how many sessions they were used, the most first, then by id."""
        ...

    def total(self) -> int:
        """Return how often an entry was used in a session, over all."""
        ...
