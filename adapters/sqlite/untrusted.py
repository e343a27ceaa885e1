"""
Read databases that others may have made, such as a backup.

Such a file can hold a view that never ends under a table's name, triggers, computed columns,
huge values, or a manipulated schema. It is opened read-only, only plain tables are read,
each value is bounded, and everything ends at a deadline. Standard library only.
"""

import os
import re
import sqlite3
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from typing import NamedTuple

from hardwon.adapters.sqlite.database import INSTRUCTIONS_BETWEEN_CHECKS, SqliteDatabase
from hardwon.adapters.sqlite.file_errors import translated
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.ports.override import override

LONGEST_VALUE = 64 * 1024 * 1024
"""Bytes of a text, a blob, a row or a statement."""
SHORT_PATTERN = 200
"""
Bytes of a LIKE or GLOB pattern.

The time of a match grows exponentially with its wildcards.
"""

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: SHORT_PATTERN,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}

PRAGMAS = ("cell_size_check = ON", "mmap_size = 0")
"""
Not `trusted_schema = OFF`.

With it earlier versions of SQLite refuse whole files whose checks use JSON, as ours and
those of the older program do. Reading plain tables runs nothing of a schema anyway.
"""

RECURSIVE = 33
"""SQLite's action code of a recursive query, which Python's module does not name."""
MEGABYTE = 1_000_000

_QUOTES = "\"'`["
_CREATE = re.compile(
    r"CREATE (TABLE|VIRTUAL TABLE|VIEW|INDEX|UNIQUE INDEX|TRIGGER) "
    r"""("(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^]]*]|[\w$]+)"""
)
"""How SQLite stores a statement, from the name on as it was written."""


class UntrustedDatabase(SqliteDatabase):
    """
    A possibly hostile file, opened read-only.

    Args:
        path: An existing file, without links.
        deadline: Ends any running statement.
        at_most: Bytes of the file and its write-ahead log.
        longest_value: Bytes of one value.

    Raises:
        StorageError: it is too large, is no database, was replaced meanwhile, or can't be
            opened.

    """

    def __init__(
        self, path: str, deadline: Deadline, at_most: int, longest_value: int = LONGEST_VALUE
    ) -> None:
        self._deadline = deadline
        self._longest_value = longest_value
        refuse_large(path, at_most)
        before = _facts(path)
        super().__init__(path, read_only=True, anywhere=True)
        if before is None or _facts(path) != before:
            self.close()
            raise StorageError("it was replaced while it was opened")

    @override
    def translated(self) -> AbstractContextManager[None]:
        """Translate errors, without advice for the user's own store."""
        return translated(self.path)

    @override
    def _configure(self) -> None:
        # before any statement that reads the schema
        restrict(self.connection, self._deadline, self._longest_value)
        self.connection.set_authorizer(_may_read)
        super()._configure()
        self.connection.execute("PRAGMA query_only = ON")


def restrict(
    connection: sqlite3.Connection, deadline: Deadline, longest_value: int = LONGEST_VALUE
) -> None:
    """Bound the cost of reading *connection*, until it is closed."""
    connection.set_progress_handler(deadline.passed, INSTRUCTIONS_BETWEEN_CHECKS)
    for limit, value in (LIMITS | {sqlite3.SQLITE_LIMIT_LENGTH: longest_value}).items():
        connection.setlimit(limit, value)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def refuse_large(path: str, at_most: int) -> None:
    """Check that the database and its log have at most *at_most* bytes."""
    if not os.path.isfile(path):
        raise StorageError("it is no regular file")
    if size_of(path) > at_most:
        raise StorageError(f"it is larger than {at_most // MEGABYTE} MB")


def size_of(path: str) -> int:
    """
    Return the bytes of a database and its write-ahead log.

    0 for a missing file.
    """
    return sum(os.path.getsize(file) for file in (path, f"{path}-wal") if os.path.isfile(file))


class SchemaObject(NamedTuple):
    """
    A table, view, index or trigger of a database.

    Attributes:
        kind: As in the statement that creates it, such as `TABLE` or `VIRTUAL TABLE`.

    """

    kind: str
    name: str
    sql: str


def schema_objects(database: SqliteDatabase) -> list[SchemaObject]:
    """
    Return the schema of *database*, without automatic indexes.

    SQLite runs the stored statements and ignores the type and the name beside them. If these
    differ, the schema was manipulated.

    Raises:
        StorageError: the schema was manipulated.
    """
    rows = database.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    found = [_schema_object(*row) for row in rows]
    names = [item.name.lower() for item in found if item.kind != "TRIGGER"]
    if len({*names}) < len(names):
        raise StorageError("its schema names something twice: it was tampered with")
    return found


def refuse_other_than_table(
    database: SqliteDatabase, objects: Iterable[SchemaObject], name: str
) -> None:
    """
    Check that *name* is a table without computed columns, if it exists.

    Reading such a table runs nothing.

    Raises:
        StorageError: it is a view, a virtual table, or computes a column.
    """
    for item in objects:
        if item.name.lower() != name.lower() or item.kind == "TRIGGER":
            continue
        if item.kind != "TABLE":
            raise StorageError(f"{name} is a {item.kind.lower()}, only a table is read")
        # hidden is 2 or 3 for a computed column
        if database.rows("SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden != 0", (name,)):
            raise StorageError(f"{name} has computed columns, only stored ones are read")


def refuse_programs(
    objects: Collection[SchemaObject], views: Iterable[str], virtual_tables: Iterable[str]
) -> None:
    """
    Check that there are no triggers, and only the named views.

    Virtual tables must be named too. No view may read another view.

    Raises:
        StorageError: there are others.
    """
    expected = {"VIEW": {*views}, "VIRTUAL TABLE": {*virtual_tables}}
    for item in objects:
        if item.kind in {"TRIGGER", *expected} and item.name not in expected.get(item.kind, ()):
            raise StorageError(
                f"it has a {item.kind.lower()} {item.name[:80]!r}, which hardwon never makes"
            )
    found = [item for item in objects if item.kind == "VIEW"]
    for item in found:
        # each level of views that read views may multiply the time that SQLite takes to parse them
        if any(other.name.lower() in item.sql.lower() for other in found if other is not item):
            raise StorageError(f"its view {item.name!r} reads another one")


def _schema_object(kind: object, name: object, sql: object) -> SchemaObject:
    found = _CREATE.match(sql) if isinstance(sql, str) else None
    if found is None or not isinstance(sql, str):
        raise StorageError(f"the schema of {str(name)[:80]!r} was tampered with")
    created, token = found.groups()
    bare = token if token[0] not in _QUOTES else token[1:-1].replace(token[-1] * 2, token[-1])
    if (created.split()[-1].lower(), bare.lower()) != (kind, str(name).lower()):
        raise StorageError(f"the schema of {str(name)[:80]!r} was tampered with")
    return SchemaObject(created, bare, sql)


def _may_read(action: int, _: str | None, __: str | None, ___: str | None, view: str | None) -> int:
    """Refuse recursive queries, attached files, and anything in a view or trigger."""
    is_refused = action in {RECURSIVE, sqlite3.SQLITE_ATTACH} or view is not None
    return sqlite3.SQLITE_DENY if is_refused else sqlite3.SQLITE_OK


def _facts(path: str) -> tuple[int, int] | None:
    """Return device and inode, None for a missing file or a path with links."""
    if os.path.realpath(path) != path:
        return None
    facts = os.stat(path)
    return facts.st_dev, facts.st_ino
