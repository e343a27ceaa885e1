"""
Find unreadable rows, and repair them or set them aside.

The schema defines what is readable: each row is inserted into an empty table of the same
schema. Imported by `doctor` only.
"""

import json
import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from hardwon.adapters.folder import Folder, real_place
from hardwon.adapters.sqlite.damage import breaks_rule
from hardwon.adapters.sqlite.database import SqliteDatabase, create_private, from_text
from hardwon.adapters.sqlite.drift import NEUTRAL, columns, model_of
from hardwon.adapters.sqlite.schema import NEWEST

ASIDE = "unreadable.jsonl"
"""The file beside the store that keeps the original rows."""

KEPT_IN_MODEL = 500
CHECKED_AT_ONCE = 200
"""Rows that are read before their times are checked."""

LAST_SECOND = 253402300799
"""The last second of the year 9999."""
SHOWN_CHARACTERS = 60
TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (int, float),
    "TEXT": (str,),
    "BLOB": (bytes,),
}
NAMES: Mapping[type, str] = {int: "integer", float: "real", bytes: "blob"}
"""The types of numbers and blobs, as SQLite calls them."""

RULES = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
OK = [("ok",)]
EPOCH = "1970-01-01T00:00:00.000000+00:00"
CREATED = (
    "coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%S+00:00', created_at_epoch, 'unixepoch') FROM"
    f" entry WHERE seq = :key), '{EPOCH}')"
)

SUBSTITUTES: Mapping[tuple[str, str], str] = {
    ("entry", "id"): (
        "(SELECT iif(typeof(content_hash) = 'text' AND content_hash != '', content_hash,"
        " 'unreadable-' || seq) FROM entry WHERE seq = :key)"
    ),
    (
        "entry",
        "kind",
    ): "iif((SELECT category FROM entry WHERE seq = :key) IS NULL, 'conversation', 'learning')",
    ("entry", "category"): "'patterns'",
    ("entry", "updated_at"): CREATED,
    ("entry_text", "created_at"): CREATED,
    ("recall", "last_recalled_at"): f"'{EPOCH}'",
    **{
        ("entry_text", name): "'[]'"
        for name in ("keywords", "tags", "references", "citations", "trigger_phrases")
    },
    ("entry_text", "source"): "'manual'",
}
"""Expressions for unreadable values without a default or a neutral value."""

REPAIRED = ("entry", "entry_text", "recall", "usage", "project")
"""The tables whose rows are repaired if possible. Rows of others are set aside."""


class UnreadableRow(NamedTuple):
    """
    A row that can't be read.

    Attributes:
        key: The values of its primary key.
        problems: The problem of each column. The column is empty for a rule about several.
        row: Its values by column. Texts that are not UTF-8 are bytes.

    """

    table: str
    key: tuple[Any, ...]
    problems: Mapping[str, str]
    row: Mapping[str, Any]

    @property
    def line(self) -> str:
        """The row and its problems, for a message."""
        problems = "; ".join(
            f"{column}: {problem}" if column else problem
            for column, problem in self.problems.items()
        )
        return (
            f"{self.table} {', '.join(f'{value!r:.40}' for value in self.key)} can't be read"
            f" ({problems})"
        )


class _Text(bytes):
    """
    The bytes of a text, which may be invalid UTF-8.

    Those of a blob are plain `bytes`.
    """


class _Column(NamedTuple):
    name: str
    type: str
    is_required: bool
    default: str | None
    is_key: bool

    @property
    def has_time(self) -> bool:
        """Whether it holds a time, as text or in seconds."""
        return self.name == "at" or self.name.endswith(("_at", "_epoch"))

    @property
    def filled(self) -> str:
        """The expression of its text, which replaces an allowed NULL by a valid one."""
        name, text = f'"{self.name}"', EPOCH if self.has_time else ""
        return name if self.is_required else f"coalesce({name}, '{text}')"

    @property
    def misfit(self) -> str:
        """The condition that its value is no number or blob that it may have."""
        names = [NAMES[kind] for kind in TYPES[self.type]] + ["null"] * (not self.is_required)
        condition = f"""typeof("{self.name}") NOT IN ({", ".join(map(repr, names))})"""
        beyond = f""" OR abs("{self.name}") > {LAST_SECOND}"""
        return condition + beyond * self.has_time


