"""Damage is found as SQLite's own check finds it, with rules and without."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.sqlite.damage import damage_of, rules_of
from hardwon.adapters.sqlite.opening import open_store

RULED = """
CREATE TABLE ruled (
    number INTEGER PRIMARY KEY,
    word TEXT NOT NULL CHECK (word IN ('a', ')', 'it''s (', '-')),
    "check" TEXT check(json_valid("check")),
    times INTEGER DEFAULT (1) CHECK (times >= 1 AND (times < 9 OR word = 'a')),
    CHECK (word != 'a' OR times IS NOT NULL)
);
CREATE TABLE keyed (key TEXT PRIMARY KEY, CHECK (key != '')) WITHOUT ROWID;
CREATE TABLE remarked (text TEXT CHECK /* a word */ (text != '') -- not empty
);
CREATE TABLE counted (list TEXT DEFAULT 'CHECK (x)' CHECK (json_array_length(list) <= 2));
CREATE VIRTUAL TABLE words USING fts5(text);
PRAGMA ignore_check_constraints = ON;
"""
words = st.sampled_from(["a", ")", "it's (", "-", "b", b"a", 5])
values = st.sampled_from([None, "", "{}", "[", 0, 1, 9, 2.5, b"{}", "text"])


@pytest.fixture
def ruled() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(RULED)
        yield connection


@given(
    rows=st.lists(st.tuples(words, values, values), max_size=3),
    keys=st.sets(st.sampled_from(["", "k", b""]), max_size=2),
    remarks=st.lists(st.sampled_from(["", "r", None]), max_size=1),
)
def test_damage_is_that_of_the_check_of_sqlite(
    rows: list[tuple[object, ...]], keys: set[object], remarks: list[object]
) -> None:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(RULED)
        connection.executemany(
            """INSERT INTO ruled (word, "check", times) VALUES (?, ?, ?)""", rows
        )
        connection.executemany("INSERT INTO keyed (key) VALUES (?)", [(key,) for key in keys])
        connection.executemany(
            "INSERT INTO remarked (text) VALUES (?)", [(text,) for text in remarks]
        )
        connection.execute("PRAGMA ignore_check_constraints = OFF")
        [(expected, *_)] = connection.execute("PRAGMA quick_check(1)").fetchall()

        assert damage_of(connection) == ("" if expected == "ok" else expected)


@pytest.mark.parametrize(
    ("table", "column", "value", "damage"),
    [
        ("ruled", "word", "b", "CHECK constraint failed in ruled"),
        ("keyed", "key", "", "CHECK constraint failed in keyed"),
        ("remarked", "text", "", "CHECK constraint failed in remarked"),
        ("counted", "list", "[", "malformed JSON in counted"),
        ("keyed", "key", "k", ""),
        ("counted", "list", "[]", ""),
    ],
)
def test_broken_rules_are_found_by_a_connection_that_cannot_write(
    tmp_path: Path, table: str, column: str, value: str, damage: str
) -> None:
    path = tmp_path / "ruled.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(RULED)
        connection.execute(f"INSERT INTO {table} ({column}) VALUES (?)", (value,))

    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        assert damage_of(connection) == damage


def test_all_rules_of_a_table_are_found(ruled: sqlite3.Connection) -> None:
    [(sql,)] = ruled.execute("SELECT sql FROM sqlite_master WHERE name = 'ruled'")

    assert rules_of(sql) == [
        "(word IN ('a', ')', 'it''s (', '-'))",
        """(json_valid("check"))""",
        "(times >= 1 AND (times < 9 OR word = 'a'))",
        "(word != 'a' OR times IS NOT NULL)",
    ]


def test_the_rules_hold_again_after_a_check(ruled: sqlite3.Connection) -> None:
    assert damage_of(ruled) == ""
    with pytest.raises(sqlite3.IntegrityError):
        ruled.execute("INSERT INTO keyed (key) VALUES ('')")


def test_sqlite_checks_a_sound_store_once_and_without_its_rules(folder: Path) -> None:
    statements = list[str]()
    with contextlib.closing(open_store(str(folder))) as database:
        database.connection.set_trace_callback(statements.append)
        assert damage_of(database.connection) == ""

    checks = [statement for statement in statements if "quick_check" in statement]
    assert (len(checks), statements[0]) == (1, "PRAGMA ignore_check_constraints = ON")


def test_damage_is_described_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE entry (text)")
    assert damage_of(connection) == ""
    connection.close()
    content = bytearray(path.read_bytes())
    content[4096] ^= 0xFF
    path.write_bytes(content)
    connection = sqlite3.connect(path)
    found = damage_of(connection)
    connection.close()

    assert found
    assert "\n" not in found
