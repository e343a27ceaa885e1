from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from hardwon.domain.model.entry_filter import EVERYTHING, EntryFilter
from hardwon.domain.model.receipts.influence import Influence
from hardwon.domain.model.receipts.shown_text import ShownText

LONGEST_SHOWN = 2_000
"""In characters, of an entry's description and of its notes."""


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

    def shown_texts(self, session_id: str, limit: int) -> Sequence[ShownText]:
        """
        Return the beginning of what was injected into that session, the entries injected last first, then by id.

        Each entry stands there once, at most *limit* of them; those that are gone don't. Of one that was shown
        as a line only, the name is all.
        """
        ...

    def counts(self, entry_ids: Iterable[str]) -> Mapping[str, int]:
        """Return in how many sessions each of *entry_ids* was used; those in none are left out."""
        ...

    def find(self, *, session_id: str | None = None, entry_id: str | None = None, limit: int) -> Sequence[Influence]:
        """Return at most *limit* of that session and entry, the newest first, then by id; None is any."""
        ...

    def most_used(self, limit: int, only: EntryFilter = EVERYTHING) -> Sequence[tuple[str, int]]:
        """Return at most *limit* entries of *only* by id, with in how many sessions each was used, the most first."""
        ...

    def total(self, only: EntryFilter = EVERYTHING) -> int:
        """Return how often an entry of *only* was used in a session, over all."""
        ...
