"""A value that can't be read, in each column of each table: it costs its row, is named by doctor, and is repaired."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon.adapters.sqlite import unreadable
from hardwon.adapters.sqlite.damage import damage_of
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.adapters.sqlite.store import SqliteUpkeep
from hardwon.adapters.sqlite.unreadable import doubtful_tables, find_unreadable
from tests.entrypoints.hook_process import Original, World
from tests.entrypoints.programs import VALID, hardwon, run
from tests.entrypoints.sessions import block_of
from tests.fakes.doors import copy_of_model

LESSONS = 7
AT = "2026-11-01T10:00:00.000000+00:00"
ROWS = (
    "INSERT INTO history (memory_id, field_changed, old_value, new_value, changed_at) VALUES (1, 'name', 'a', 'b', :at)",
    "INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count) VALUES (1, 3, :at, 2, 1)",
    "INSERT INTO influence (entry_seq, session_id, how, phrase, at) VALUES (1, 's', 'answer', 'words', :at)",
    "INSERT INTO tombstone (file_path, anchor_id, file_hash, buried_at) VALUES ('/gone.md', 'a', 'h', :at)",
    (
        "INSERT INTO departed (file_path, file_hash, name, tier, importance_weight, permanent, trigger_phrases, keywords, tags,"
        " created_at, access_count, last_accessed, validation_count, useful_count, departed_at)"
        " VALUES ('/left.md', 'h', 'n', 'normal', 0.5, 0, '[]', '[]', '[]', :at, 1, :at, 1, 1, :at)"
    ),
    (
        "INSERT INTO checkpoints (name, description, created_at, memory_count, snapshot_path, metadata)"
        " VALUES ('before', 'd', :at, 7, '/no/such/file.db', json_object('scope', 'all', 'project', ''))"
    ),
    "INSERT INTO posting_block (block, lengths) VALUES (0, x'00')",
    "INSERT INTO posting (block, term, packed) VALUES (0, x'61', x'00')",
    "INSERT INTO trusted_folder (path) VALUES ('/srv/trusted')",
    "INSERT INTO entry_place (entry_seq, project) SELECT 1, id FROM project LIMIT 1",
    "INSERT INTO entry_alias (entry_seq, old_id) VALUES (1, '0123456789abcdef')",
    "INSERT INTO proposal (older_seq, newer_seq, probability) VALUES (1, 2, 0.95)",
    "INSERT INTO forgotten (tag, owner, at) VALUES (x'00', x'01', :at)",
)
"""Rows of the tables that a session start leaves empty."""

REPAIRED = ("category", "reasoning", "last_recalled_at")

BAD = {
    "not UTF-8": "CAST(x'61ff62' AS TEXT)",
    "a number": "12345",
    "a huge number": "9223372036854775807",
    "a word": "'no such value'",
    "a blob": "x'00ff'",
    "missing": "NULL",
    "a flipped bit": "CAST(x'b2' || substr(CAST({column} AS BLOB), 2) AS TEXT)",
}


class Column(NamedTuple):
    """A column of the store."""

    table: str
    name: str


def all_columns() -> Iterator[Column]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        for step in MIGRATIONS:
            step(model)
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts*'"
        for (table,) in model.execute(tables).fetchall():
            for (name,) in model.execute(
                "SELECT name FROM pragma_table_info(?)", (table,)
            ).fetchall():
                yield Column(table, name)


@pytest.fixture(scope="module")
def full(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world whose store has rows in every table."""
    with contextlib.ExitStack() as cleanup:
        world = original.copy(tmp_path_factory.mktemp("full") / "world", cleanup, embedded=True)
        world.hook()
        with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as store:
            for sql in ROWS:
                store.execute(sql, {"at": AT} if ":at" in sql else {})
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for table in {column.table for column in all_columns()}:
                assert store.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall(), table
        yield world


def copied(full: World, folder: Path, cleanup: contextlib.ExitStack) -> World:
    world = World(folder, cleanup)
    world.project.rmdir()
    world.project = full.project
    world.store.mkdir()
    world.database.write_bytes(full.database.read_bytes())
    return world


def spoil(world: World, column: Column, value: str) -> bool:
    """Put a bad value into one row, and return whether SQLite let it in."""
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as store:
        store.execute("PRAGMA ignore_check_constraints = ON")
        name = f'"{column.name}"'
        if column.table == "_metadata":
            row = "key NOT IN ('schema_version')"
        else:
            of_table = store.execute(
                "SELECT name FROM pragma_table_info(?) WHERE pk", (column.table,)
            )
            keys = ", ".join(f'"{key}"' for (key,) in of_table) or "rowid"
            row = f"({keys}) = (SELECT {keys} FROM {column.table} ORDER BY {keys} LIMIT 1)"
        sql = (
            f"UPDATE OR IGNORE {column.table} SET {name} = {value.format(column=name)} WHERE {row}"
        )
        with contextlib.suppress(sqlite3.IntegrityError):  # NOT NULL binds also where checks don't
            return store.execute(sql).rowcount > 0
    return False


STORE_READERS = (
    ("list",),
    ("recall", "line", "by", "line"),
    ("why",),
    ("show", "7"),
    ("stats",),
    ("context",),
    ("checkpoint", "list"),
    ("project", "list"),
)


def ensure_answered(world: World) -> None:
    """Run a session start and commands: the other rows are answered from, and no error is unforeseen."""
    started = world.hook()
    assert block_of(started.stdout).state == "active", started.stderr
    assert len(block_of(started.stdout).headings) >= LESSONS - 1
    for arguments in STORE_READERS:
        ran = hardwon(world, *arguments)
        assert ran.code == 0, ran.stderr
        assert "Traceback" not in ran.stderr
    assert len(hardwon(world, "list", "--json").items) >= LESSONS - 1


