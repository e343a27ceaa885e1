"""The store in a file of SQLite, with all its roles."""

import contextlib
import os
import time
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.folder import exposed
from hardwon.adapters.sqlite.activity import (
    SqliteContextWindows,
    SqliteDeliveries,
    SqliteHistory,
    SqliteInfluences,
    SqliteReceipts,
    SqliteUsageLog,
)
from hardwon.adapters.sqlite.database import FILE_NAME, IN_MEMORY, SqliteDatabase
from hardwon.adapters.sqlite.entries import (
    SqliteEntryRepository,
    SqliteProposals,
    SqliteTriggerSource,
)
from hardwon.adapters.sqlite.file_errors import OTHER_PROBLEM, problem_of
from hardwon.adapters.sqlite.keyword_index import (
    UNAVAILABLE,
    FtsKeywordIndex,
    has_lengths,
    is_available,
    is_intact,
    is_outdated,
    rebuild_index,
)
from hardwon.adapters.sqlite.metadata import EXPOSED, SqliteMetadata
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.untrusted import size_of
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import KeywordIndexUnavailableError, StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Registry
from hardwon.domain.model.vocabulary import Kind, TrustMode
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.override import override
from hardwon.ports.store import Store, Upkeep, Warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardwon.adapters.sqlite.erase_files import StoreRows
    from hardwon.ports.erasure import KeptElsewhere
    from hardwon.ports.file_state import Absences, ImportLedger, Tombstones
    from hardwon.ports.overview import Overview
    from hardwon.ports.snapshots import Snapshots
    from hardwon.ports.transfer import StoreContents
    from hardwon.ports.vectors import VectorBlock, VectorIndex, VectorStore


class BlockIndex(NamedTuple):
    """
    The search of packed vectors.

    Attributes:
        index_of: Makes the index of vectors stored in blocks.
        pack: Packs a block of a version; returns None where that is not possible here.
    """

    index_of: "Callable[[SqliteVectorStore], VectorIndex]"
    pack: "Callable[[VectorBlock, int], bytes | None]"


def store_in(
    folder: str, database: SqliteDatabase, warn: Warn, *, blocks: BlockIndex
) -> "SqliteStore":
    """Return the store with its *database* in *folder*, and warn of its state."""
    database.warn = warn
    if database.is_read_only:
        warn(f"{database.path} can only be read: {problem_of(database.path) or OTHER_PROBLEM}")
    elif line := exposed(database.path):
        with contextlib.suppress(StorageError):
            if SqliteMetadata(database).is_first_warning(EXPOSED):
                warn(line)
    return SqliteStore(database, folder, blocks)


class SqliteStore(Store):
    """The store in a file of SQLite."""

    def __init__(self, database: SqliteDatabase, folder: str, blocks: BlockIndex) -> None:
        self.database = database
        self._folder = folder
        self._blocks = blocks
        self.path = database.path
        self.is_there = database.path != IN_MEMORY
        self.file = database.path if self.is_there else None
        self.member = ""
        self.entries = SqliteEntryRepository(database)
        self.triggers = SqliteTriggerSource(database)
        self.history = SqliteHistory(database)
        self.receipts = SqliteReceipts(database)
        self.deliveries = SqliteDeliveries(database)
        self.windows = SqliteContextWindows(database)
        self.influences = SqliteInfluences(database)
        self.usage = SqliteUsageLog(database)
        self.projects = SqliteProjects(database)
        self.proposals = SqliteProposals(database)
        self.metadata = SqliteMetadata(database)
        self.upkeep = SqliteUpkeep(database)

    @override
    def is_in_place(self) -> bool:
        return self.database.is_in_place()

    @override
    def is_current(self) -> bool:
        is_missing = not os.path.exists(os.path.join(self._folder, FILE_NAME))
        return self.database.is_in_place() if self.is_there else is_missing

    @override
    def counting(self) -> AbstractContextManager[None]:
        return self.database.counting()

    @override
    def close(self) -> None:
        from hardwon.adapters.sqlite.keyword_index import tidy_index  # hooks leave without closing
        from hardwon.adapters.sqlite.postings import pack_postings

        with contextlib.suppress(StorageError):  # the next process that closes it does it
            tidy_index(self.database)
            with self.database.waiting(0):  # only ever for speed
                pack_postings(self.database)
        self.database.close()

    @override
    def keywords(self, *, enabled: bool) -> KeywordIndex:
        return FtsKeywordIndex(self.database, enabled=enabled)

    @override
    def keywords_of_questions(self, *, enabled: bool) -> KeywordIndex:
        if enabled and is_available():
            return self.keywords(enabled=True)
        from hardwon.adapters.sqlite.scan import ScanKeywordIndex

        return ScanKeywordIndex(self.database)

    @override
    def vectors(
        self, space: Space, warn: Warn, kinds: tuple[Kind, ...], *, is_active: bool
    ) -> SqliteVectorStore:
        return SqliteVectorStore(
            self.database, space, warn, kinds=kinds, is_active=is_active, pack=self._blocks.pack
        )

    @override
    def vector_index(self, vectors: "VectorStore") -> "VectorIndex":
        if not isinstance(vectors, SqliteVectorStore):
            raise TypeError(f"{type(vectors).__name__} has no blocks")
        return self._blocks.index_of(vectors)

    @cached_property
    @override
    def absences(self) -> "Absences":
        from hardwon.adapters.sqlite.file_state import SqliteAbsences

        return SqliteAbsences(self.database)

    @cached_property
    @override
    def tombstones(self) -> "Tombstones":
        from hardwon.adapters.sqlite.file_state import SqliteTombstones

        return SqliteTombstones(self.database)

    @cached_property
    @override
    def ledger(self) -> "ImportLedger":
        from hardwon.adapters.sqlite.metadata import SqliteImportLedger

        return SqliteImportLedger(self.database)

    @override
    def registry(self, mode: TrustMode) -> Registry:
        return self.projects.registry(mode)

    @cached_property
    @override
    def overview(self) -> "Overview":
        from hardwon.adapters.sqlite.overview import SqliteOverview

        return SqliteOverview(self.database)

    @property
    @override
    def snapshots(self) -> "Snapshots":
        from hardwon.adapters.sqlite.snapshots import SqliteSnapshots

        return SqliteSnapshots(self.database)

    @cached_property
    @override
    def contents(self) -> "StoreContents":
        from hardwon.adapters.sqlite.contents import SqliteStoreContents

        return SqliteStoreContents(self.database)

    @cached_property
    @override
    def rows(self) -> "StoreRows":
        from hardwon.adapters.sqlite.erase_files import StoreRows

        return StoreRows(self.database)

    @cached_property
    @override
    def copies(self) -> "tuple[KeptElsewhere, ...]":
        return ()


