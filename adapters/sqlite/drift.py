"""
Drift of a store's schema from its version's migrations, and its repair.

Also keeps parts of later versions during a migration. Imported by a migration and by
`doctor` only.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from types import MappingProxyType
from typing import TypeAlias

from hardwon.adapters.sqlite import derived, postings, vectors
from hardwon.adapters.sqlite.migrations import MIGRATIONS

Schema: TypeAlias = Mapping[tuple[str, str], str]
"""SQL by kind (`table`, `index`, `view`, `trigger`) and name."""

KINDS = ("table", "index", "view", "trigger")
OBJECTS = f"""
    SELECT type, name, sql FROM sqlite_master
    WHERE type IN {KINDS} AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts*'
    ORDER BY type, name
"""
"""Leaves out the keyword index, which has its own check and repair."""

TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[^\w\s]""")

MISSING_VALUES = {
    ("receipt_entry", "room"): "0",
    ("entry", "content_hash"): "id",
    ("entry", "created_at_epoch"): (
        "coalesce((SELECT CAST(strftime('%s', created_at) AS INTEGER) FROM entry_text WHERE"
        " entry_seq = seq), 0)"
    ),
}
"""Values of missing columns, where neither the default nor a neutral value is right."""

RENAMED_VALUES = {("receipt_entry", "form"): "iif(form = 'rule', 'note', form)"}
"""Values that were renamed while their version was being written."""

NEUTRAL = {"INTEGER": "0", "REAL": "0.0", "BLOB": "x''"}
"""
Values of NOT NULL columns without a default.

Other types get empty texts.
"""


def schema_of(connection: sqlite3.Connection) -> Schema:
    """Return the definitions of all tables, indexes, views and triggers."""
    return {(kind, name): sql for kind, name, sql in connection.execute(OBJECTS)}


def normalised(sql: str) -> str:
    """Return the tokens of *sql*, without the quotes of names."""
    return " ".join(token.strip('"') for token in TOKEN.findall(sql))


def _differ(present: str, expected: str) -> bool:
    return present != expected and normalised(present) != normalised(expected)


def model_of(version: int) -> sqlite3.Connection:
    """Return a store in memory that the migrations up to *version* made."""
    model = sqlite3.connect(":memory:", isolation_level=None)
    for step in MIGRATIONS[:version]:
        step(model)
    return model


def expected_schema(version: int) -> Schema:
    """Return the schema that the migrations up to *version* yield."""
    with closing(model_of(version)) as model:
        return schema_of(model)


def drift(connection: sqlite3.Connection, version: int) -> list[str]:
    """
    Return the differences from the schema of *version*, one a line.

    Objects that no migration makes are no drift.
    """
    with closing(model_of(version)) as model:
        return list(_differences(connection, model))


def repair(
    connection: sqlite3.Connection,
    version: int,
    set_aside: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> None:
    """
    Give the store the schema of *version* without losing rows.

    Idempotent. A table is left as it is if it has unknown columns, or rows that break a rule
    of the expected table. Needs an open transaction, and foreign keys that are not enforced.

    Args:
        connection: The store.
        version: The schema version.
        set_aside: Columns that may be dropped, by table, as their values are kept elsewhere.

    """
    expected = expected_schema(version)
    for kind in KINDS:  # in this order: indexes and triggers go with their table
        present = schema_of(connection)
        for key, sql in expected.items():
            if key[0] == kind and _differ(present.get(key, ""), sql):
                _replace(connection, key, sql=sql, set_aside=set_aside.get(key[1], frozenset()))


def _differences(connection: sqlite3.Connection, model: sqlite3.Connection) -> Iterator[str]:
    present = schema_of(connection)
    for (kind, name), sql in schema_of(model).items():
        if (kind, name) not in present:
            yield f"{kind} {name} is missing"
        elif _differ(present[kind, name], sql):
            there, wanted = columns(connection, name), columns(model, name)
            missing = ", ".join(column for column in wanted if column not in there)
            unknown = ", ".join(column for column in there if column not in wanted)
            details = [f"lacks the column {missing}"] * bool(missing) + [
                f"has an unknown column {unknown}"
            ] * bool(unknown)
            yield f"{kind} {name} {' and '.join(details) or 'is defined in another way'}"


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """
    Return the column names of a table or view, in order.

    Empty for an index.
    """
    return [
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]


def _replace(
    connection: sqlite3.Connection, key: tuple[str, str], sql: str, set_aside: frozenset[str]
) -> None:
    """
    Create a table, index or view in place of an existing one.

    Changes nothing if that fails.
    """
    kind, name = key
    with unless_refused(connection):
        if kind == "table" and columns(connection, name):
            _rebuild(connection, name, sql=sql, set_aside=set_aside)
        else:
            connection.execute(f"DROP {kind} IF EXISTS {name}")
            connection.execute(sql)


@contextmanager
def unless_refused(connection: sqlite3.Connection) -> Iterator[None]:
    """Undo the changes within if a new table refuses them."""
    connection.execute("SAVEPOINT repairing")
    try:
        yield
    except (sqlite3.IntegrityError, _UnknownColumnError):
        connection.execute("ROLLBACK TO repairing")
    connection.execute("RELEASE repairing")


class _UnknownColumnError(Exception):
    """A table has a column that the expected table lacks."""


def _rebuild(
    connection: sqlite3.Connection, table: str, sql: str, set_aside: frozenset[str]
) -> None:
    """Replace a table by that of *sql*, keeping its rows and its autoincrement counter."""
    there = columns(connection, table)
    numbers = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).fetchall()
    connection.execute(f"CREATE TEMP TABLE repaired AS SELECT * FROM {table}")
    connection.execute(f"DROP TABLE {table}")
    connection.execute(sql)
    if {*there} - {*columns(connection, table)} - set_aside:
        raise _UnknownColumnError
    fill(connection, table, "repaired")
    connection.execute("DROP TABLE temp.repaired")
    for (number,) in numbers:
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def fill(connection: sqlite3.Connection, table: str, source: str, *, replace: bool = False) -> None:
    """
    Add the rows of the temporary table *source* to *table*.

    Columns that *source* lacks get a value that the table admits.

    Args:
        connection: The store.
        table: The table's name.
        source: The name of the temporary table.
        replace: Replace rows with the same key, which are refused otherwise.

    """
    wanted, there = columns(connection, table), columns(connection, source)
    connection.execute(
        f"INSERT {'OR REPLACE' * replace} INTO {table} ({', '.join(map(_quoted, wanted))}) SELECT"
        f" {', '.join(_value(connection, table, column=name, there=there) for name in wanted)} FROM"
        f" temp.{source}"
    )


