"""The same store, once in memory and once for real: what the contracts run on."""

import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import attrs
import pytest

from hardwon.adapters.numpy_index.vector_index import EXACT_BLOCKS, NumpyVectorIndex
from hardwon.adapters.sqlite.activity import (
    SqliteContextWindows,
    SqliteDeliveries,
    SqliteHistory,
    SqliteInfluences,
    SqliteReceipts,
    SqliteUsageLog,
)
from hardwon.adapters.sqlite.database import FILE_NAME, SqliteDatabase
from hardwon.adapters.sqlite.entries import (
    SqliteEntryRepository,
    SqliteProposals,
    SqliteTriggerSource,
)
from hardwon.adapters.sqlite.file_state import SqliteAbsences, SqliteTombstones
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex
from hardwon.adapters.sqlite.metadata import SqliteImportLedger
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.overview import SqliteOverview
from hardwon.adapters.sqlite.projects import SqliteProjects
from hardwon.adapters.sqlite.scan import ScanKeywordIndex
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.domain.use_cases.edit_entries import ValidateEntry
from hardwon.ports.activity import (
    ContextWindows,
    Deliveries,
    History,
    Influences,
    Receipts,
    UsageLog,
)
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository, Proposals, RankingReads
from hardwon.ports.file_state import Absences, ImportLedger, Tombstones
from hardwon.ports.keyword_index import KeywordIndex, TriggerSource
from hardwon.ports.overview import Overview
from hardwon.ports.projects import Projects
from hardwon.ports.snapshots import Snapshots
from hardwon.ports.vectors import VectorIndex, VectorStore
from tests.fakes.activity import (
    InMemoryContextWindows,
    InMemoryDeliveries,
    InMemoryHistory,
    InMemoryInfluences,
    InMemoryReceipts,
    InMemoryUsageLog,
)
from tests.fakes.documents import InMemoryAbsences, InMemoryTombstones
from tests.fakes.entries import InMemoryEntryRepository, InMemoryProposals
from tests.fakes.knowledge_bank import InMemoryImportLedger
from tests.fakes.overview import InMemoryOverview
from tests.fakes.projects import InMemoryProjects
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryTriggerSource, InMemoryVectorIndex
from tests.fakes.snapshots import InMemorySnapshots
from tests.fakes.state import State
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import SPACE

ALL = 1_000
IN_TIME = Deadline(lambda: 0.0)


class Entries(EntryRepository, RankingReads, Protocol):
    """The entries in both of their roles."""


@attrs.frozen(kw_only=True)
class World:
    """All ports of one store."""

    repository: Entries
    keywords: KeywordIndex
    vectors: VectorStore
    index: VectorIndex
    ledger: ImportLedger
    usage: UsageLog
    history: History
    triggers: TriggerSource
    snapshots: Snapshots
    tombstones: Tombstones
    absences: Absences
    receipts: Receipts
    deliveries: Deliveries
    windows: ContextWindows
    influences: Influences
    projects: Projects
    proposals: Proposals
    overview: Overview
    store_of: Callable[[Space, tuple[Kind, ...]], VectorStore]

    def vectors_of(self, space: Space = SPACE, kinds: tuple[Kind, ...] = KINDS) -> VectorStore:
        """Return the vectors of another space, or of some kinds only."""
        return self.store_of(space, kinds)

    def validate_entry(self, clock: Clock) -> ValidateEntry:
        """Return the use case that counts judgements."""
        return ValidateEntry(
            repository=self.repository,
            usage=self.usage,
            history=self.history,
            receipts=self.receipts,
            influences=self.influences,
            clock=clock,
        )

    def numbers(self) -> dict[str, int]:
        """Return the store's number of each entry, by id."""
        return {facts.entry_id: facts.number for facts in self.repository.facts(range(ALL))}

    def add(self, *entries: Entry) -> list[int]:
        """Put *entries* and return their numbers."""
        for entry in entries:
            self.repository.put(entry)
        numbers = self.numbers()
        return [numbers[entry.entry_id] for entry in entries]

    def embed(self, entry: Entry, vector: Vector) -> None:
        """Store the vector of an entry that waits for one."""
        self.embed_all({self.numbers()[entry.entry_id]: vector})

    def embed_all(self, vectors: Mapping[int, Vector]) -> None:
        """Store the vectors of those numbers that wait for one."""
        self.vectors.put(
            (text, vectors[text.number])
            for text in self.vectors.pending(ALL)
            if text.number in vectors
        )


MAX_ABSENT = 2
"""So few, that a test reaches the bound."""