def doubtful_tables(path: str) -> list[str]:
    """
    Return the tables of a sound store that may have unreadable rows.

    The store is read by a connection of its own, while SQLite checks the structure.
    """
    with (
        closing(SqliteDatabase(path, read_only=True)) as database,
        closing(_model()) as model,
        database.translated(),
    ):
        return _doubtful(database.connection, model, is_sound=True)


def find_unreadable(
    database: SqliteDatabase, tables: Sequence[str] | None = None
) -> Iterator[UnreadableRow]:
    """
    Yield the rows that can't be read, table by table.

    Args:
        database: The store.
        tables: The `doubtful_tables`, None if they are not known.
    """
    if tables is not None and not tables:
        return
    connection = database.connection
    text_factory = connection.text_factory
    with closing(_model()) as model, database.translated():
        tables = tables or _doubtful(connection, model, is_sound=False)
        known = {table: _known_columns(connection, model, table) for table in tables}
        connection.text_factory = _Text
        try:
            for table in tables:
                yield from _unreadable(connection, model, table, known=known[table])
        finally:
            connection.text_factory = text_factory


def repair_rows(database: SqliteDatabase) -> list[str]:
    """
    Repair or remove each row that can't be read.

    Each is first kept unchanged in a file beside the store.

    Returns:
        A line for each row.
    """
    found = [*find_unreadable(database)]
    if not found:
        return []
    aside = os.path.join(os.path.dirname(database.path), ASIDE)
    with closing(_model()) as model, database.translated(), database.transaction():
        _keep(aside, [*found, *_texts_of_entries(database, found)])
        lines = [
            f"{row.line}: {_repair(database, model, row)}; it is kept as it was in {aside}"
            for row in found
        ]
        database.note_change()
    return lines


def _model() -> sqlite3.Connection:
    model = model_of(NEWEST)
    model.execute("BEGIN")
    return model


def _tables(model: sqlite3.Connection) -> list[str]:
    sql = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name"
        " NOT GLOB '*_fts*'"
    )
    return [name for (name,) in model.execute(sql).fetchall()]


def _columns_of(model: sqlite3.Connection, table: str) -> list[_Column]:
    rows = model.execute(
        'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', (table,)
    )
    return [
        _Column(
            name=name, type=kind, is_required=bool(not_null or pk), default=default, is_key=bool(pk)
        )
        for name, kind, not_null, default, pk in rows
    ]


def _known_columns(
    connection: sqlite3.Connection, model: sqlite3.Connection, table: str
) -> list[_Column]:
    """Return the columns of the expected *table* that the store has."""
    there = {*columns(connection, table)}
    return [column for column in _columns_of(model, table) if column.name in there]


def _unreadable(
    connection: sqlite3.Connection,
    model: sqlite3.Connection,
    table: str,
    known: Sequence[_Column],
) -> Iterator[UnreadableRow]:
    keys = [column.name for column in known if column.is_key] or ["rowid"]
    names = ", ".join(f'"{column.name}"' for column in known)
    key_names = ", ".join(f'"{name}"' for name in keys)
    for number, values in enumerate(
        connection.execute(f"SELECT {key_names}, {names} FROM {table}")
    ):
        if number % KEPT_IN_MODEL == 0:
            model.execute(f"DELETE FROM {table}")
        row = dict(
            zip((column.name for column in known), map(_value, values[len(keys) :]), strict=True)
        )
        if problems := _problems(known, row) or _broken_rule(model, table, row):
            yield UnreadableRow(
                table=table, key=tuple(map(_value, values[: len(keys)])), problems=problems, row=row
            )
    model.execute(f"DELETE FROM {table}")


