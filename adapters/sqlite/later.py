"""
Parts of later versions that a store already has: set aside while their migrations run, then put back.

Stores got them while a migration was being written, and from branches that numbered theirs differently. Imported by a migration only.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TypeAlias

from hardwon.adapters.sqlite import postings, tallies, vector_blocks
from hardwon.adapters.sqlite.drift import KINDS, columns, fill, schema_of, unless_refused
from hardwon.adapters.sqlite.migrations import MIGRATIONS

Shape: TypeAlias = Mapping[tuple[str, str], frozenset[str]]
"""The columns of tables, by kind and name; indexes, views and triggers have none that count."""

DERIVED = frozenset({vector_blocks.TABLE, tallies.TABLE, *postings.TABLES, "query_vector"})
"""Tables that their migration fills, or that fill as they are used: their rows are dropped."""


@contextmanager
def without_later_parts(connection: sqlite3.Connection, version: int) -> Iterator[Mapping[str, frozenset[str]]]:
    """
    Give the columns that only versions after *version* have, by table; they may go within, and their values come back.

    Whole tables of later versions, their indexes, views and triggers are dropped at once; rows that are not derived come back.
    Needs an open transaction, and foreign keys that are not enforced.
    """
    expected, later = _shapes(version)
    present = _shape(connection)
    found = {key: present[key] & names for key, names in later.items() if key in present}
    fields = {name: names for (kind, name), names in found.items() if names and (kind, name) in expected}
    tables = [name for kind, name in found if kind == "table" and (kind, name) not in expected and name not in DERIVED]
    for table in (*fields, *tables):
        connection.execute(f"CREATE TEMP TABLE later_{table} AS SELECT * FROM main.{table}")
    for kind, name in sorted(found.keys() - expected.keys(), key=lambda key: -KINDS.index(key[0])):
        connection.execute(f"DROP {kind} IF EXISTS main.{name}")  # tables last, as indexes and triggers go with them
    yield fields
    for table in tables:
        with unless_refused(connection):
            fill(connection, table, f"later_{table}", replace=True)
    for table, names in fields.items():
        with unless_refused(connection):
            _put_back(connection, table, names)
    for table in (*fields, *tables):
        connection.execute(f"DROP TABLE temp.later_{table}")


def _shape(connection: sqlite3.Connection) -> Shape:
    return {
        (kind, name): frozenset(columns(connection, name) if kind == "table" else ())
        for kind, name in schema_of(connection)
    }


def _shapes(version: int) -> tuple[Shape, Shape]:
    """Return the shape of *version*, and all that later versions add to it."""
    expected: Shape = {}
    later = dict[tuple[str, str], frozenset[str]]()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        for number, step in enumerate(MIGRATIONS, 1):
            step(model)
            if number == version:
                expected = _shape(model)
            elif number > version:
                for key, names in _shape(model).items():
                    later[key] = later.get(key, frozenset()) | (names - expected.get(key, frozenset()))
    return expected, later


def _put_back(connection: sqlite3.Connection, table: str, names: frozenset[str]) -> None:
    """Give rows the values that they had in columns of later versions; rows are known by their primary key."""
    keys = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0", (table,))]
    kept = sorted(names.intersection(columns(connection, table)))
    if not (keys and kept):
        return
    values, same_row = ", ".join(f'"{name}"' for name in kept), " AND ".join(f'l."{key}" = t."{key}"' for key in keys)
    row = f"FROM temp.later_{table} l WHERE {same_row}"
    connection.execute(
        f"UPDATE main.{table} AS t SET ({values}) = (SELECT {values} {row}) WHERE EXISTS (SELECT 1 {row})"
    )
