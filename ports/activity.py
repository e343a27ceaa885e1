import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from hardwon.domain.model.activity import FieldChange, PastChange, Usage
from hardwon.domain.model.injection.receipt import Influence, Receipt
from hardwon.domain.model.injection.usage_signals import ShownText

if TYPE_CHECKING:
    from hardwon.domain.model.filters import EntryFilter


class History(Protocol):
    """The changes of entries, field by field; they outlive the entry."""

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


class Influences(Protocol):
    """Usage signals: the sessions in which injected entries were used."""

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

    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> Sequence[tuple[str, int]]:
        """Return at most *limit* entries of *only* by id, with in how many sessions each was used, the most first; None is any."""
        ...

    def total(self, only: "EntryFilter | None" = None) -> int:
        """Return how often an entry of *only* was used in a session, over all; None is any."""
        ...


class Receipts(Protocol):
    """Injection receipts: which entries went into a text, when and why."""

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


class UsageLog(Protocol):
    """Counters of how entries are used; each call is one atomic change."""

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """
        Count that each of *numbers* was found by a search or loaded once more, the last time *at*.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...

    def record_recall(self, seqs: Sequence[int], at: dt.datetime) -> None:
        """
        Count one more injection for each of *seqs*, the last of them *at*.

        Raises:
            StorageError: the store is busy; nothing was counted.
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