def _doubtful(
    connection: sqlite3.Connection, model: sqlite3.Connection, *, is_sound: bool
) -> list[str]:
    """
    Return the tables whose rows can't all be read for sure.

    SQLite checks the rules of a table, unless it has found the whole store sound.
    """
    return [
        table
        for table in _tables(model)
        if (known := _known_columns(connection, model, table))  # a missing table is a drift
        and not (
            _keep_rules(connection, model, table, is_sound=is_sound)
            and _fit_all(connection, table, known)
        )
    ]


def _keep_rules(
    connection: sqlite3.Connection, model: sqlite3.Connection, table: str, *, is_sound: bool
) -> bool:
    """Return whether the table's rules are the expected ones, and all rows keep them."""
    present, expected = (
        schema.execute(RULES, (table,)).fetchall() for schema in (connection, model)
    )
    try:
        return present == expected and (
            is_sound
            or (
                connection.execute(f"PRAGMA quick_check({table})").fetchall() == OK
                and not breaks_rule(connection, table, present[0][0])
            )
        )
    except sqlite3.OperationalError:  # a rule about JSON fails where it is malformed
        return False


def _fit_all(connection: sqlite3.Connection, table: str, known: Sequence[_Column]) -> bool:
    """
    Return whether all values surely have no problem, as `_problem` defines it.

    SQLite checks numbers and blobs, which are not read.
    """
    texts = [column for column in known if column.type == "TEXT"]
    times = [place for place, column in enumerate(texts, 1) if column.has_time]
    misfit = " OR ".join(column.misfit for column in known if column.type != "TEXT") or "false"
    names = ", ".join([f"iif({misfit}, NULL, '')", *(column.filled for column in texts)])
    where = "" if texts else f" WHERE {misfit}"
    text_factory, connection.text_factory = connection.text_factory, str
    try:
        cursor = connection.execute(f"SELECT {names} FROM {table}{where}")
        while rows := cursor.fetchmany(CHECKED_AT_ONCE):
            deque(map("".join, rows), maxlen=0)  # refuses a value that is no text
            if not all(_are_times(map(itemgetter(place), rows)) for place in times):
                return False
    except (sqlite3.OperationalError, TypeError, ValueError):  # the first: a text is not UTF-8
        return False
    finally:
        connection.text_factory = text_factory
    return True


def _are_times(values: Iterable[str]) -> bool:
    """
    Return whether *values* are times with a time zone.

    Raises:
        ValueError: one is no time.
    """
    return all(map(attrgetter("tzinfo"), map(from_text, values)))


def _value(value: Any) -> Any:
    if not isinstance(value, _Text):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _problems(known: Sequence[_Column], row: Mapping[str, Any]) -> dict[str, str]:
    problems = ((column.name, _problem(column, row[column.name])) for column in known)
    return {name: problem for name, problem in problems if problem}


def _problem(column: _Column, value: Any) -> str:
    if value is None:
        return "is missing" if column.is_required else ""
    if isinstance(value, _Text):
        return "is not UTF-8"
    if not isinstance(value, TYPES[column.type]):
        return f"{value!r:.{SHOWN_CHARACTERS}} is no {column.type}"
    if column.name.endswith("_epoch") and isinstance(value, int) and abs(value) > LAST_SECOND:
        return f"{value} is no time"
    return (
        _problem_of_time(str(value)) if column.name == "at" or column.name.endswith("_at") else ""
    )


def _problem_of_time(value: str) -> str:
    try:
        return "" if from_text(value).tzinfo else f"{value!r} has no time zone"
    except ValueError:
        return f"{value!r:.{SHOWN_CHARACTERS}} is no time"