def _value(connection: sqlite3.Connection, table: str, column: str, there: list[str]) -> str:
    if column in there:
        return RENAMED_VALUES.get((table, column), _quoted(column))
    if (table, column) in MISSING_VALUES:
        return MISSING_VALUES[table, column]
    [(kind, not_null, default)] = connection.execute(
        'SELECT type, "notnull", dflt_value FROM pragma_table_info(?) WHERE name = ?',
        (table, column),
    )
    if default is not None:
        return str(default)
    return NEUTRAL.get(kind, "''") if not_null else "NULL"


def _quoted(name: str) -> str:
    return f'"{name}"'


Shape: TypeAlias = Mapping[tuple[str, str], frozenset[str]]
"""The columns of tables, by kind and name. Other objects have an empty set."""

DERIVED = frozenset({vectors.BLOCK_TABLE, derived.TALLY_TABLE, *postings.TABLES, "query_vector"})
"""Tables that can be filled again, so that their rows are dropped."""


@contextmanager
def without_later_parts(
    connection: sqlite3.Connection, version: int
) -> Iterator[Mapping[str, frozenset[str]]]:
    """
    Set aside the parts of the schema that only later versions have.

    Yields the columns of later versions, by table. They may be dropped within, and their
    values come back. Whole tables of later versions, with their indexes, views and triggers,
    are dropped at once. Their rows come back unless they are derived.
    Needs an open transaction, and foreign keys that are not enforced.
    """
    expected, later = _shapes(version)
    present = _shape(connection)
    found = {key: present[key] & names for key, names in later.items() if key in present}
    fields = {
        name: names for (kind, name), names in found.items() if names and (kind, name) in expected
    }
    tables = [
        name
        for kind, name in found
        if kind == "table" and (kind, name) not in expected and name not in DERIVED
    ]
    for table in (*fields, *tables):
        connection.execute(f"CREATE TEMP TABLE later_{table} AS SELECT * FROM main.{table}")
    for kind, name in sorted(found.keys() - expected.keys(), key=lambda key: -KINDS.index(key[0])):
        connection.execute(f"DROP {kind} IF EXISTS main.{name}")  # tables last
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
    """Return the shape of *version*, and all that later versions add."""
    expected: Shape = {}
    later = dict[tuple[str, str], frozenset[str]]()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        for number, step in enumerate(MIGRATIONS, 1):
            step(model)
            if number == version:
                expected = _shape(model)
            elif number > version:
                for key, names in _shape(model).items():
                    later[key] = later.get(key, frozenset()) | (
                        names - expected.get(key, frozenset())
                    )
    return expected, later


def _put_back(connection: sqlite3.Connection, table: str, names: frozenset[str]) -> None:
    """Restore the values in columns of later versions, by primary key."""
    keys = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0", (table,)
        )
    ]
    kept = sorted(names.intersection(columns(connection, table)))
    if not (keys and kept):
        return
    values, same_row = (
        ", ".join(f'"{name}"' for name in kept),
        " AND ".join(f'l."{key}" = t."{key}"' for key in keys),
    )
    row = f"FROM temp.later_{table} l WHERE {same_row}"
    connection.execute(
        f"UPDATE main.{table} AS t SET ({values}) = (SELECT {values} {row}) WHERE EXISTS (SELECT 1"
        f" {row})"
    )
