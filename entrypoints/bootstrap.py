"""
The composition root: opens the store and the embedding spaces that the settings choose.

`bootstrap*.py` alone import adapters. Functions `build_*` in the modules beside this one put use cases together from
an open store, so that each door imports those that it calls. Nothing happens at import; slow libraries are imported
inside the functions that need them, for the hook's sake.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Kind
from hardwon.entrypoints.bootstrap_models import AUTO, EmbeddingSpace, choose_automatically, open_spaces
from hardwon.ports.clock import Clock
from hardwon.ports.store import ActiveVectors, Entries, Store, Warn

if TYPE_CHECKING:
    from hardwon.ports.vectors import BlockSource, VectorBlock, VectorIndex

BUSY_SECONDS = 5.0
"""Upper bound of the wait for other writers."""


class Memory(NamedTuple):
    """
    An open store and what is needed to work on it.

    Attributes:
        settings: The resolved settings.
        store: The file or server that keeps them.
        clock: The time.
        spaces: The spaces to search and to keep up to date, the active one first; none when search is by word only.
        warn: Called with one line about a problem.

    """

    settings: Settings
    store: Store
    clock: Clock
    spaces: Sequence[EmbeddingSpace]
    warn: Warn

    @property
    def repository(self) -> Entries:
        """The entries."""
        return self.store.entries

    @property
    def vectors(self) -> ActiveVectors | None:
        """The vectors of the active space."""
        return self.spaces[0].vectors if self.spaces else None

    def vectors_for(self, kind: Kind) -> ActiveVectors | None:
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
            self.store.metadata.decide_provider(self.spaces[0].embedder.space.provider, force=force)

    def with_provider(self, provider: str) -> "Memory":
        """Return the same store with `auto` meaning *provider*; nothing is remembered yet."""
        return self._replace(spaces=open_spaces(self.settings, provider, self.store, self.warn))

    @property
    def is_there(self) -> bool:
        """Whether there is a store, not an empty stand-in for one."""
        return self.store.is_there

    def is_in_place(self) -> bool:
        """Return whether the store that was opened is still the one at its address."""
        return self.store.is_in_place()

    def is_current(self) -> bool:
        """Return whether opening the store now would open the same one."""
        return self.store.is_current()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def pack_words(self) -> None:
        """
        Pack the words of all entries for fast search; closing does it for few blocks only.

        Raises:
            StorageError: the store can't be written now.
        """
        self.store.upkeep.pack()


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
    store: Store
    if settings.server:
        from hardwon.adapters.postgres.store import open_postgres

        store = open_postgres(settings.server, warn, busy_seconds=busy_seconds)
    else:
        from hardwon.adapters.sqlite.store import BlockIndex, open_sqlite

        store = open_sqlite(
            settings.global_store,
            warn,
            BlockIndex(_vector_index, _pack_block),
            busy_seconds=busy_seconds,
            repair_index=repair_index,
            create=create,
            largest_upgrade=largest_upgrade,
            durable=durable,
        )
    automatic = choose_automatically(os.environ, store.metadata.automatic_provider)
    return Memory(
        settings=settings,
        store=store,
        clock=system_clock(),
        spaces=open_spaces(settings, automatic, store, warn),
        warn=warn,
    )


def _vector_index(source: "BlockSource") -> "VectorIndex":
    from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

    return NumpyVectorIndex(source)


def _pack_block(block: "VectorBlock", stamp: int) -> bytes | None:
    from hardwon.adapters.numpy_index.vector_index import pack_block

    return pack_block(block, stamp)


def system_clock() -> Clock:
    """Return the clock of this machine."""
    return SystemClock()