def world_in_memory() -> World:
    state = State()
    vectors, receipts = InMemoryVectorStore(state), InMemoryReceipts(state=state)
    return World(
        repository=InMemoryEntryRepository(state),
        keywords=InMemoryKeywordIndex(state),
        vectors=vectors,
        index=InMemoryVectorIndex(vectors),
        ledger=InMemoryImportLedger(),
        usage=InMemoryUsageLog(state),
        history=InMemoryHistory(state),
        triggers=InMemoryTriggerSource(state),
        snapshots=InMemorySnapshots(state),
        tombstones=InMemoryTombstones(state),
        absences=InMemoryAbsences(state, MAX_ABSENT),
        receipts=receipts,
        deliveries=InMemoryDeliveries(receipts, state),
        windows=InMemoryContextWindows(receipts),
        influences=InMemoryInfluences(state, receipts),
        projects=InMemoryProjects(state),
        proposals=InMemoryProposals(state),
        overview=InMemoryOverview(state, receipts),
        store_of=lambda space, kinds: InMemoryVectorStore(state, space, kinds),
    )


def world_of(database: SqliteDatabase, exact_blocks: int = EXACT_BLOCKS) -> World:
    vectors = SqliteVectorStore(database, SPACE, pytest.fail)
    return World(
        repository=SqliteEntryRepository(database),
        keywords=FtsKeywordIndex(database),
        vectors=vectors,
        index=NumpyVectorIndex(vectors, exact_blocks),
        ledger=SqliteImportLedger(database),
        usage=SqliteUsageLog(database),
        history=SqliteHistory(database),
        triggers=SqliteTriggerSource(database),
        snapshots=SqliteSnapshots(database),
        tombstones=SqliteTombstones(database),
        absences=SqliteAbsences(database, MAX_ABSENT),
        receipts=SqliteReceipts(database),
        deliveries=SqliteDeliveries(database),
        windows=SqliteContextWindows(database),
        influences=SqliteInfluences(database),
        projects=SqliteProjects(database),
        proposals=SqliteProposals(database),
        overview=SqliteOverview(database),
        store_of=lambda space, kinds: SqliteVectorStore(database, space, pytest.fail, kinds=kinds),
    )


@contextmanager
def in_memory() -> Iterator[World]:
    yield world_in_memory()


@functools.cache
def _new_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        open_store(folder).close()
        return Path(folder, FILE_NAME).read_bytes()


def open_new_store(folder: str) -> SqliteDatabase:
    """Open a new store in *folder*, copied from the first one made: that takes a fifth of the time of creating its tables."""
    Path(folder, FILE_NAME).write_bytes(_new_store())
    return open_store(folder)


@contextmanager
def _new_database() -> Iterator[SqliteDatabase]:
    with tempfile.TemporaryDirectory() as folder, closing(open_new_store(folder)) as database:
        yield database


@contextmanager
def sqlite() -> Iterator[World]:
    with _new_database() as database:
        yield world_of(database)


@contextmanager
def sqlite_without_fts5() -> Iterator[World]:
    with _new_database() as database:
        yield attrs.evolve(world_of(database), keywords=ScanKeywordIndex(database))


@contextmanager
def sqlite_by_signs() -> Iterator[World]:
    """Compare vectors as in a store that is too large to read every code."""
    with _new_database() as database:
        yield world_of(database, exact_blocks=0)


@contextmanager
def postgres() -> Iterator[World]:
    from hardwon.adapters.postgres.database import PostgresDatabase
    from tests.postgres_server import member
    from tests.postgres_server import world_of as world_on

    with member() as address, closing(PostgresDatabase(address)) as database:
        yield world_on(database)


def put_and_fail(world: World, *entries: Entry) -> None:
    """Put *entries* in a transaction that fails: LookupError."""
    with world.repository.transaction():
        for entry in entries:
            world.repository.put(entry)
        raise LookupError


MakeWorld: TypeAlias = Callable[[], AbstractContextManager[World]]

IMPLEMENTATIONS: dict[str, MakeWorld] = {"in memory": in_memory, "SQLite and numpy": sqlite}
ON_POSTGRES = pytest.param(postgres, id="PostgreSQL", marks=pytest.mark.postgres)


def _on(worlds: Mapping[str, MakeWorld]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "make", [*(pytest.param(make, id=name) for name, make in worlds.items()), ON_POSTGRES]
    )


on_every_keyword_index = _on({**IMPLEMENTATIONS, "without FTS5": sqlite_without_fts5})

on_every_vector_index = _on({**IMPLEMENTATIONS, "by signs": sqlite_by_signs})

on_every_implementation = _on(IMPLEMENTATIONS)
