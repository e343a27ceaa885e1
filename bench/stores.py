"""Stores full of synthetic entries and vectors, filled through the adapters."""

import os
import time
from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bench.texts import NOW, SEED, Writer
from hardwon.adapters.numpy_index.vector_index import pack_block
from hardwon.adapters.sqlite.activity import SqliteUsageLog
from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING

SESSIONS = 100
RECALLED = 20


class Store(NamedTuple):
    """A filled store: where it is, how many entries it has, and how long it took to fill."""

    folder: str
    entries: int
    build_seconds: float


def build_store(folder: str, entries: int, space: Space) -> Store:
    """Fill a new store in *folder* with learnings that have a random vector each; 100 sessions recalled some."""
    started = time.perf_counter()
    database = open_store(folder)
    _add_entries(SqliteEntryRepository(database), SqliteUsageLog(database), entries)
    add_vectors(database, space)
    database.close()
    return Store(folder, entries, time.perf_counter() - started)


def add_vectors(database: Database, space: Space) -> None:
    """Give every entry without one a random vector of *space*."""
    store = SqliteVectorStore(database, space, _refuse, pack=pack_block)
    pending = store.pending(store.count_pending(EVERYTHING))
    store.put(zip(pending, unit_vectors(len(pending), space.dimensions), strict=True))
    store.rebuild_blocks()


def unit_vectors(count: int, dimensions: int) -> Iterator[Vector]:
    """Yield the same *count* random directions every time."""
    generator = np.random.default_rng(SEED)
    for _ in range(count):
        values = generator.standard_normal(dimensions)
        yield array("f", (values / np.linalg.norm(values)).astype(np.float32).tobytes())


def _add_entries(repository: SqliteEntryRepository, usage: SqliteUsageLog, count: int) -> None:
    writer = Writer()
    with repository.transaction():
        for _ in range(count):
            repository.put(writer.entry())
        seqs = [facts.seq for facts in repository.newest_by_track_record(count)]
        for _ in range(SESSIONS):
            usage.record_recall(writer.some(seqs, RECALLED), NOW)


def _refuse(warning: str) -> None:
    raise ValueError(f"{os.path.basename(__file__)} built an unusable store: {warning}")
