"""Drift of a store's schema is found by name, and repaired without losing a row."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.sqlite.database import transaction, unenforced_foreign_keys
from hardwon.adapters.sqlite.drift import drift, expected_schema, normalised, repair, schema_of
from hardwon.adapters.sqlite.opening import repair_store
from hardwon.adapters.sqlite.schema import NEWEST
from tests.adapters.sqlite.earlier_stores import (
    LESSON,
    SECTION,
    STORES,
    content,
    unpack,
    version_of,
)
from tests.adapters.sqlite.sqlite_store import opened

HEALTHY = next(store for store in STORES if version_of(store) == 6 and store.stem.count("-") == 1)
VERSION = 6

DRIFTS = {
    "DROP TABLE departed": ["index departed_by_hash is missing", "table departed is missing"],
    "DROP INDEX entry_newest": ["index entry_newest is missing"],
    "DROP INDEX entry_newest; CREATE INDEX entry_newest ON entry (kind)": [
        "index entry_newest is defined in another way"
    ],
    "DROP VIEW memories": ["view memories is missing"],
    "DROP VIEW memories; CREATE VIEW memories AS SELECT 1 AS id": [
        "view memories lacks the column text, embedding, type, project, workspace, branch, timestamp, source_file, permanent"
    ],
    "ALTER TABLE receipt_entry DROP COLUMN room": ["table receipt_entry lacks the column room"],
    "DROP VIEW memories; DROP VIEW memory_index; DROP VIEW entries; ALTER TABLE entry DROP COLUMN content_hash": [
        "table entry lacks the column content_hash",
        *(f"view {view} is missing" for view in ("entries", "memories", "memory_index")),
    ],
}


@pytest.fixture
def path(folder: Path) -> Path:
    return unpack(HEALTHY, folder)


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


def repaired(connection: sqlite3.Connection) -> None:
    with unenforced_foreign_keys(connection), transaction(connection):
        repair(connection, VERSION)


def test_a_store_that_did_not_drift_is_left_as_it_is(
    connection: sqlite3.Connection, path: Path
) -> None:
    before, data = content(path), path.read_bytes()
    assert drift(connection, VERSION) == []
    repaired(connection)

    assert (content(path), path.read_bytes()) == (before, data)


@pytest.mark.parametrize("change", DRIFTS)
def test_each_difference_is_named_and_repaired(
    connection: sqlite3.Connection, path: Path, change: str
) -> None:
    before = {row for row in content(path) if row[0] != "departed"}
    connection.executescript(f"{change};")
    assert sorted(drift(connection, VERSION)) == sorted(DRIFTS[change])
    repaired(connection)

    assert drift(connection, VERSION) == []
    rows = {row for row in content(path) if row[0] not in {"departed", "table", "index", "view"}}
    assert rows == {row for row in before if row[0] not in {"table", "index", "view"}}


def test_a_table_that_others_refer_to_is_rebuilt_with_their_rows(
    connection: sqlite3.Connection,
) -> None:
    """An enforced foreign key would delete the texts with the entries."""
    connection.executescript("DROP INDEX entry_by_tier; PRAGMA writable_schema = ON;")
    connection.execute(
        "UPDATE sqlite_master SET sql = replace(sql, '''low'', ', '') WHERE name = 'entry'"
    )
    connection.execute("PRAGMA writable_schema = RESET")
    assert drift(connection, VERSION) == [
        "index entry_by_tier is missing",
        "table entry is defined in another way",
    ]
    repaired(connection)

    assert drift(connection, VERSION) == []
    assert connection.execute("SELECT entry_seq FROM entry_text ORDER BY 1").fetchall() == [
        (LESSON,),
        (SECTION,),
    ]
    assert connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'entry'"
    ).fetchall() == [(12,)]
    assert connection.execute("PRAGMA foreign_keys").fetchall() == [(1,)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("ALTER TABLE recall ADD COLUMN mine TEXT", "table recall has an unknown column mine"),
        (
            "ALTER TABLE recall ADD COLUMN mine TEXT; ALTER TABLE recall DROP COLUMN last_recalled_at",
            "table recall lacks the column last_recalled_at and has an unknown column mine",
        ),
        (
            "DROP INDEX entry_text_by_file; UPDATE entry_text SET file_path = 'a', anchor_id = ''",
            "index entry_text_by_file is missing",
        ),
    ],
    ids=["unknown column", "unknown and missing column", "rows that break a rule"],
)
def test_differences_stay_where_a_repair_would_lose_rows_or_values(
    connection: sqlite3.Connection, path: Path, change: str, finding: str
) -> None:
    connection.executescript(
        f"{'DROP VIEW entries;' if 'DROP COLUMN' in change else ''}{change}; DROP VIEW IF EXISTS memory_history;"
    )
    before = {row for row in content(path) if row[0] not in {"index", "view"}}
    repaired(connection)

    assert drift(connection, VERSION) == [finding]
    assert {row for row in content(path) if row[0] not in {"index", "view"}} == before


def test_objects_that_no_migration_makes_are_no_drift(connection: sqlite3.Connection) -> None:
    connection.executescript(
        "CREATE TABLE mine (x); CREATE INDEX mine_too ON entry (words); ANALYZE;"
    )

    assert drift(connection, VERSION) == []


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ('CREATE TABLE "a" (x  TEXT)', "CREATE TABLE a(x TEXT)", True),
        ("CHECK (x IN ('a'))", "CHECK (x IN ('b'))", False),
        ("CHECK (x IN ('a b'))", "CHECK (x IN ('a  b'))", False),
        ("x TEXT", "x TEXT NOT NULL", False),
    ],
)
def test_definitions_are_compared_by_their_tokens(one: str, other: str, are_same: bool) -> None:  # noqa: FBT001
    assert (normalised(one) == normalised(other)) == are_same


def test_the_expected_schema_is_that_of_a_new_store(folder: Path) -> None:
    with opened(folder) as database:
        assert schema_of(database.connection) == expected_schema(NEWEST)


def test_a_store_of_todays_version_is_repaired_and_says_what(folder: Path) -> None:
    with opened(folder) as database:
        database.rows("DROP INDEX entry_newest")
        database.rows("ALTER TABLE recall ADD COLUMN mine TEXT")

    repaired_and_left = (
        ["index entry_newest is missing"],
        ["table recall has an unknown column mine"],
    )
    assert repair_store(str(folder)) == repaired_and_left
    assert repair_store(str(folder)) == ([], repaired_and_left[1])


def test_there_is_nothing_to_repair_without_a_store_or_in_one_of_another_version(
    folder: Path,
) -> None:
    assert repair_store(str(folder)) == ([], [])
    assert not folder.exists()
    with opened(folder) as database:
        database.rows("UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")
        database.rows("DROP INDEX entry_newest")
    assert repair_store(str(folder)) == ([], [])


def test_a_repairing_that_fails_changes_nothing(connection: sqlite3.Connection, path: Path) -> None:
    connection.executescript("DROP INDEX entry_newest; DROP TABLE departed;")
    before = content(path)

    def fail(action: int, *_: Any) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_CREATE_INDEX else sqlite3.SQLITE_OK

    connection.set_authorizer(fail)
    with pytest.raises(sqlite3.DatabaseError):
        repaired(connection)
    connection.set_authorizer(None)
    assert content(path) == before
