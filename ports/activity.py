"""The records of activity: history, usage signals, injection receipts, counters."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from hardwon.domain.model.activity import FieldChange, PastChange, Usage
from hardwon.domain.model.injection.receipt import (
    Delivery,
    Event,
    Influence,
    Outcome,
    OutcomeCount,
    Receipt,
)

if TYPE_CHECKING:
    from hardwon.domain.model.filters import EntryFilter
    from hardwon.domain.model.injection.receipt import (
        ContextWindow,
        HeldMemory,
        ShownText,
        UndeliveredInjection,
    )
    from hardwon.ports.store import StoreMetadata


class History(Protocol):
    """
    The changes of entries, field by field.

    They are kept after the entry is deleted.
    """

    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        """
        Append *changes*, made *at*, to the history of an entry.

        The entry may be deleted. Within a transaction of the `EntryRepository` they are rolled back
        with it.

        Raises:
            StorageError: the store can't be written now; nothing was recorded.
        """
        ...

    def changes_of(self, number: int, limit: int) -> list[PastChange]:
        """Return at most *limit* changes of the entry, the last recorded first."""
        ...


class Influences(Protocol):
    """Usage signals: the sessions in which injected entries were used."""

    def record(self, influence: Influence) -> bool:
        """
        Count an entry's use in a session, without waiting long.

        A judgement replaces an earlier signal of the session.

        Returns:
            False when it was counted before, or there is no such entry.

        Raises:
            StorageError: the store is busy or can't be written; nothing was counted.
        """
        ...

    def shown_texts(self, session_id: str, limit: int) -> "Sequence[ShownText]":
        """
        Return the beginnings of the texts injected into that session.

        The last injected is first, then by id: at most *limit* entries, without duplicates, deleted
        ones and injections that the model missed. An entry that was shown as a line gives its name
        only.
        """
        ...

    def counts(self, entry_ids: Iterable[str]) -> Mapping[str, int]:
        """
        Return the number of sessions in which each of *entry_ids* was used.

        Unused entries are left out.
        """
        ...

    def newest(
        self, *, session_id: str | None = None, entry_id: str | None = None, limit: int
    ) -> Sequence[Influence]:
        """
        Return at most *limit* signals, the newest first, then by id.

        They are those of that session and entry; None is any.
        """
        ...

    def most_used(self, limit: int, only: "EntryFilter | None" = None) -> Sequence[tuple[str, int]]:
        """
        Return at most *limit* ids of entries with their number of sessions.

        These are the sessions that used them, in descending order. *only* None is any entry.
        """
        ...

    def total(self, only: "EntryFilter | None" = None) -> int:
        """
        Return the number of pairs of session and used entry.

        *only* restricts the entries; None is any.
        """
        ...


class Receipts(Protocol):
    """Injection receipts: which entries went into a text, when and why."""

    def record(self, receipt: Receipt) -> None:
        """
        Store *receipt*, and delete all but the newest 2,000.

        Those with an observed outcome are kept ten times as long. Does not wait long for a lock.

        Raises:
            StorageError: the store is busy or can't be written; nothing was stored.
        """
        ...

    def shown_in(self, session_id: str) -> frozenset[str]:
        """
        Return the ids of all entries injected into that session.

        Injections that the model missed are left out.
        """
        ...

    def newest(
        self,
        *,
        session_id: str | None = None,
        entry_id: str | None = None,
        project: str | None = None,
        event: Event | None = None,
        limit: int,
    ) -> Sequence[Receipt]:
        """
        Return receipts, the newest first.

        Args:
            session_id: Only of that session; None is any, also for the other three.
            entry_id: Only receipts with that entry in the text.
            project: Only of the project with that id.
            event: Only of that occasion.
            limit: The maximum number; 0 gives none.
        """
        ...

    def observe(self, number: int, outcome: Outcome) -> None:
        """
        Replace the outcome of the receipt of that number, without waiting long.

        Raises:
            StorageError: the store is busy or can't be written; nothing was changed.
        """
        ...

    def reject(self, entry_id: str, session_id: str, *, rejected: bool) -> None:
        """
        Record whether that entry was rejected in that session.

        Raises:
            StorageError: the store can't be written now; nothing was changed.
        """
        ...

    def outcomes(self) -> Sequence[OutcomeCount]:
        """
        Count the showings of entries of which the outcome is known.

        Counts of the same outcome add up.
        Those that the model missed are left out, and entries that are not in the store. Those
        that a trial withheld are counted by themselves.
        """
        ...

    def sessions_starting_with(self, prefix: str, limit: int) -> list[str]:
        """Return at most *limit* session ids with that prefix, sorted, without duplicates."""
        ...


class Deliveries(Protocol):
    """The delivery of printed injections to the model, recorded in their receipts."""

    def undelivered(self, session_id: str) -> "Sequence[UndeliveredInjection]":
        """Return that session's awaited or missed injections, the earliest first."""
        ...

    def settle(self, number: int, delivery: Delivery) -> bool:
        """
        Record the delivery of an injection, without waiting long for a lock.

        One that counts adds one recall to each of its entries that is in the store, in the same
        change.

        Args:
            number: Of its receipt.
            delivery: Its new state.

        Returns:
            False, and nothing changes, when it was counted before, or there is no such receipt.

        Raises:
            StorageError: the store is busy or can't be written; nothing was recorded.
        """
        ...


class ContextWindows(Protocol):
    """The injected memory in agents' context windows, recorded in receipts."""

    def held(self, window: "ContextWindow") -> "HeldMemory":
        """
        Return the injections into *window* since it was last emptied.

        Those that the model missed are left out.
        """
        ...

    def empty(self, window: "ContextWindow") -> None:
        """
        Record that the host emptied *window*, without waiting long for a lock.

        Raises:
            StorageError: the store is busy or can't be written; nothing was recorded.
        """
        ...


class UsageLog(Protocol):
    """
    Counters of how entries are used.

    Each call is one atomic change.
    """

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """
        Count one more access at *at* for each of *numbers*.

        An access is by a search or a load.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...

    def record_recall(self, numbers: Sequence[int], at: dt.datetime) -> None:
        """
        Count one more injection at *at* for each of *numbers*.

        Raises:
            StorageError: the store is busy; nothing was counted.
        """
        ...

    def record_validation(self, number: int, *, useful: bool) -> None:
        """
        Count one more judgement of that entry, if it is known.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...

    def add(self, number: int, usage: Usage) -> None:
        """
        Add counters of another program for that entry, if it is known.

        Raises:
            StorageError: the store can't be written now; nothing was counted.
        """
        ...


class Activity(Protocol):
    """
    The records of what was shown in sessions and what came of it.

    Attributes:
        receipts: The receipts of injections.
        deliveries: The deliveries of injections.
        windows: The injected memory in agents' context windows.
        influences: The usage signals.
        usage: The counters of use.
        metadata: The store's own decisions.
    """

    receipts: Receipts
    deliveries: Deliveries
    windows: ContextWindows
    influences: Influences
    usage: UsageLog
    metadata: "StoreMetadata"

    def counting(self) -> AbstractContextManager[None]:
        """
        Return a context in which counters change together.

        It waits only briefly for other writers, and raises StorageError instead.
        """
        ...
