"""Read entries whole."""

from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.use_cases.asking.count_access import count_access
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.usage_log import UsageLog


class Loaded(NamedTuple):
    """
    What was read.

    Attributes:
        entries: Those asked for.
        total: How many there are.
        degradations: What went wrong, one line each.

    """

    entries: tuple[Entry, ...]
    total: int
    degradations: tuple[str, ...] = ()


class Load(NamedTuple):
    """
    Read entries and count that.

    Attributes:
        repository: The entries.
        usage: Counts what was read.
        clock: When it was.

    """

    repository: EntryRepository
    usage: UsageLog
    clock: Clock

    def within(self, only: EntryFilter, limit: int) -> Loaded:
        """Return the newest *limit* entries of *only*, deprecated and expired ones too."""
        entries = self.repository.find(only, limit=limit, order="created_at")
        return self._counted(entries, self.repository.count(only))

    def one(self, entry: Entry) -> Loaded:
        """Return *entry* as read."""
        return self._counted([entry], 1)

    def _counted(self, entries: list[Entry], total: int) -> Loaded:
        return Loaded(tuple(entries), total, count_access(self.usage, entries, self.clock.now()))
