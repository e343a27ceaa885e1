"""
Remember that entries were found or read (rule U-21).

How often what was injected was of use.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.receipt import Influence
from hardwon.ports.activity import Influences, UsageLog
from hardwon.ports.entries import EntryRepository


def count_access(usage: UsageLog, entries: Iterable[Entry], at: dt.datetime) -> tuple[str, ...]:
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


class TellUse(NamedTuple):
    """
    Count what was of use.

    Attributes:
        influences: What is known of that.
        repository: The entries.

    """

    influences: Influences
    repository: EntryRepository

    def of_entry(self, entry_id: str) -> EntryUse:
        """Return how often the entry of that id was of use."""
        newest = self.influences.find(entry_id=entry_id, limit=MOST_SESSIONS)
        return EntryUse(self.influences.counts([entry_id]).get(entry_id, 0), newest)

    def of_all(self, only: EntryFilter) -> Use:
        """Return how often entries of *only* were of use."""
        most = [
            UsedEntry(entry_id, entry.name, count)
            for entry_id, count in self.influences.most_used(MOST_USED, only)
            if (entry := self.repository.get(entry_id))
        ]
        return Use(self.influences.total(only), most)
