"""
Write the store of an earlier commit as SQL.

It is for `tests/adapters/sqlite/stores/`.

Usage: `python tools/historic_store.py OUTPUT PROGRAM...`; each PROGRAM is a folder with a commit's
tree in it, named `hardwon`. The first makes the store, the others open it one after another. It has
some rows in each table.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

OPEN = (
    "import sys; from hardwon.adapters.sqlite.opening import open_store; open_store(sys.argv[1],"
    " repair_index=False).close()"
)
AT = "2026-02-28T12:30:00.000000+00:00"
LESSON, SECTION = 5, 9
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "_metadata": [
        {"key": "active_space", "value": "3"},
        {"key": "automatic_provider", "value": "local"},
    ],
    "entry": [
        {
            "seq": LESSON,
            "id": "694f065a8ec08629",
            "content_hash": "694f065a8ec08629",
            "kind": "learning",
            "category": "patterns",
        }
        | {
            "observation_count": 3,
            "confidence": "high",
            "updated_at": AT,
            "project": "here",
            "words": 11,
        },
        {
            "seq": SECTION,
            "id": "0123456789abcdef",
            "content_hash": "0123456789abcdef",
            "kind": "document",
            "updated_at": AT,
        }
        | {"project": "here", "words": 3, "tier": "critical"},
    ],
    "entry_text": [
        {
            "entry_seq": LESSON,
            "name": "Backoff",
            "description": "Retry with a backoff.",
            "reasoning": "It took a day.",
        }
        | {
            "notes": "",
            "keywords": '["retry"]',
            "tags": "[]",
            "references": '["src/a.py"]',
            "trigger_phrases": "[]",
        }
        | {
            "text_hash": "hash of lesson",
            "created_at": AT,
            "source": "retro",
            "source_project": "here",
        },
        {
            "entry_seq": SECTION,
            "file_path": "/memory/a.md",
            "anchor_id": "one",
            "name": "One",
            "description": "A section.",
        }
        | {
            "reasoning": "",
            "notes": "",
            "keywords": "[]",
            "tags": '["tag"]',
            "references": "[]",
            "trigger_phrases": "[]",
        }
        | {
            "text_hash": "hash of section",
            "created_at": AT,
            "source": "manual",
            "file_mtime": 7,
            "file_hash": "h",
        }
        | {"session_id": "s-1"},
    ],
    "recall": [{"entry_seq": LESSON, "recall_count": 7, "last_recalled_at": AT}],
    "space": [
        {
            "id": 3,
            "provider": "local",
            "model": "m",
            "dimensions": 2,
            "task_scheme": "t",
            "weights_hash": "w",
        },
    ],
    "vector": [
        {
            "space_id": 3,
            "entry_seq": LESSON,
            "text_hash": "hash of lesson",
            "vec": b"\0\0\x80?\0\0\0\0",
        }
    ],
    "sources": [{"path": "/a/patterns.md", "fingerprint": "f"}],
    "source_heading": [{"path": "/a/patterns.md", "heading": "Backoff"}],
    "usage": [
        {
            "entry_seq": SECTION,
            "access_count": 4,
            "last_accessed": AT,
            "validation_count": 2,
            "useful_count": 1,
        },
    ],
    "history": [
        {
            "memory_id": SECTION,
            "field_changed": "title",
            "old_value": "Eins",
            "new_value": "One",
            "changed_at": AT,
        }
    ],
    "tombstone": [
        {"file_path": "/memory/gone.md", "anchor_id": "", "file_hash": "g", "buried_at": AT}
    ],
    "departed": [
        {
            "file_path": "/memory/left.md",
            "anchor_id": "",
            "file_hash": "l",
            "name": "Left",
            "tier": "critical",
        }
        | {
            "importance_weight": 0.5,
            "permanent": 0,
            "trigger_phrases": "[]",
            "keywords": "[]",
            "tags": "[]",
        }
        | {
            "created_at": AT,
            "access_count": 1,
            "last_accessed": AT,
            "validation_count": 1,
            "useful_count": 1,
        }
        | {"departed_at": AT},
    ],
    "checkpoints": [
        {
            "id": 2,
            "name": "before",
            "created_at": AT,
            "memory_count": 1,
            "snapshot_path": "checkpoints/2.db",
            "metadata": "{}",
        },
    ],
    "receipt": [
        {
            "number": 6,
            "session_id": "s-1",
            "event": "start",
            "at": AT,
            "project": "here",
            "query": "q",
            "space": "m",
        }
        | {
            "policy": "prominence",
            "digest": "d",
            "frame": '["", "", ""]',
            "missed": "[]",
            "keyword_text": "k",
        },
    ],
    "receipt_entry": [
        {
            "receipt_number": 6,
            "place": 0,
            "entry_id": "694f065a8ec08629",
            "form": "lesson",
            "digest": "d0",
            "score": 0.5,
        }
        | {"parts": '{"prominence": 0.5}', "room": 0},
        {
            "receipt_number": 6,
            "place": 1,
            "entry_id": "0123456789abcdef",
            "form": "rule",
            "digest": "d1",
            "score": None,
        }
        | {"parts": "{}", "room": 0},
    ],
    "influence": [
        {
            "entry_seq": LESSON,
            "session_id": "s-1",
            "how": "answer",
            "phrase": "retry with",
            "at": AT,
        }
    ],
}
"""
Rows by table.

