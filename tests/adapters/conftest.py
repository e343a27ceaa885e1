"""A store in a folder of its own, and plain SQL on its file."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.adapters.sqlite.sqlite_store import Sql, checkpoints_of
from tests.contracts.worlds import World, open_new_store, world_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store"


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    folder.mkdir(mode=0o700, parents=True)
    opened = open_new_store(str(folder))
    yield opened
    opened.close()


@pytest.fixture
def world(database: SqliteDatabase) -> World:
    return world_of(database)


@pytest.fixture
def checkpoints(database: SqliteDatabase) -> Checkpoints:
    return checkpoints_of(database)


@pytest.fixture
def sql(folder: Path, database: SqliteDatabase) -> Iterator[Sql]:
    """Run SQL on the file as an outsider would, without the product's functions."""
    assert database
    connection = sqlite3.connect(folder / "memory.db", isolation_level=None)
    yield lambda statement, *parameters: connection.execute(statement, parameters).fetchall()
    connection.close()