def ensure_repaired(world: World) -> None:
    """Run doctor, which names the row unless the value is one that could be right, then repair it."""
    named = hardwon(world, "doctor")
    repaired = hardwon(world, "doctor", "--repair")
    assert repaired.code == 0, repaired.stdout
    assert named.code == 0 or "can't be read" in named.stdout
    assert len(hardwon(world, "list", "--json").items) >= LESSONS - 1


SHOWN = [
    column
    for column in all_columns()
    if column.table in {"entry", "entry_text", "recall", "project"}
]
MOVED = Column("entry", "seq"), Column("entry_text", "entry_seq")
"""Another number there is no value that can't be read: the row is another entry's."""


@pytest.mark.parametrize("column", SHOWN, ids="{0.table}.{0.name}".format)
def test_a_value_that_cannot_be_read_costs_its_row_alone(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack, column: Column
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    spoil(world, column, BAD["not UTF-8"])
    started = world.argument_form()

    assert len(block_of(started.stdout).headings) >= LESSONS - 1
    assert len(hardwon(world, "list", "--json").items) >= LESSONS - 1


@pytest.mark.parametrize("table", ["entry", "entry_text", "recall"])
def test_doctor_names_and_repairs_a_row_that_cannot_be_read(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack, table: str
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    column = next(column for column in SHOWN if column.table == table and column.name in REPAIRED)
    assert spoil(world, column, BAD["a blob"])
    ensure_repaired(world)

    assert f'"table": "{table}"' in (world.store / "unreadable.jsonl").read_text(encoding="utf-8")


def test_rows_set_aside_are_forgotten_too(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    spoil(world, Column("entry", "updated_at"), BAD["a word"])
    hardwon(world, "doctor", "--repair")
    aside = world.store / "unreadable.jsonl"
    [(text,)] = world.query("SELECT description FROM entry_text WHERE entry_seq = 1")
    assert json.dumps(text, ensure_ascii=False)[1:-1] in aside.read_text(encoding="utf-8")

    assert hardwon(world, "forget", text, "--yes", "--keep-bank").code == 0
    assert json.dumps(text, ensure_ascii=False)[1:-1] not in aside.read_text(encoding="utf-8")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_broken_rule_is_found_also_without_the_right_to_write(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack, *, read_only: bool
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    assert spoil(world, Column("entry", "observation_count"), "0")

    with contextlib.closing(SqliteDatabase(str(world.database), read_only=read_only)) as database:
        assert damage_of(database.connection) == "CHECK constraint failed in entry"
        assert [row.table for row in find_unreadable(database)] == ["entry"]


OF_EACH_KIND = [
    Column("entry", "words"),
    Column("entry", "importance_weight"),
    Column("entry", "created_at_epoch"),
    Column("entry", "updated_at"),
    Column("entry", "branch"),
    Column("entry", "expires_at"),
    Column("entry_text", "file_mtime"),
    Column("entry_text", "reasoning"),
    Column("entry_text", "keywords"),
    Column("receipt_entry", "score"),
    Column("vector", "vec"),
    Column("vector_block", "packed"),
    Column("posting", "packed"),
    Column("forgotten", "at"),
]
"""Columns of each type, with NULL or without, also times."""


def is_sound(database: SqliteDatabase) -> bool:
    with contextlib.suppress(sqlite3.OperationalError):  # a rule about JSON fails
        return not damage_of(database.connection)
    return False


TIMES = {"no zone": "'2026-11-01T10:00:00.000000'", "before all time": "-9223372036854775808"}


@pytest.mark.parametrize("kind", BAD | TIMES)
def test_tables_are_doubted_if_one_of_their_rows_cannot_be_read(
    full: World,
    tmp_path: Path,
    cleanup: contextlib.ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.setattr(unreadable, "model_of", copy_of_model)
    world = copied(full, tmp_path / "world", cleanup)
    original = world.database.read_bytes()
    tables = [*dict.fromkeys(column.table for column in all_columns())]
    for column in OF_EACH_KIND:
        world.database.write_bytes(original)
        spoil(world, column, (BAD | TIMES)[kind])
        with contextlib.closing(SqliteDatabase(str(world.database))) as database:
            one_by_one = [*find_unreadable(database, tables)]
            assert [*find_unreadable(database)] == one_by_one, column
            if is_sound(database):
                doubtful = doubtful_tables(database.path)
                assert [*find_unreadable(database, doubtful)] == one_by_one, column


def test_rows_that_were_read_beside_the_check_of_the_structure_are_not_read_again(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    statements = list[str]()
    with contextlib.closing(SqliteDatabase(str(world.database))) as database:
        upkeep = SqliteUpkeep(database)
        upkeep.ensure_sound()
        database.connection.set_trace_callback(statements.append)

        assert (upkeep.unreadable(), statements) == ([], [])
        assert upkeep.unreadable() == []
        assert any("FROM entry_text" in statement for statement in statements)


@pytest.mark.soak
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("column", [*all_columns()], ids="{0.table}.{0.name}".format)
def test_every_program_answers_whatever_one_value_is(
    full: World, tmp_path: Path, cleanup: contextlib.ExitStack, column: Column, kind: str
) -> None:
    world = copied(full, tmp_path / "world", cleanup)
    if not spoil(world, column, BAD[kind]) or column in MOVED:
        return
    ensure_answered(world)
    stored = run(world, "hardwon-writer", "--action", "upsert", "--entry-json", json.dumps(VALID))
    assert stored.code == 0, stored.stderr
    exported = hardwon(world, "export", "-o", str(world.folder / "out.jsonl"))
    assert exported.code == 0, exported.stderr
    ensure_repaired(world)
