"""
The schema version of the store, and its migration to the newest.

Ranking reads the narrow table `entry`. Texts, counters and vectors have tables of their
own, so that counting a recall rewrites nothing else and a scan of facts never touches a
vector's page. `entries`, `memories` and `memory_index` are views with the customer's
column names.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from hardwon.adapters.sql.database import COUNT_BUSY_SECONDS
from hardwon.adapters.sqlite.database import (
    FILE_NAME,
    SqliteDatabase,
    transaction,
    unenforced_foreign_keys,
)
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError

NEWEST = 22
"""
The version after the last migration.

Kept here, as migrations are rarely imported.
"""


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the version of the store, 0 for an empty file."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = '_metadata'").fetchone():
        return 0
    row = connection.execute("SELECT value FROM _metadata WHERE key = 'schema_version'").fetchone()
    if not row:
        return 0
    if not str(row[0]).isdecimal():
        raise CorruptStoreError(
            f"the store's schema version is {row[0]!r}, no number, run: hardwon doctor --repair"
        )
    return int(row[0])


def refuse_newer(connection: sqlite3.Connection, path: str = "") -> None:
    """
    Check that this program knows the store's schema.

    Args:
        connection: The store.
        path: Its file, beside which earlier copies may be. Empty without one.

    Raises:
        NewerSchemaError: a later hardwon wrote it. The message names a copy that this program
            can read, if there is one.
    """
    if (found := schema_version(connection)) <= NEWEST:
        return
    message = (
        f"the store has schema version {found}, this hardwon knows {NEWEST}: upgrade hardwon to one"
        f" that knows {found}"
    )
    copies = [copy for copy in copies_beside(path) if copy.version <= NEWEST]
    if copies:
        version, copy = max(copies)
        message += f"; a copy from before it was migrated is {copy}, of version {version}"
    raise NewerSchemaError(f"{message}; nothing was changed")


class EarlierCopy(NamedTuple):
    """A copy that was kept before a migration."""

    version: int
    path: str


def copies_beside(path: str) -> list[EarlierCopy]:
    """
    Return the copies of earlier versions beside the store at *path*.

    Empty if the folder can't be read.
    """
    folder, file = os.path.split(path)
    beginning = f"{file}.v"
    try:
        names = (
            [name for name in os.listdir(folder) if name.startswith(beginning)] if folder else []
        )
    except OSError:
        return []
    versions = ((name.removeprefix(beginning), name) for name in names)
    return [
        EarlierCopy(int(version), os.path.join(folder, name))
        for version, name in versions
        if version.isdecimal()
    ]


def migrate(
    connection: sqlite3.Connection, keep_copy: Callable[[int], None] = lambda _: None
) -> None:
    """
    Migrate the store to the newest version, in one transaction.

    Idempotent. Drift from the store's version is repaired first. Parts of later versions that
    it already has are kept.

    Args:
        connection: The store.
        keep_copy: Called with the store's version under the write lock, before any change.
            Not called for a new store. An error that it raises ends the migration.
    """
    if schema_version(connection) < NEWEST:
        with unenforced_foreign_keys(connection), transaction(connection):
            _migrate(connection, keep_copy)


def _migrate(connection: sqlite3.Connection, keep_copy: Callable[[int], None]) -> None:
    from hardwon.adapters.sqlite.migrations import MIGRATIONS  # noqa: PLC0415  # rarely needed

    version = schema_version(connection)
    if version >= NEWEST:  # another process has done it meanwhile
        return
    if version:
        keep_copy(version)
    with _repaired(connection, version) if version else nullcontext():
        for step in MIGRATIONS[version:]:
            step(connection)
    connection.execute(
        "INSERT INTO _metadata (key, value) VALUES ('schema_version', ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(NEWEST),),
    )


@contextmanager
def _repaired(connection: sqlite3.Connection, version: int) -> Iterator[None]:
    """
    Give the schema of *version* to the store within.

    It undoes what an unfinished migration has changed.
    """
    from hardwon.adapters.sqlite.drift import repair, without_later_parts  # noqa: PLC0415  # rarely needed

    with without_later_parts(connection, version) as set_aside:
        repair(connection, version, set_aside)
        yield


def open_existing(folder: str) -> SqliteDatabase | None:
    """
    Open an existing store without creating or migrating it.

    Used by hooks. None without a store of the newest schema.
    """
    path = os.path.join(folder, FILE_NAME)
    if not os.path.isfile(path):
        return None
    database = SqliteDatabase(path, COUNT_BUSY_SECONDS, durable=False)
    try:
        with database.translated():
            if schema_version(database.connection) == NEWEST:
                return database
    except StorageError:
        database.close()
        raise
    database.close()
    return None
