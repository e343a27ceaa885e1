"""Opening, checking and repairing a store."""

import datetime as dt
import os
import sqlite3
import struct
import time
from contextlib import closing
from functools import partial

from hardwon.adapters.sqlite.database import (
    BUSY_SECONDS,
    FILE_NAME,
    IN_MEMORY,
    SqliteDatabase,
    transaction,
    unenforced_foreign_keys,
)
from hardwon.adapters.sqlite.derived import ensure_tallies
from hardwon.adapters.sqlite.file_errors import REPAIR, may_exist, primary_code
from hardwon.adapters.sqlite.keyword_index import ensure_index
from hardwon.adapters.sqlite.postings import ensure_postings
from hardwon.adapters.sqlite.schema import NEWEST, migrate, refuse_newer, schema_version
from hardwon.adapters.sqlite.vectors import ensure_blocks
from hardwon.domain.model.errors import CorruptStoreError, OlderSchemaError, StorageError

COMPANIONS = ("-wal", "-shm")
LOG_HEADER = struct.Struct(">8I")
LOG_MAGIC = 0x377F0682
LOG_RETRY_SECONDS = 0.005
UPGRADE_BUSY_SECONDS = 60.0
"""
Upper bound of the wait for another process that migrates the store.

Hooks wait as for any other writer.
"""


def ensure_sound(database: SqliteDatabase) -> None:
    """Read the whole store and check its structure."""
    from hardwon.adapters.sqlite.damage import damage_of  # noqa: PLC0415  # for a check only

    with database.translated():
        found = damage_of(database.connection)
    if found:
        raise CorruptStoreError(f"{database.path}: {found}{REPAIR}")


def damaged_log(path: str) -> str:
    """
    Return a warning if the store's write-ahead log has no valid header.

    Empty if all is well. SQLite ignores such a log. A removed or truncated log is not noticed.
    """
    log = f"{path}-wal"
    try:
        with open(log, "rb") as file:
            header = file.read(LOG_HEADER.size)
    except OSError:
        return ""  # there is none, or opening the store tells why it can't be read
    if not header or (len(header) == LOG_HEADER.size and _is_log_header(header)):
        return ""
    return (
        f"{log} is damaged: what was stored last is lost, all before is there; the next program"
        " that writes replaces it"
    )


def _is_log_header(header: bytes) -> bool:
    """Return whether the two checksums at the end match the rest."""
    magic, *_ = struct.unpack(">I", header[:4])
    if magic & ~1 != LOG_MAGIC:
        return False
    words = struct.unpack(">6I" if magic & 1 else "<6I", header[:24])
    first = second = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return struct.unpack(">2I", header[24:]) == (first, second)


def move_aside(folder: str, now: dt.datetime) -> str:
    """
    Rename the database file and return its new path.

    A new store can then replace it.
    """
    path = os.path.join(folder, FILE_NAME)
    aside = f"{path}.broken-{now:%Y%m%dT%H%M%S%f}"
    try:
        for companion in COMPANIONS:  # first: otherwise a new file would use them
            if os.path.exists(path + companion):
                os.rename(path + companion, aside + companion)
        os.rename(path, aside)
    except OSError as error:
        raise StorageError(f"{path}: {error}") from error
    return aside


def open_store(
    folder: str,
    *,
    busy_seconds: float = BUSY_SECONDS,
    repair_index: bool = True,
    create: bool = True,
    largest_upgrade: int | None = None,
    durable: bool = True,
) -> SqliteDatabase:
    """
    Open the store in *folder* at the newest schema, created if missing.

    A store of an earlier version is copied beside itself, then migrated.

    Args:
        folder: Holds `memory.db`. Created with mode 0700.
        busy_seconds: Upper bound of the wait for other writers.
        repair_index: Rebuild a keyword index that does not match the entries.
        create: If False, a missing store is replaced by an empty one in memory.
        largest_upgrade: Bytes of the largest store that is migrated, None without a limit.
            For hooks, whose time is bounded: copying and migrating takes 10 to 40 ms a megabyte.
        durable: As for `SqliteDatabase`.

    Raises:
        NewerSchemaError: a later hardwon wrote it. Nothing was changed.
        OlderSchemaError: it needs a migration and is larger than *largest_upgrade*.
            Nothing was changed.
        StorageError: it can't be opened, copied or migrated. Nothing was changed.

    """
    path = os.path.join(folder, FILE_NAME)
    is_there = may_exist(path) or (os.path.lexists(folder) and not os.path.isdir(folder))
    database = SqliteDatabase(
        path if create or is_there else IN_MEMORY, busy_seconds, durable=durable
    )
    try:
        with database.translated():
            refuse_newer(database.connection, path)
            _keep_log(database, busy_seconds)
            _upgrade(database, largest_upgrade)
        ensure_tallies(database)
        ensure_postings(database)
        ensure_index(database, repair_index=repair_index)
        ensure_blocks(database)
    except StorageError:
        database.close()
        raise
    return database


def repair_store(folder: str) -> tuple[list[str], list[str]]:
    """
    Repair drift of the schema of the store in *folder*.

    Does nothing without a store of the newest version, as opening migrates and repairs others.

    Returns:
        The differences that were repaired, and those that remain.
    """
    from hardwon.adapters.sqlite.drift import drift, repair  # noqa: PLC0415  # for a repair only

    path = os.path.join(folder, FILE_NAME)
    if not os.path.isfile(path):
        return [], []
    with closing(SqliteDatabase(path)) as database, database.translated():
        connection = database.connection
        if schema_version(connection) != NEWEST or not (before := drift(connection, NEWEST)):
            return [], []
        with unenforced_foreign_keys(connection), transaction(connection):
            repair(connection, NEWEST)
        after = drift(connection, NEWEST)
    return [line for line in before if line not in after], after


def drift_of(database: SqliteDatabase) -> list[str]:
    """Return the differences of an open store's schema, one a line."""
    from hardwon.adapters.sqlite.drift import drift  # noqa: PLC0415  # for a check only

    with database.translated():
        return drift(database.connection, NEWEST)


def _keep_log(database: SqliteDatabase, busy_seconds: float) -> None:
    """
    Switch the store to a write-ahead log.

    Processes that open a new store together refuse each other at once here, as SQLite does not
    wait for a lock that two connections wait for. So this retries until *busy_seconds* are over.
    """
    end = time.monotonic() + busy_seconds
    while True:
        try:
            database.connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= end:
                raise
            time.sleep(LOG_RETRY_SECONDS)
        else:
            database.reserve_index()
            return


def _upgrade(database: SqliteDatabase, largest_upgrade: int | None) -> None:
    version = schema_version(database.connection)
    if not 0 < version < NEWEST:
        migrate(database.connection)
        return
    if largest_upgrade is not None and os.path.getsize(database.path) > largest_upgrade:
        raise OlderSchemaError(
            f"{database.path} is of version {version} and too large to be brought to version"
            f" {NEWEST} here; the worker or any command does it, such as: hardwon stats"
        )
    from hardwon.adapters.sqlite.copies import keep_copy  # noqa: PLC0415  # rarely needed

    with database.waiting(UPGRADE_BUSY_SECONDS if largest_upgrade is None else None):
        migrate(database.connection, partial(keep_copy, database.path))