def _broken_rule(model: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> dict[str, str]:
    names = ", ".join(f'"{name}"' for name in row)
    try:
        model.execute(
            f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
    except sqlite3.Error as error:
        return {"": str(error)}
    return {}


def _texts_of_entries(
    database: SqliteDatabase, found: Sequence[UnreadableRow]
) -> Iterator[UnreadableRow]:
    """
    Yield the texts of unreadable entries.

    They are removed with an entry that can't be repaired.
    """
    known = {row.key for row in found if row.table == "entry_text"}
    names = columns(database.connection, "entry_text")
    for entry in found:
        if entry.table == "entry" and entry.key not in known:
            for values in database.rows("SELECT * FROM entry_text WHERE entry_seq = ?", entry.key):
                yield UnreadableRow(
                    table="entry_text",
                    key=entry.key,
                    problems={},
                    row=dict(zip(names, values, strict=True)),
                )


def _keep(path: str, rows: Sequence[UnreadableRow]) -> None:
    create_private(path)
    with Folder(os.path.dirname(real_place(path))) as folder:
        handle = folder.open(os.path.basename(path), os.O_WRONLY | os.O_APPEND)
    with open(handle, "a", encoding="utf-8") as file:
        for row in rows:
            line = {
                "table": row.table,
                "row": {name: _legible(value) for name, value in row.row.items()},
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _legible(value: Any) -> Any:
    """
    Return a value for JSON.

    Escapes invalid bytes of a text. A blob becomes hexadecimal digits.
    """
    if isinstance(value, _Text):
        return value.decode("utf-8", "backslashreplace")
    return value.hex() if isinstance(value, bytes) else value


def _repair(database: SqliteDatabase, model: sqlite3.Connection, row: UnreadableRow) -> str:
    keys = [column.name for column in _columns_of(model, row.table) if column.is_key] or ["rowid"]
    marks = ["CAST(? AS TEXT)" if isinstance(value, _Text) else "?" for value in row.key]
    within = " AND ".join(f'"{name}" IS {mark}' for name, mark in zip(keys, marks, strict=True))
    connection = database.connection
    repaired = _repaired_values(connection, model, row) if row.table in REPAIRED else {}
    if repaired and not _broken_rule(model, row.table, {**row.row, **repaired}):
        changes = ", ".join(f'"{name}" = ?' for name in repaired)
        with suppress(sqlite3.IntegrityError):  # the new value is another row's
            connection.execute(
                f"UPDATE {row.table} SET {changes} WHERE {within}", (*repaired.values(), *row.key)
            )
            return f"{', '.join(repaired)} got a new value"
    owner = "entry WHERE seq IS ?" if row.table == "entry_text" else f"{row.table} WHERE {within}"
    if row.table == "space":
        connection.execute("DELETE FROM vector WHERE space_id IS ?", row.key)  # they are derived
    connection.execute(f"DELETE FROM {owner}", row.key)
    return "it was removed"


def _repaired_values(
    connection: sqlite3.Connection, model: sqlite3.Connection, row: UnreadableRow
) -> dict[str, Any]:
    """
    Return new values for the unreadable columns.

    For a broken rule these are all columns that it names. Empty if a key is concerned.
    """
    by_name = {column.name: column for column in _columns_of(model, row.table)}
    concerned = [name for name in row.problems if name] or [
        name for name in by_name if name in next(iter(row.problems.values()))
    ]
    if any(by_name[name].is_key for name in concerned):
        return {}
    return {name: _substitute(connection, row, by_name[name]) for name in concerned}


def _substitute(connection: sqlite3.Connection, row: UnreadableRow, column: _Column) -> Any:
    value = row.row[column.name]
    if (
        isinstance(value, _Text)
        and column.type == "TEXT"
        and (row.table, column.name) not in SUBSTITUTES
    ):
        replaced = value.decode("utf-8", "replace")
        if not _problem(column, replaced):
            return replaced
    if expression := SUBSTITUTES.get((row.table, column.name)):
        return connection.execute(f"SELECT {expression}", {"key": row.key[0]}).fetchone()[0]
    if column.default is not None:
        return connection.execute(f"SELECT {column.default}").fetchone()[0]
    return (
        connection.execute(f"SELECT {NEUTRAL.get(column.type, chr(39) * 2)}").fetchone()[0]
        if column.is_required
        else None
    )