Columns that a version lacks are left out.
"""

LAST_NUMBERS = {"entry": 12, "checkpoints": 4, "receipt": 8, "history": 3}
"""Numbers that were given once, to rows that are gone."""


def main() -> None:
    """Make the store and write it."""
    output, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        open_with(programs[0], folder)
        with closing(sqlite3.connect(os.path.join(folder, "memory.db"))) as connection:
            fill(connection)
        for program in programs[1:]:
            open_with(program, folder)
        with closing(sqlite3.connect(os.path.join(folder, "memory.db"))) as connection:
            Path(output).write_text(
                "".join(f"{line};\n" for line in dump(connection)), encoding="utf-8"
            )


def open_with(program: str, folder: str) -> None:
    """Open the store in *folder* with the program of a commit."""
    environment = os.environ | {"PYTHONPATH": program}
    subprocess.run([sys.executable, "-c", OPEN, folder], check=True, env=environment)


def fill(connection: sqlite3.Connection) -> None:
    """Add the sample rows to the tables that are there."""
    for table, rows in SAMPLES.items():
        columns = {
            name
            for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        }
        [(sql,)] = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).fetchall() or [("",)]
        for row in filter(None, rows if columns else []):
            values = {name: value for name, value in row.items() if name in columns}
            if values.get("form") == "rule" and "'rule'" not in sql:
                values["form"] = "note"
            if values.get("kind") == "document" and "project" not in columns:
                values |= {"kind": "learning", "category": "heuristics"}
            names = ", ".join(f'"{name}"' for name in values)
            marks = ", ".join("?" for _ in values)
            connection.execute(
                f"INSERT INTO {table} ({names}) VALUES ({marks})", [*values.values()]
            )
    for table, number in LAST_NUMBERS.items():
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (number, table))
    connection.execute(
        "INSERT INTO entries_fts (rowid, name, description, notes, keywords, reasoning)"
        " SELECT entry_seq, name, description, notes, 'retry', reasoning FROM entry_text"
    )
    connection.commit()


def dump(connection: sqlite3.Connection) -> Iterator[str]:
    """
    Yield the statements that make the store again.

    Those of the keyword index for entries as one statement a row.
    """
    shadows = [
        f"{name}_*"
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"
        )
    ]
    objects = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    ).fetchall()
    kept = [
        (kind, name, sql)
        for kind, name, sql in objects
        if not name.startswith("sqlite_")
        and not any(
            connection.execute("SELECT ? GLOB ?", (name, shadow)).fetchone()[0]
            for shadow in shadows
        )
    ]
    yield from (sql for kind, _, sql in kept if kind == "table")
    for _, name, sql in kept:
        if sql.startswith("CREATE TABLE"):
            yield from inserts(connection, name, "")
        elif sql.startswith("CREATE VIRTUAL"):
            yield from inserts(connection, name, "rowid, ")
    yield "DELETE FROM sqlite_sequence"
    yield from inserts(connection, "sqlite_sequence", "")
    yield from (sql for kind, _, sql in kept if kind != "table")


def inserts(connection: sqlite3.Connection, table: str, number: str) -> Iterator[str]:
    """Yield a statement for each row of *table*."""
    columns = ", ".join(
        f'"{name}"'
        for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    )
    for row in connection.execute(f"SELECT {number}{columns} FROM {table}").fetchall():
        values = connection.execute(f"SELECT {', '.join('quote(?)' for _ in row)}", row).fetchone()
        yield f"INSERT INTO {table} ({number}{columns}) VALUES ({', '.join(values)})"


if __name__ == "__main__":
    main()
