"""Summarise the usage signals of entries."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.receipt import Influence
from hardwon.ports.activity import Influences
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Store

MAX_USED = 5
MAX_SESSIONS = 100


class EntryUse(NamedTuple):
    """The number of sessions that used an entry, and their newest signals."""

    times: int
    newest: Sequence[Influence]


class UsedEntry(NamedTuple):
    """An entry and the number of sessions that used it."""

    entry_id: str
    name: str
    times: int


class UsageTotals(NamedTuple):
    """The total number of uses, and the most used entries."""

    times: int
    most: Sequence[UsedEntry]


class SummariseUsage(NamedTuple):
    """Summarise the usage signals of entries."""

    influences: Influences
    repository: EntryRepository

    @classmethod
    def on(cls, store: Store) -> Self:
        """Return it on the roles of *store*."""
        return cls(store.influences, store.entries)

    def of_entry(self, entry_id: str) -> EntryUse:
        """Return the use of the entry of that id."""
        newest = self.influences.newest(entry_id=entry_id, limit=MAX_SESSIONS)
        return EntryUse(self.influences.counts([entry_id]).get(entry_id, 0), newest)

    def of_all(self, only: EntryFilter) -> UsageTotals:
        """Return the use of the entries of *only*."""
        most = [
            UsedEntry(entry_id, entry.name, count)
            for entry_id, count in self.influences.most_used(MAX_USED, only)
            if (entry := self.repository.by_id(entry_id))
        ]
        return UsageTotals(self.influences.total(only), most)
