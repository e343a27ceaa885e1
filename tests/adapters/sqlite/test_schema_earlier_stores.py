"""A store of every earlier commit that changed the schema opens with today's program, with all its rows."""

import functools
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.adapters.sqlite import migrations, schema
from hardwon.adapters.sqlite.drift import DERIVED, drift
from hardwon.adapters.sqlite.opening import drift_of, repair_store
from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry
from tests.adapters.sqlite.earlier_stores import (
    LESSON,
    NEXT_NUMBER,
    SECTION,
    STORES,
    content,
    rows,
    tables,
    unpack,
    version_of,
)
from tests.adapters.sqlite.sqlite_store import opened
from tests.contracts.worlds import world_of
from tests.strategies import NOW, lesson

RECEIPT = Receipt(
    "s-2",
    "start",
    NOW,
    "here",
    None,
    None,
    "hybrid",
    "d",
    ("", ""),
    (ReceiptEntry("e", "lesson", "d"),),
)
CHANGED = {("_metadata", "value"), ("receipt_entry", "form"), ("entry", "created_at_epoch")} | {
    ("entry", "project"),
    ("entry", "workspace"),
    ("checkpoints", "metadata"),
}
"""Columns whose values today's program may change."""

NOT_A_ROW = {"_metadata": {"content_version", "keyword_index_stale", "keyword_index_version"}}


pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture(params=STORES, ids=lambda store: store.stem)
def store(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@functools.cache
def migrated(store: Path) -> dict[str, bytes]:
    """Return the files of a store that was opened, and repaired if current."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(store, Path(folder))
        if version_of(store) == NEWEST:
            repair_store(folder)
        with opened(Path(folder)):
            pass
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def path(store: Path, folder: Path) -> Path:
    """Return the file of an earlier store that was opened before."""
    folder.mkdir(parents=True)
    for name, data in migrated(store).items():
        (folder / name).write_bytes(data)
    return folder / "memory.db"


def test_every_version_has_a_store() -> None:
    assert {version_of(store) for store in STORES} >= set(range(1, NEWEST))


@pytest.mark.usefixtures("path")
def test_it_gets_the_schema_of_a_new_store(folder: Path) -> None:
    with opened(folder) as database:
        assert drift_of(database) == []
        assert database.rows("PRAGMA foreign_key_check") == []
        assert database.rows("PRAGMA integrity_check") == [("ok",)]


def test_its_rows_stay(store: Path, path: Path, tmp_path: Path) -> None:
    before = unpack(store, tmp_path / "before")
    now = tables(path)
    for table, columns in tables(before).items():
        if table in DERIVED and version_of(store) < NEWEST:
            continue
        kept = [
            column for column in columns if column in now[table] and (table, column) not in CHANGED
        ]
        assert kept
        found, wanted = (
            {row for row in rows(file, table, kept) if row[0] not in NOT_A_ROW.get(table, ())}
            for file in (path, before)
        )
        assert found == wanted, table


LATER_PARTS = (
    "INSERT INTO project (id, key, label, root, is_repository, device, inode) VALUES ('p', '/p', 'p', '/p', 0, 0, 0)",
    "UPDATE project SET conversations = 'off'",
    f"INSERT INTO entry_alias (entry_seq, old_id) VALUES ({LESSON}, 'fedcba9876543210')",
    "INSERT INTO forgotten (tag, owner, at) VALUES (x'01', x'02', 'then')",
    "UPDATE receipt SET delivery = 'delivered'",
    f"UPDATE entry SET superseded_by = 'another' WHERE seq = {LESSON}",
    f"INSERT INTO proposal (older_seq, newer_seq, probability) VALUES ({LESSON}, {SECTION}, 0.7)",
    "UPDATE receipt SET agent = 'reviewer', dropped = 1, latest = 7",
    "UPDATE receipt SET signature = 'KeyError: <n>'",
    "UPDATE receipt SET outcome = '[2, 0, true, false]'",
    "UPDATE receipt_entry SET is_rejected = 1",
    "UPDATE receipt SET arm = 'shown'",
)
"""Values in columns and tables of versions 8 to 21. Version 22 has indexes alone."""

TALLIED = [("", -2), ("document", 1), ("learning", 1)]


@pytest.mark.parametrize("version", range(7, NEWEST))
def test_parts_of_later_versions_that_it_has_already_stay(version: int, folder: Path) -> None:
    """As in a store of a branch that numbered its migrations in another order."""
    path = unpack(next(store for store in STORES if version_of(store) == NEWEST - 1), folder)
    with opened(folder) as database:
        for statement in LATER_PARTS:
            database.rows(statement)
        database.rows(
            "UPDATE _metadata SET value = ? WHERE key = 'schema_version'", (str(version),)
        )
    before = {
        table: rows(path, table, columns)
        for table, columns in tables(path).items()
        if table not in DERIVED
    }
    with opened(folder) as database:
        assert drift_of(database) == []
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        assert database.rows("SELECT kind, entries FROM entry_tally ORDER BY kind") == TALLIED
    after = {
        table: rows(path, table, columns)
        for table, columns in tables(path).items()
        if table not in DERIVED
    }

    assert {table for table in before if before[table] != after[table]} == {"_metadata"}


@pytest.mark.usefixtures("path")
def test_it_counts_recalls_and_keeps_receipts(folder: Path) -> None:
    with opened(folder) as database:
        world = world_of(database)
        world.usage.record_recall([LESSON], NOW)
        world.receipts.record(RECEIPT)

        assert database.rows("SELECT recall_count FROM recall WHERE entry_seq = ?", (LESSON,)) == [
            (8,)
        ]
        assert [receipt.shown for receipt in world.receipts.newest(session_id="s-2", limit=1)] == [
            RECEIPT.shown
        ]


@pytest.mark.usefixtures("path")
def test_its_receipts_are_read(store: Path, folder: Path) -> None:
    expected = (
        [("lesson", 0), ("note", 0)] if "INSERT INTO receipt_entry " in store.read_text() else []
    )
    with opened(folder) as database:
        receipts = world_of(database).receipts.newest(session_id="s-1", limit=2)

    assert [(shown.form, shown.room) for receipt in receipts for shown in receipt.shown] == expected


@pytest.mark.usefixtures("path")
def test_a_new_entry_gets_a_number_that_was_never_given(folder: Path) -> None:
    with opened(folder) as database:
        assert world_of(database).add(lesson("another")) == [NEXT_NUMBER]


@pytest.mark.usefixtures("path")
def test_its_words_are_found(folder: Path) -> None:
    with opened(folder) as database:
        for word, found in (("backoff", LESSON), ("section", SECTION)):
            query = "SELECT rowid FROM entries_fts WHERE entries_fts MATCH ?"
            assert database.rows(query, (word,)) == [(found,)]


@pytest.mark.usefixtures("path")
def test_a_copy_of_what_it_was_is_kept_beside_it(store: Path, folder: Path, tmp_path: Path) -> None:
    before = content(unpack(store, tmp_path / "before"))
    copy = folder / f"memory.db.v{version_of(store)}"

    assert copy.exists() == (version_of(store) < NEWEST)
    if copy.exists():
        assert content(copy) == before


def test_the_next_migration_repairs_what_had_drifted(
    store: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stores of today's version may have drifted too, as the program that migrated them kept what it found."""
    with opened(tmp_path / "new") as new:
        expected = new.rows(
            "SELECT name FROM sqlite_master WHERE name NOT GLOB '*_fts*' ORDER BY name"
        )
    monkeypatch.setattr(schema, "NEWEST", NEWEST + 1)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, lambda _: None))
    path = unpack(store, folder)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        schema.migrate(connection)
        assert drift(connection, NEWEST) == []
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE name NOT GLOB '*_fts*' ORDER BY name"
        )
        assert names.fetchall() == expected
