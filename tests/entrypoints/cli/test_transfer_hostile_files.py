"""A user imports or restores what an attacker made: it ends in one line, and nothing changes."""

import contextlib
import itertools
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.fakes.doors import Ran

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


INDEX = "CREATE TABLE memory_index (file_path TEXT, spec_folder TEXT, title TEXT, content TEXT)"


LARGE = 5_000_000
"""Bytes of a file's text: more than any markdown file has."""


INDEXES: Mapping[str, tuple[str, str]] = {
    "an endless view": (
        f"CREATE VIEW memory_index AS {ENDLESS} 'a' AS file_path, 'b' AS spec_folder FROM n",
        "memory_index is a view",
    ),
    "an endless view over the table's name in a schema that lies": (
        (
            f"CREATE TABLE x (y); PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'memory_index', tbl_name ="
            f" 'memory_index', rootpage = 0, sql = 'CREATE VIEW memory_index AS {ENDLESS.replace(chr(39), chr(39) * 2)}"
            " 1 AS file_path, 1 AS spec_folder FROM n'"
        ),
        "schema",
    ),
    "a view under another name in a schema that lies": (
        (
            "CREATE TABLE x (y); PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'view', rootpage = 0,"
            f" sql = 'CREATE VIEW memory_index AS {ENDLESS} 1 AS file_path, 1 AS spec_folder FROM n'"
        ),
        "schema",
    ),
    "a virtual table": (
        "CREATE VIRTUAL TABLE memory_index USING fts5 (file_path, spec_folder)",
        "memory_index is a virtual table",
    ),
    "a computed column": (
        "CREATE TABLE memory_index (file_path, spec_folder, content AS (hex(zeroblob(1000000)) || file_path))",
        "memory_index has computed columns",
    ),
    "a huge value": (
        f"{INDEX}; INSERT INTO memory_index VALUES ('a', 'b', 'c', zeroblob({4 * LARGE}))",
        "too big",
    ),
    "too many rows": (
        (
            f"{INDEX}; INSERT INTO memory_index SELECT 'memory/' || i || '.md', 's', 't', 'c' FROM"
            " (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n)"
        ),
        "more than 20000 documents",
    ),
    "values of odd types": (
        f"{INDEX}; INSERT INTO memory_index VALUES (x'ff00', 1.5, x'00', NULL)",
        "is no path of a file",
    ),
}
"""Statements that make an index, and what is said about it."""


def make_database(path: Path, statements: str) -> Path:
    """Make the database *path* by *statements*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
    return path


def tampered(backup: Path, path: Path, statements: str) -> Path:
    """Copy the *backup* to *path*, and change it by *statements*."""
    shutil.copy(backup, path)
    return make_database(path, statements)


def sparse(path: Path, size: int) -> Path:
    """Make a file of *size* bytes that begins as a database, and takes no room on the disk."""
    path.write_bytes(b"SQLite format 3\0")
    os.truncate(path, size)
    return path


NESTED_VIEWS = ("entries", "memories", "memory_index", "memory_history")


def exponential_views() -> str:
    """Return statements for views each of which reads the one before sixty times."""
    statements = [
        "; ".join(f"DROP VIEW {name}" for name in NESTED_VIEWS),
        "CREATE VIEW entries AS SELECT 1 AS a",
    ]
    for earlier, name in itertools.pairwise(NESTED_VIEWS):
        joined = ", ".join(f"{earlier} AS x{number}" for number in range(60))
        statements.append(f"CREATE VIEW {name} AS SELECT 1 AS a FROM {joined}")
    return "; ".join(statements)


RESTORES: Mapping[str, tuple[str, str]] = {
    "an endless view instead of a table": (
        (
            f"DROP TABLE history; CREATE VIEW history AS {ENDLESS} i AS id, 1 AS memory_id, 'a' AS field_changed,"
            " '' AS old_value, '' AS new_value, '' AS changed_at FROM n"
        ),
        "a view 'history', which hardwon never makes",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER UPDATE ON entry BEGIN DELETE FROM entry_text; END",
        "a trigger 't', which hardwon never makes",
    ),
    "views that grow as they nest": (exponential_views(), "reads another one"),
    "a computed column": (
        "ALTER TABLE usage ADD COLUMN more AS (hex(zeroblob(1000000)))",
        "usage has computed columns",
    ),
    "a virtual table": ("CREATE VIRTUAL TABLE spy USING fts5 (x)", "a virtual table 'spy'"),
    "a huge value": (
        "UPDATE entry_text SET notes = CAST(zeroblob(70000000) AS TEXT)",
        "too big",
    ),
    "a name that is no text": ("UPDATE entry_text SET name = x'ff'", "what is no entry"),
    "an id that is no text": ("UPDATE entry SET id = x'ff'", "whose id or file is no text"),
    "labels that are no texts": ("UPDATE entry_text SET keywords = '[1, 2]'", "what is no entry"),
    "a version that is no text": (
        "UPDATE _metadata SET value = x'ff' WHERE key = 'schema_version'",
        "no number",
    ),
    "a schema that lies": (
        (
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE VIEW usage AS SELECT 1 AS entry_seq'"
            " WHERE name = 'usage'"
        ),
        "schema",
    ),
}
"""Statements that change a backup, and what is said about it."""


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def refused(done: Ran, code: int, words: str) -> None:
    assert (done.code, done.stdout, done.stderr.count("\n")) == (code, "", 1), done
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def contents(world: World) -> list[str]:
    return [
        repr(world.query(f"SELECT * FROM {table} ORDER BY 1"))
        for table in ("entry", "entry_text", "history")
    ]


@pytest.mark.parametrize("name", INDEXES)
def test_a_hostile_index_is_refused_in_one_line(world: World, name: str) -> None:
    statements, words = INDEXES[name]
    path = make_database(world.project / "memory-index.sqlite", statements)

    refused(hardwon(world, "import", str(path)), 1, words)
    (world.project / "config.jsonc").write_text(
        '{"semantic": {"indexPath": "memory-index.sqlite"}}'
    )
    refused(hardwon(world, "import"), 1, words)

    assert not world.store.exists()


@pytest.mark.parametrize("name", RESTORES)
def test_a_hostile_backup_is_refused_in_one_line_and_nothing_changes(
    world: World, name: str
) -> None:
    statements, words = RESTORES[name]
    keep(world)
    backup = world.folder / "backup.db"
    assert hardwon(world, "backup", str(backup)).code == 0
    path = tampered(backup, world.folder / "hostile.db", statements)
    before = contents(world)

    refused(hardwon(world, "restore", str(path), "--yes"), 2, words)

    assert contents(world) == before
    assert hardwon(world, "restore", str(backup), "--yes").code == 0


def test_a_file_that_is_too_large_is_not_read(world: World) -> None:
    keep(world)
    large = sparse(world.folder / "large.db", 9_000_000_000)

    refused(hardwon(world, "restore", str(large), "--yes"), 2, "larger than 8000 MB")
    refused(hardwon(world, "import", str(large)), 1, "larger than 1000 MB")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 500_000 + "]" * 500_000, "nested too deeply"),
        ('{"/a/b.md": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}", "nested too deeply"),
        ('{"/a/b.md": {"x": [' + ",".join(["[]"] * 2_000_000) + "]}}", "lists and objects"),
    ],
    ids=["deep", "deep in a memory", "wide"],
)
def test_json_that_takes_memory_is_refused(world: World, text: str, words: str) -> None:
    path = world.project / "memory-index.json"
    path.write_text(text)

    refused(hardwon(world, "import", str(path)), 1, words)
    assert not world.store.exists()
