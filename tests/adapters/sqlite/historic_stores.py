"""
Stores as hardwons of earlier commits made them, from the SQL in `stores/`.

A file is named by the version, the commit that made the store, and a later one that opened it, if
any. `tools/historic_store.py` writes them. To add a version, add a file of the commit that
introduces it.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

STORES = sorted((Path(__file__).parent / "stores").glob("*.sql"))
LESSON, SECTION, NEXT_NUMBER = 5, 9, 13
"""Numbers of the two entries, and the first that was never given."""

Row = tuple[Any, ...]


def version_of(store: Path) -> int:
    return int(store.stem.partition("-")[0])


def unpack(store: Path, folder: Path) -> Path:
    """Make the database from the SQL in *store*; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {store.read_text(encoding='utf-8')} COMMIT;")
    return path


def tables(path: Path) -> dict[str, list[str]]:
    """Return the columns by table, without the keyword index."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_fts*' AND name NOT GLOB 'sqlite_*'"
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute(query)]
        return {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in names
        }


def rows(path: Path, table: str, columns: Iterable[str]) -> set[Row]:
    """Return the rows of *table*, by those columns."""
    quoted = ", ".join(f'"{column}"' for column in columns)
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute(f"SELECT {quoted} FROM {table}"))


def content(path: Path) -> list[Row]:
    """Return the schema and all rows, those of the keyword index's own tables too."""
    with closing(sqlite3.connect(path)) as connection:
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()
        names = sorted(name for kind, name, _ in schema if kind == "table")
        return [
            *schema,
            *(
                (name, *row)
                for name in names
                for row in connection.execute(f"SELECT * FROM {name}")
            ),
        ]
