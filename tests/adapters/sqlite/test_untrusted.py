"""Limits of databases that others may have made."""

import contextlib
import os
import sqlite3
import time
from pathlib import Path

import pytest

from hardwon.adapters.sqlite import copies, untrusted
from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.untrusted import (
    UntrustedDatabase,
    refuse_other_than_table,
    schema_objects,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError

ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS i FROM n"
)
SLOW = "SELECT count(*) FROM t a, t b, t c, t d, t e"
NEVER = Deadline(time.monotonic)
MOST = 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"CREATE TABLE t (x); CREATE VIEW v AS {ENDLESS}; CREATE INDEX by_x ON t (x)"
        )
        connection.executemany("INSERT INTO t VALUES (?)", [("a" * 100,)] * 200)
        connection.commit()
    return path


def opened(
    path: Path, deadline: Deadline = NEVER, longest: int = MOST
) -> "contextlib.closing[UntrustedDatabase]":
    return contextlib.closing(UntrustedDatabase(str(path), deadline, MOST, longest))


def test_a_table_is_read_and_nothing_is_written(path: Path) -> None:
    before = path.read_bytes()
    with opened(path) as database:
        assert database.value("SELECT count(*) FROM t") == 200
        with pytest.raises(StorageError):
            database.rows("DELETE FROM t")
    assert (path.read_bytes(), os.listdir(path.parent)) == (before, [path.name])


@pytest.mark.parametrize("sql", ["SELECT i FROM v", ENDLESS, "ATTACH ':memory:' AS other"])
def test_views_recursion_and_other_files_are_refused(path: Path, sql: str) -> None:
    with opened(path) as database, pytest.raises(StorageError, match=r"not authorized|prohibited"):
        database.rows(sql)


def test_a_statement_ends_at_the_deadline(path: Path) -> None:
    soon = Deadline.after(0.2, time.monotonic)
    with (
        opened(path, soon) as database,
        pytest.raises(StorageError, match="interrupted, as it took too long"),
    ):
        database.rows(SLOW)


def test_a_value_is_read_up_to_its_limit(path: Path) -> None:
    with opened(path, longest=100_000) as database:
        assert database.value("SELECT length(hex(zeroblob(40000)))") == 80_000
        with pytest.raises(StorageError, match="too big; a single value"):
            database.value("SELECT length(hex(zeroblob(60000)))")


def test_a_file_and_its_log_are_limited_together(path: Path) -> None:
    most = path.stat().st_size
    UntrustedDatabase(str(path), NEVER, most).close()
    Path(f"{path}-wal").write_bytes(b"x")
    with pytest.raises(StorageError, match="larger than"):
        UntrustedDatabase(str(path), NEVER, most)


def test_a_file_that_is_replaced_while_it_is_opened_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = path.with_name("other.db")
    other.write_bytes(path.read_bytes())

    def restrict(*_: object) -> None:
        path.rename(path.with_name("aside.db"))
        path.symlink_to(other)

    monkeypatch.setattr(untrusted, "restrict", restrict)
    with pytest.raises(StorageError, match="replaced while it was opened"):
        UntrustedDatabase(str(path), NEVER, MOST)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW t AS SELECT 1",
        "CREATE TABLE other (x)",
        "CREATE/**/TABLE t (x)",
        "CREATE VIEW /* CREATE TABLE t */ t AS SELECT 1",
    ],
)
def test_a_schema_that_says_something_else_than_its_statements_is_refused(
    path: Path, sql: str
) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 't'", (sql,))
        connection.commit()

    with pytest.raises(StorageError, match=r"tampered with|malformed"), opened(path) as database:
        schema_objects(database)


@pytest.mark.parametrize("name", ["t", "a b", 'q"uote', "new [x"])
def test_names_are_read_as_they_were_written(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    with contextlib.closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.executescript(f"CREATE TABLE x (y UNIQUE); ALTER TABLE x RENAME TO {quoted}")
    with opened(tmp_path / "x.db") as database:
        objects = schema_objects(database)
        assert [(item.kind, item.name) for item in objects] == [("TABLE", name)]
        refuse_other_than_table(database, objects, name)


def test_a_restore_ends_at_its_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hardwon.adapters.sqlite.opening import open_store

    with contextlib.closing(open_store(str(tmp_path))) as store:
        store.rows("PRAGMA journal_mode = DELETE")
    path = str(tmp_path / "memory.db")
    with opened_copy(path) as copy:
        assert isinstance(copy, SqliteDatabase)
    for seconds in (0.0, 1.0):
        monkeypatch.setattr(copies, "RESTORE_SECONDS", seconds)
        monkeypatch.setattr(copies, "SECONDS_PER_MEGABYTE", 0.0)
        with (
            pytest.raises(StorageError, match="reading it takes too long; nothing was changed"),
            opened_copy(path) as copy,
        ):
            copy.rows(ENDLESS)
