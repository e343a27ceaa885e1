"""
The composition root: opens the store and the embedding spaces that the settings choose.

`bootstrap*.py` alone import adapters. Functions `build_*` in the modules beside this one put use cases together from
an open store, so that each door imports those that it calls. Nothing happens at import; slow libraries are imported
inside the functions that need them, for the hook's sake.
"""

import contextlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.database import BUSY_SECONDS, FILE_NAME, IN_MEMORY, Database
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.file_errors import OTHER_PROBLEM, problem_of
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Kind
from hardwon.entrypoints.bootstrap_models import AUTO, EmbeddingSpace, Warn, choose_automatically, open_spaces
from hardwon.ports.clock import Clock


class Memory(NamedTuple):
    """
    An open store and what is needed to work on it.

    Attributes:
        settings: The resolved settings.
        database: The open store.
        repository: Its entries.
        clock: The time.
        spaces: The spaces to search and to keep up to date, the active one first; none when search is by word only.
        warn: Called with one line about a problem.

    """

    settings: Settings
    database: Database
    repository: SqliteEntryRepository
    clock: Clock
    spaces: Sequence[EmbeddingSpace]
    warn: Warn

    @property
    def vectors(self) -> SqliteVectorStore | None:
        """The vectors of the active space."""
        return self.spaces[0].vectors if self.spaces else None

    def vectors_for(self, kind: Kind) -> SqliteVectorStore | None:
        """Return the vectors of the entries of *kind*, in the first space that is for them."""
        return next((space.vectors for space in self.spaces if kind in space.vectors.kinds), None)

    def is_of_active_provider(self, space: Space) -> bool:
        """Return whether *space* is one that the chosen provider fills, not the fallback's."""
        return bool(self.spaces) and space.provider == self.spaces[0].embedder.space.provider

    def spaces_in_use(self, only: EntryFilter) -> list[EmbeddingSpace]:
        """
        Return the spaces of the chosen provider that hold or await vectors of *only*.

        There are several only where collections have models of their own. The
        first that could serve *only* is returned where there are no such entries.
        """
        active = [space for space in self.spaces if self.is_of_active_provider(space.embedder.space)]
        serving = [space for space in active if space.served(only).kinds]
        return [space for space in serving if self.repository.count(space.served(only))] or serving[:1]

    def count_embedded(self, only: EntryFilter) -> int:
        """Return how many entries of *only* have a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count(space.served(only)) for space in self.spaces_in_use(only))

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many entries of *only* wait for a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count_pending(only) for space in self.spaces_in_use(only))

    def settle_provider(self, *, force: bool = False) -> None:
        """Store the provider that `auto` means here, once and for all unless *force* says so: that of the first process that embeds."""
        if self.settings.embedding_provider == AUTO and self.spaces:
            SqliteMetadata(self.database).decide_provider(self.spaces[0].embedder.space.provider, force=force)

    def with_provider(self, provider: str) -> "Memory":
        """Return the same store with `auto` meaning *provider*; nothing is remembered yet."""
        return self._replace(spaces=open_spaces(self.settings, provider, self.database, self.warn))

    def is_in_place(self) -> bool:
        """Return whether the file that was opened is still the one at its path."""
        return self.database.is_in_place()

    @property
    def is_there(self) -> bool:
        """Whether there is a store, not an empty stand-in for one."""
        return self.database.path != IN_MEMORY

    def is_current(self) -> bool:
        """Return whether opening the store now would open the same one."""
        is_missing = not os.path.exists(os.path.join(self.settings.global_store, FILE_NAME))
        return self.database.is_in_place() if self.is_there else is_missing

    def close(self) -> None:
        """Close the store, without the words of what was deleted from it, and with the words of what is there packed."""
        from hardwon.adapters.sqlite.keyword_index import tidy_index  # hooks leave without closing
        from hardwon.adapters.sqlite.postings import pack_postings

        with contextlib.suppress(StorageError):  # the next process that closes it does it
            tidy_index(self.database)
            with self.database.waiting(0):  # only ever for speed
                pack_postings(self.database)
        self.database.close()

    def pack_words(self) -> None:
        """
        Pack the words of all entries for fast search; closing does it for few blocks only.

        Raises:
            StorageError: the store can't be written now.
        """
        from hardwon.adapters.sqlite.postings import pack_postings

        pack_postings(self.database, most=None)


def open_memory(
    settings: Settings,
    warn: Warn,
    *,
    busy_seconds: float = BUSY_SECONDS,
    repair_index: bool = True,
    create: bool = True,
    largest_upgrade: int | None = None,
    durable: bool = True,
) -> Memory:
    """
    Open the store that *settings* names.

    Args:
        settings: The resolved settings.
        warn: Called with one line about a problem.
        busy_seconds: How long to wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.
        create: False gives an empty store that leaves no trace where there is none.
        largest_upgrade: Bytes of the largest store of an earlier version that is migrated; None migrates any.
        durable: False where only counters and receipts are written, which a power failure may take.

    Raises:
        StorageError: the store can't be opened.

    """
    database = open_store(
        settings.global_store,
        busy_seconds=busy_seconds,
        repair_index=repair_index,
        create=create,
        largest_upgrade=largest_upgrade,
        durable=durable,
    )
    database.warn = warn
    if database.is_read_only:
        warn(f"{database.path} can only be read: {problem_of(database.path) or OTHER_PROBLEM}")
    automatic = choose_automatically(os.environ, SqliteMetadata(database).automatic_provider)
    return Memory(
        settings=settings,
        database=database,
        repository=SqliteEntryRepository(database),
        clock=system_clock(),
        spaces=open_spaces(settings, automatic, database, warn),
        warn=warn,
    )


def system_clock() -> Clock:
    """Return the clock of this machine."""
    return SystemClock()
