"""
Whole copies of a store by SQLite's backup API: written, checked, flushed, published by a rename, and opened again.

A copy is made in one step: SQLite then reads all pages in one transaction, so that concurrent writes
neither show in it nor restart it, as they would between steps. Before a migration one is kept beside the store.
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
    Database,
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
"""Where the header of a database says how it is written and read, and what it says without a write-ahead log."""
SECONDS_BETWEEN_TRIES = 0.05
MAX_TRIES = round(BUSY_SECONDS / SECONDS_BETWEEN_TRIES)
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

LARGEST_STORE = 8_000_000_000
"""Bytes of a file that is restored: of millions of entries."""
TOO_LONG = "reading it takes too long"
RESTORE_SECONDS = 60.0
SECONDS_PER_MEGABYTE = 0.5

VIEWS = ("entries", "memories", "memory_index", "memory_history")
KEYWORD_TABLES = ("entries_fts", "passages_fts")
READ_TABLES = (
    "_metadata entry entry_text recall usage influence vector space sources source_heading tombstone departed history"
    " checkpoints receipt receipt_entry sqlite_sequence project trusted_folder entry_place forgotten entry_alias"
).split()
"""The tables that a restore or a migration reads; others in a copy are ignored."""


def write_copy(source: Database, path: str, *, checked: bool = True) -> None:
    """
    Copy *source* to a new file at *path*, mode 0600, flushed to disk; removed when that fails.

    Not atomic: `publish` then renames it.

    Args:
        source: The store.
        path: Of the new file, links resolved.
        checked: Read the whole copy and refuse a damaged one.

    Raises:
        StorageError: it can't be written, or is damaged.
    """
    try:
        with contextlib.closing(Database(path, anywhere=True)) as copy:
            copy.rows("PRAGMA journal_mode = OFF")  # a failed copy is removed anyway
            copy_pages(source, copy)
        with translated(path):
            _let_be_single(path)
        if checked:
            with contextlib.closing(Database(path, read_only=True, anywhere=True)) as copy:
                _ensure_whole(copy, before=f"{source.path}: ", after=REPAIR)
    except BaseException:
        remove(path)
        raise


def publish(written: str, path: str) -> None:
    """
    Rename the file *written* to *path*, in the same folder, atomically and durably, replacing any file there.

    Raises:
        StorageError: it can't be renamed.
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


def copy_pages(source: Database, target: Database) -> None:
    """
    Replace the contents of *target* by those of *source*.

    Raises:
        StorageError: one of them can't be used, or is held by another program for too long.
    """
    tries = itertools.count(1)

    def give_up(status: int, _: int, __: int) -> None:
        if status in BUSY and next(tries) >= MAX_TRIES:
            raise StorageError(f"{source.path}: another program holds it, try again when it is done")

    with target.translated():
        source.connection.backup(target.connection, pages=ALL_PAGES, progress=give_up, sleep=SECONDS_BETWEEN_TRIES)


@contextlib.contextmanager
def opened_copy(path: str) -> Iterator[Database]:
    """
    Open a checked, migrated copy of the store in the file *path*, which is only read.

    The file may be hostile: its size is bounded, reading it ends at a deadline, and the tables that are read must be tables.

    Raises:
        NewerSchemaError: a later hardwon wrote it.
        StorageError: it is missing, damaged, too large or no store, or reading it took too long.
    """
    if not os.path.isfile(path):
        raise StorageError(f"{path}: there is no such file; nothing was changed")
    deadline = Deadline.after(RESTORE_SECONDS + SECONDS_PER_MEGABYTE * size_of(path) / MEGABYTE, time.monotonic)
    with contextlib.closing(Database(TEMPORARY)) as copy:
        try:
            _read(os.path.realpath(path), copy, deadline)
        except NewerSchemaError as error:
            raise NewerSchemaError(f"{path}: {error}") from error
        except StorageError as error:
            reason = TOO_LONG if deadline.passed() else error.__cause__ or error
            raise StorageError(f"{path}: it can't be restored, {reason}; nothing was changed") from error
        try:
            yield copy
        except StorageError as error:
            if not deadline.passed():
                raise
            raise StorageError(f"{path}: it can't be restored, {TOO_LONG}; nothing was changed") from error


def _read(path: str, copy: Database, deadline: Deadline) -> None:
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


def _drop_triggers(copy: Database) -> None:
    """Drop the triggers of derived tables, whatever they do: a copy has no use for them, and may run none."""
    for name in (*vectors.BLOCK_TRIGGERS, *derived.TALLY_TRIGGERS):
        copy.rows(f"DROP TRIGGER IF EXISTS {name}")


def _ensure_whole(copy: Database, *, before: str = "", after: str = "") -> None:
    """Check all of *copy*, its indexes too; *before* and *after* enclose the finding in the message."""
    [(finding,)] = copy.rows("PRAGMA integrity_check(1)")
    if finding != "ok":
        raise CorruptStoreError(f"{before}{' '.join(finding.split())}{after}")


def _let_be_single(path: str) -> None:
    """Let a copy need no write-ahead log, so that it can be read where nothing may be written, and flush it."""
    place, name = os.path.split(path)
    with Folder(place) as folder:
        descriptor = folder.open(name, os.O_RDWR)
        try:
            # SQLite would make a log by its name, maybe in a folder that took the place of this one.
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
    Copy the store at *path* to `memory.db.v{version}`, replacing an earlier copy of that name, and remove all but the last two.

    For the holder of the store's write lock: no other process then writes such a copy, and the copy holds what was
    committed before. Its pages are not checked: a damaged keyword index must not keep a store from being migrated.
    The name appears when the copy is whole and on the disk.

    Raises:
        StorageError: it can't be written; nothing was changed.
    """
    path = real_place(path)
    _sweep(path)
    copy = f"{path}.v{version}"
    written = f"{copy}{PARTIAL}"
    try:
        with closing(Database(path)) as source:  # a connection in a write transaction can't be copied
            write_copy(source, written, checked=False)
        publish(written, copy)
    except StorageError as error:
        remove(written)
        raise StorageError(
            f"the store was not migrated, as no copy of it could be kept before: {error}; nothing was changed"
        ) from error
    for _, old in sorted((os.stat(path).st_mtime_ns, path) for _, path in copies_beside(path))[:-KEPT]:
        remove(old)


def _sweep(path: str) -> None:
    """Remove what a killed process left of a copy."""
    folder, file = os.path.split(path)
    for name in os.listdir(folder):
        if name.startswith(f"{file}.v") and name.endswith(PARTIAL):
            remove(os.path.join(folder, name))
