"""Checkpoints of a real store, and what lies in its folder."""

import contextlib
import sqlite3
from pathlib import Path

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.fakes.clock import FixedClock

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