class SqliteUpkeep(Upkeep):
    """Checks and repairs of a file of SQLite."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._doubtful: list[str] | None = None

    @override
    def size(self) -> int:
        return 0 if self._database.path == IN_MEMORY else size_of(self._database.path)

    @override
    def ensure_sound(self) -> None:
        from hardwon.adapters.sqlite.opening import ensure_sound

        path = self._database.path
        with self._reading_rows():
            ensure_sound(self._database)
        if path != IN_MEMORY and (wrong := problem_of(path)):
            raise StorageError(f"{path} can be read but not written: {wrong}")

    @contextlib.contextmanager
    def _reading_rows(self) -> "Iterator[None]":
        """Look for unreadable rows beside the check within, for `unreadable`."""
        if self._database.path == IN_MEMORY:
            yield
            return
        from concurrent.futures import ThreadPoolExecutor

        from hardwon.adapters.sqlite.unreadable import doubtful_tables

        with ThreadPoolExecutor(1) as pool:
            tables = pool.submit(doubtful_tables, self._database.path)
            yield
        with contextlib.suppress(StorageError):  # `unreadable` raises it
            self._doubtful = tables.result()

    @override
    def ensure_schema(self) -> int:
        from hardwon.adapters.sqlite.opening import drift_of
        from hardwon.adapters.sqlite.schema import NEWEST

        if differences := drift_of(self._database):
            raise StorageError(f"{'; '.join(differences)}; run: hardwon doctor --repair")
        return NEWEST

    @override
    def unreadable(self) -> list[str]:
        from hardwon.adapters.sqlite.unreadable import find_unreadable

        tables, self._doubtful = self._doubtful, None
        return [row.line for row in find_unreadable(self._database, tables)]

    @override
    def repair_rows(self) -> list[str]:
        from hardwon.adapters.sqlite.unreadable import repair_rows

        return repair_rows(self._database)

    @override
    def ensure_keyword_index(self) -> None:
        if not is_available():
            raise KeywordIndexUnavailableError(UNAVAILABLE)
        if not (is_intact(self._database) and has_lengths(self._database)):
            raise KeywordIndexUnavailableError(
                "it does not fit the entries, run: hardwon doctor --repair"
            )
        index, deadline = FtsKeywordIndex(self._database), Deadline(time.monotonic)
        index.match(["a"], "any", only=EVERYTHING, deadline=deadline)
        index.weigh(["a"], EVERYTHING, deadline)

    @override
    def has_keyword_index(self) -> bool:
        return is_available() and is_intact(self._database)

    @override
    def has_outdated_keywords(self) -> bool:
        return is_outdated(self._database)

    @override
    def refresh_keyword_index(self) -> int:
        from hardwon.adapters.sqlite.keyword_index import refresh_index

        return refresh_index(self._database)

    @override
    def rebuild_keyword_index(self) -> None:
        if is_available():
            rebuild_index(self._database)
            self.pack()

    @override
    def rebuild_vector_index(self, vectors: "VectorStore") -> None:
        if isinstance(vectors, SqliteVectorStore):
            vectors.rebuild_blocks()

    @override
    def pack(self) -> None:
        from hardwon.adapters.sqlite.postings import pack_postings

        pack_postings(self._database, most=None)

    @override
    def slow_searches(self) -> list[str]:
        return []
