"""
The schema version of the store, and its migration to the newest one.

`entry` is narrow and hot: ranking reads it. Texts, counters and vectors have tables
of their own, so that counting a recall rewrites nothing else and a scan of facts never
touches a vector's page. `entries`, `memories` and `memory_index` are views with the
customer's column names.
"""

import os
import sqlite3

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, FILE_NAME, Database, transaction
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError

NEWEST = 6
"""The version after the last migration; here, as migrations are rarely needed and not imported otherwise."""


def schema_version(connection: sqlite3.Connection) -> int:
    """
    Return the version of the store, 0 for an empty file.

    Raises:
        CorruptStoreError: the stored version is no number.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = '_metadata'").fetchone():
        return 0
    row = connection.execute("SELECT value FROM _metadata WHERE key = 'schema_version'").fetchone()
    if not row:
        return 0
    if not str(row[0]).isdecimal():
        raise CorruptStoreError(f"the store's schema version is {row[0]!r}, no number, run: hardwon doctor --repair")
    return int(row[0])


def refuse_newer(connection: sqlite3.Connection) -> None:
    """
    Check that this program knows the store's schema.

    Raises:
        NewerSchemaError: a later hardwon wrote it.
    """
    if (found := schema_version(connection)) > NEWEST:
        raise NewerSchemaError(
            f"the store has schema version {found}, this hardwon knows {NEWEST}: upgrade hardwon, nothing was changed"
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the store to the newest version, one transaction a step; idempotent."""
    while schema_version(connection) < NEWEST:
        _step(connection)


def _step(connection: sqlite3.Connection) -> None:
    from hardwon.adapters.sqlite.migrations import MIGRATIONS  # noqa: PLC0415  # rarely needed

    with transaction(connection):
        version = schema_version(connection)
        if version < NEWEST:  # another process may have done it meanwhile
            MIGRATIONS[version](connection)
            connection.execute(
                "INSERT INTO _metadata VALUES ('schema_version', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                (str(version + 1),),
            )


def open_existing(folder: str) -> Database | None:
    """
    Open an existing store without creating or migrating it (used by hooks); None without one of the newest schema.

    Raises:
        StorageError: it can't be opened.

    """
    path = os.path.join(folder, FILE_NAME)
    if not os.path.isfile(path):
        return None
    database = Database(path, COUNT_BUSY_SECONDS)
    try:
        with database.translated():
            if schema_version(database.connection) == NEWEST:
                return database
    except StorageError:
        database.close()
        raise
    database.close()
    return None
