"""Fixtures of the SQLite adapter's tests, and its checkpoints."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.entry import Entry
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.fakes.clock import FixedClock
from tests.strategies import DAY, NOW

Sql: TypeAlias = Callable[..., list[tuple[Any, ...]]]

FULL = Entry(
    name="Backoff",
    description="Retry with a backoff.",
    reasoning="It took a day.",
    notes="- Observed in: Feature #12",
    category="patterns",
    keywords=("retry", "café"),
    references=("src/a.py", 'it\'s "quoted"'),
    observation_count=3,
    confidence="high",
    created_at=NOW - 2 * DAY,
    updated_at=NOW - DAY,
    source="retro",
    source_project="here",
)


@contextlib.contextmanager
def opened(folder: Path, *, repair_index: bool = True) -> Iterator[SqliteDatabase]:
    database = open_store(str(folder), repair_index=repair_index)
    try:
        yield database
    finally:
        database.close()


def dump(folder: Path) -> list[object]:
    connection = sqlite3.connect(folder / "memory.db")
    try:
        rows = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY name"
        ).fetchall()
        return [*rows, *connection.execute("SELECT * FROM _metadata ORDER BY key").fetchall()]
    finally:
        connection.close()


EVERY_ENTRY = Contents("all", "here")
DOCUMENTS = Contents("documents", "here")


def checkpoints_of(database: SqliteDatabase) -> Checkpoints:
    return Checkpoints(snapshots=SqliteSnapshots(database), clock=FixedClock())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def dumped(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def state(folder: Path) -> tuple[list[str], list[str]]:
    """Return all that the store's file holds, and the names of its snapshots."""
    return dumped(folder / "memory.db"), names(folder / "checkpoints")
