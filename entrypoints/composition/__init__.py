"""The only place that chooses adapters. Nothing happens at import; what is slow is imported when it is chosen."""

import os

from hardwon.adapters.sqlite.database import BUSY_SECONDS
from hardwon.adapters.sqlite.entry_repository import SqliteEntryRepository
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.composition.asking import ASKED_EMBED_SECONDS
from hardwon.entrypoints.composition.conversing import Conversing
from hardwon.entrypoints.providers import choose_automatically
from hardwon.entrypoints.spaces import Warn, open_spaces

__all__ = ["ASKED_EMBED_SECONDS", "Memory", "open_memory"]


class Memory(Conversing):
    """
    One open store with all that works on it.

    Each module of this package adds to the one before: store, asking, keeping, filing, conversing.
    """

    def with_provider(self, provider: str) -> "Memory":
        """Return the same store with `auto` meaning *provider*; nothing is remembered yet."""
        return self._replace(spaces=open_spaces(self.settings, provider, self.database, self.warn))


def open_memory(
    settings: Settings,
    warn: Warn,
    *,
    busy_seconds: float = BUSY_SECONDS,
    repair_index: bool = True,
    create: bool = True,
) -> Memory:
    """
    Open the store that *settings* names.

    Args:
        settings: What the user set.
        warn: Told of trouble in one line.
        busy_seconds: How long to wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.
        create: False gives an empty store that leaves no trace where there is none.

    Raises:
        StorageError: the store can't be opened.

    """
    database = open_store(settings.global_store, busy_seconds=busy_seconds, repair_index=repair_index, create=create)
    automatic = SqliteMetadata(database).automatic_provider or choose_automatically(os.environ)
    return Memory(
        settings=settings,
        database=database,
        repository=SqliteEntryRepository(database),
        clock=SystemClock(),
        spaces=open_spaces(settings, automatic, database, warn),
        warn=warn,
    )
