"""
Count how entries are used: accesses by searches, and the sessions in which injected entries were used.

Made of tuples and free of `attrs`, for the hook.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import How, Influence, Turn
from hardwon.domain.model.injection.usage_signals import usage_signals

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.filters import EntryFilter
    from hardwon.ports.activity import Influences, UsageLog
    from hardwon.ports.clock import Clock
    from hardwon.ports.entries import EntryRepository


def count_access(usage: "UsageLog", entries: "Iterable[Entry]", at: "dt.datetime") -> tuple[str, ...]:
    """Count one access of each of *entries*; a store that can't be written loses the count, which a line says."""
    numbers = [entry.number for entry in entries if entry.number is not None]
    try:
        if numbers:
            usage.record_access(numbers, at)
    except StorageError as error:
        return (f"access not counted: {error}",)
    return ()


MOST_USED = 5
MOST_SESSIONS = 100


class EntryUse(NamedTuple):
    """In how many sessions an entry was of use, and what showed it in the newest of them, the newest first."""

    times: int
    newest: Sequence[Influence]


class UsedEntry(NamedTuple):
    """An entry that was of use, and in how many sessions."""

    entry_id: str
    name: str
    times: int


class Use(NamedTuple):
    """How often entries were of use in a session, over all, and those that were most, the most first."""

    times: int
    most: Sequence[UsedEntry]


class SummariseUsage(NamedTuple):
    """
    Count what was of use.

    Attributes:
        influences: What is known of that.
        repository: The entries.

    """

    influences: "Influences"
    repository: "EntryRepository"

    def of_entry(self, entry_id: str) -> EntryUse:
        """Return how often the entry of that id was of use."""
        newest = self.influences.find(entry_id=entry_id, limit=MOST_SESSIONS)
        return EntryUse(self.influences.counts([entry_id]).get(entry_id, 0), newest)

    def of_all(self, only: "EntryFilter") -> Use:
        """Return how often entries of *only* were of use."""
        most = [
            UsedEntry(entry_id, entry.name, count)
            for entry_id, count in self.influences.most_used(MOST_USED, only)
            if (entry := self.repository.get(entry_id))
        ]
        return Use(self.influences.total(only), most)


MOST_LOOKED_FOR = 40
"""Entries: what was injected before them, a session has left behind."""


class NoticeUse(NamedTuple):
    """
    Count the entries that an agent shows to have used, once an entry and session.

    Attributes:
        influences: What is known of that.
        clock: The time.

    """

    influences: "Influences"
    clock: "Clock"

    def notice(self, session_id: str, hear: Callable[[], Turn]) -> list[Influence]:
        """
        Look for signs of use in what the agent did; return what is new.

        Args:
            session_id: Where the entries were injected.
            hear: Tells what the agent did; it is only asked when there is something to look for.

        Raises:
            StorageError: the store is busy; what was counted stays so.

        """
        shown = self.influences.shown_texts(session_id, MOST_LOOKED_FOR)
        if all(each.is_counted for each in shown):
            return []
        turn, now = hear(), self.clock.now()
        texts: tuple[tuple[How, str], ...] = (("answer", turn.answer), ("edit", turn.edits))
        signs = [
            Influence(entry_id, session_id, how, phrase, now)
            for how, text in texts
            for entry_id, phrase in usage_signals(shown, text, turn.given).items()
        ]
        return [sign for sign in signs if self.influences.record(sign)]
