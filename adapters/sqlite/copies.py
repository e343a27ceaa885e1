"""
Whole copies of a store by SQLite's backup API.

A copy is written, checked, flushed and published by a rename. It is made in one step:
SQLite then reads all pages in one transaction, so that concurrent writes neither show in
it nor restart it. A migration keeps a copy beside the store first.
"""

import contextlib
import itertools
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

from hardwon.adapters.durable import refuse_irregular
from hardwon.adapters.folder import Folder, real_place
from hardwon.adapters.sqlite import derived, vectors
from hardwon.adapters.sqlite.database import (
    BUSY_SECONDS,
    TEMPORARY,
    SqliteDatabase,
)
from hardwon.adapters.sqlite.file_errors import REPAIR, translated
from hardwon.adapters.sqlite.schema import copies_beside, migrate, refuse_newer, schema_version
from hardwon.adapters.sqlite.untrusted import (
    MEGABYTE,
    UntrustedDatabase,
    refuse_other_than_table,
    refuse_programs,
    restrict,
    schema_objects,
    size_of,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError

ALL_PAGES = -1
FORMAT_VERSIONS, ROLLBACK = 18, b"\1\1"
"""
Where the header says how the file is written and read.

The value means without a write-ahead log.
"""
SECONDS_BETWEEN_TRIES = 0.05
MAX_TRIES = round(BUSY_SECONDS / SECONDS_BETWEEN_TRIES)
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

LARGEST_STORE = 8_000_000_000
"""Upper bound of the bytes of a restored file, enough for millions of entries."""
TOO_LONG = "reading it takes too long"
RESTORE_SECONDS = 60.0
SECONDS_PER_MEGABYTE = 0.5

VIEWS = ("entries", "memories", "memory_index", "memory_history")
KEYWORD_TABLES = ("entries_fts", "passages_fts")
READ_TABLES = (
    "_metadata entry entry_text recall usage influence vector space sources source_heading"
    " tombstone departed history checkpoints receipt receipt_entry sqlite_sequence project"
    " trusted_folder entry_place forgotten entry_alias"
).split()
"""
The tables that a restore or a migration reads.

Others in a copy are ignored.
"""


def write_copy(source: SqliteDatabase, path: str, *, checked: bool = True) -> None:
    """
    Copy *source* to a new file at *path*, mode 0600.

    The file is flushed to disk, and removed on failure. Not atomic: `publish` then renames it.

    Args:
        source: The store.
        path: Of the new file, links resolved.
        checked: Read the whole copy and refuse a damaged one.

    Raises:
        StorageError: the copy can't be written, or is damaged.
    """
    try:
        with contextlib.closing(SqliteDatabase(path, anywhere=True)) as copy:
            copy.rows("PRAGMA journal_mode = OFF")  # a failed copy is removed anyway
            copy_pages(source, copy)
        with translated(path):
            _let_be_single(path)
        if checked:
            with contextlib.closing(SqliteDatabase(path, read_only=True, anywhere=True)) as copy:
                _ensure_whole(copy, before=f"{source.path}: ", after=REPAIR)
    except BaseException:
        remove(path)
        raise


def publish(written: str, path: str) -> None:
    """
    Rename the file *written* to *path*, atomically and durably.

    Both are in the same folder. An existing file is replaced.
    """
    place, name = os.path.split(path)
    with translated(path), Folder(place) as folder:
        refuse_irregular(folder, name)
        folder.replace(os.path.basename(written), name)
        folder.flush()


def remove(path: str) -> None:
    """Remove a file, ignoring errors."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def copy_pages(source: SqliteDatabase, target: SqliteDatabase) -> None:
    """Replace the contents of *target* by those of *source*."""
    tries = itertools.count(1)

    def give_up(status: int, _: int, __: int) -> None:
        if status in BUSY and next(tries) >= MAX_TRIES:
            raise StorageError(
                f"{source.path}: another program holds it, try again when it is done"
            )

    with target.translated():
        source.connection.backup(
            target.connection, pages=ALL_PAGES, progress=give_up, sleep=SECONDS_BETWEEN_TRIES
        )


@contextlib.contextmanager
def opened_copy(path: str) -> Iterator[SqliteDatabase]:
    """
    Open a checked and migrated copy of the store file *path*.

    The file itself is only read. It may be hostile, so its size is bounded, reading ends at a
    deadline, and only plain tables are read.

    Raises:
        StorageError: it is missing, damaged, too large or no store, or reading takes too long.
    """
    if not os.path.isfile(path):
        raise StorageError(f"{path}: there is no such file; nothing was changed")
    deadline = Deadline.after(
        RESTORE_SECONDS + SECONDS_PER_MEGABYTE * size_of(path) / MEGABYTE, time.monotonic
    )
    with contextlib.closing(SqliteDatabase(TEMPORARY)) as copy:
        try:
            _read(os.path.realpath(path), copy, deadline)
        except NewerSchemaError as error:
            raise NewerSchemaError(f"{path}: {error}") from error
        except StorageError as error:
            reason = TOO_LONG if deadline.passed() else error.__cause__ or error
            raise StorageError(
                f"{path}: it can't be restored, {reason}; nothing was changed"
            ) from error
        try:
            yield copy
        except StorageError as error:
            if not deadline.passed():
                raise
            raise StorageError(
                f"{path}: it can't be restored, {TOO_LONG}; nothing was changed"
            ) from error


def _read(path: str, copy: SqliteDatabase, deadline: Deadline) -> None:
    with contextlib.closing(UntrustedDatabase(path, deadline, LARGEST_STORE)) as source:
        copy_pages(source, copy)
    with copy.translated():
        restrict(copy.connection, deadline)
    _drop_triggers(copy)
    objects = schema_objects(copy)
    refuse_programs(objects, VIEWS, KEYWORD_TABLES)
    for name in READ_TABLES:
        refuse_other_than_table(copy, objects, name)
    _ensure_whole(copy)
    with copy.translated():
        refuse_newer(copy.connection)
        if not (schema_version(copy.connection) and copy.rows("PRAGMA table_info(entry_text)")):
            raise StorageError("it is no store of hardwon")
        migrate(copy.connection)
    _drop_triggers(copy)
    copy.rows(f"DELETE FROM {derived.TALLY_TABLE}")  # nothing keeps them any more
    if copy.rows("PRAGMA foreign_key_check"):
        raise StorageError("parts of its entries are missing")


def _drop_triggers(copy: SqliteDatabase) -> None:
    """
    Drop the triggers of derived tables.

    A copy does not need them and must not run them.
    """
    for name in (*vectors.BLOCK_TRIGGERS, *derived.TALLY_TRIGGERS):
        copy.rows(f"DROP TRIGGER IF EXISTS {name}")


def _ensure_whole(copy: SqliteDatabase, *, before: str = "", after: str = "") -> None:
    """Check all of *copy* and its indexes, with *before* and *after* around the finding."""
    [(finding,)] = copy.rows("PRAGMA integrity_check(1)")
    if finding != "ok":
        raise CorruptStoreError(f"{before}{' '.join(finding.split())}{after}")


def _let_be_single(path: str) -> None:
    """Make a copy readable without a write-ahead log, where nothing may be written."""
    place, name = os.path.split(path)
    with Folder(place) as folder:
        descriptor = folder.open(name, os.O_RDWR)
        try:
            # SQLite would create a log by name, maybe in a folder that replaced this one.
            os.lseek(descriptor, FORMAT_VERSIONS, os.SEEK_SET)
            os.write(descriptor, ROLLBACK)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        folder.flush()


KEPT = 2
PARTIAL = ".partial"


def keep_copy(path: str, version: int) -> None:
    """
    Copy the store at *path* to `memory.db.v{version}` before a migration.

    An earlier copy of that name is replaced, and only the last two copies are kept. The caller
    holds the store's write lock, so that no other process writes such a copy and it holds what was
    committed before. Its pages are not checked, as a damaged keyword index must not block a
    migration. The copy gets its name once it is complete and on disk.
    """
    path = real_place(path)
    _sweep(path)
    copy = f"{path}.v{version}"
    written = f"{copy}{PARTIAL}"
    try:
        with closing(
            SqliteDatabase(path)
        ) as source:  # not the writing connection, which can't be copied
            write_copy(source, written, checked=False)
        publish(written, copy)
    except StorageError as error:
        remove(written)
        raise StorageError(
            f"the store was not migrated, as no copy of it could be kept before: {error}; nothing"
            " was changed"
        ) from error
    for _, old in sorted((os.stat(path).st_mtime_ns, path) for _, path in copies_beside(path))[
        :-KEPT
    ]:
        remove(old)


def _sweep(path: str) -> None:
    folder, file = os.path.split(path)
    for name in os.listdir(folder):
        if name.startswith(f"{file}.v") and name.endswith(PARTIAL):
            remove(os.path.join(folder, name))
