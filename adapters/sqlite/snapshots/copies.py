"""
Whole copies of a store by SQLite's backup API.

A copy is made in one step: SQLite then reads all pages in one transaction, so that what others write meanwhile
neither shows in it nor makes it begin anew, as it would between steps.
"""

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Iterator

from hardwon.adapters.sqlite.database import BUSY_SECONDS, REPAIR, TEMPORARY, Database
from hardwon.adapters.sqlite.schema import migrate, refuse_newer, schema_version
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError

ALL_PAGES = -1
SECONDS_BETWEEN_TRIES = 0.05
MOST_TRIES = round(BUSY_SECONDS / SECONDS_BETWEEN_TRIES)
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def write_copy(source: Database, path: str) -> None:
    """
    Copy *source* to a file of its own, in place of what is there: whole and checked, or not at all.

    It is written under another name first, with mode 0600; the new name is on the disk when this returns.

    Raises:
        StorageError: it can't be written, or is not whole.
    """
    temporary = f"{path}.{os.urandom(8).hex()}.partial"
    try:
        with contextlib.closing(Database(temporary)) as copy:
            copy.rows("PRAGMA journal_mode = OFF")  # what fails is removed
            copy_pages(source, copy)
            copy.rows("PRAGMA journal_mode = DELETE")  # one file, that can be read where nothing may be written
            _ensure_whole(copy, before=f"{source.path}: ", after=REPAIR)
        _publish(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def copy_pages(source: Database, target: Database) -> None:
    """
    Put the state of *source* in place of all that *target* holds.

    Raises:
        StorageError: one of them can't be used, or is held by another program for too long.
    """
    tries = itertools.count(1)

    def give_up(status: int, _: int, __: int) -> None:
        if status in BUSY and next(tries) >= MOST_TRIES:
            raise StorageError(f"{source.path}: another program holds it, try again when it is done")

    with target.translated():
        source.connection.backup(target.connection, pages=ALL_PAGES, progress=give_up, sleep=SECONDS_BETWEEN_TRIES)


@contextlib.contextmanager
def opened_copy(path: str) -> Iterator[Database]:
    """
    Open a checked copy of the store in the file *path*, at the newest schema; the file itself is only read.

    Raises:
        NewerSchemaError: a later hardwon wrote it.
        StorageError: it is missing, damaged or no store.
    """
    if not os.path.isfile(path):
        raise StorageError(f"{path}: there is no such file; nothing was changed")
    with contextlib.closing(Database(TEMPORARY)) as copy:
        try:
            _read(path, copy)
        except NewerSchemaError as error:
            raise NewerSchemaError(f"{path}: {error}") from error
        except StorageError as error:
            raise StorageError(
                f"{path}: it can't be restored, {error.__cause__ or error}; nothing was changed"
            ) from error
        yield copy


def _read(path: str, copy: Database) -> None:
    with contextlib.closing(Database(path, read_only=True)) as source:
        copy_pages(source, copy)
    _ensure_whole(copy)
    with copy.translated():
        refuse_newer(copy.connection)
        if not (schema_version(copy.connection) and copy.rows("PRAGMA table_info(entry_text)")):
            raise StorageError("it is no store of hardwon")
        migrate(copy.connection)
    if copy.rows("PRAGMA foreign_key_check"):
        raise StorageError("parts of its entries are missing")


def _ensure_whole(copy: Database, *, before: str = "", after: str = "") -> None:
    """Read all of *copy*, its indexes too; *before* and *after* what is wrong with it stand in the message."""
    [(finding,)] = copy.rows("PRAGMA integrity_check(1)")
    if finding != "ok":
        raise CorruptStoreError(f"{before}{' '.join(finding.split())}{after}")


def _publish(temporary: str, path: str) -> None:
    """Give a file its name, so that after a crash of the machine it is there whole, or not at all."""
    try:
        _flush(temporary, os.O_RDWR)
        os.replace(temporary, path)
        if os.name == "posix":  # elsewhere a folder can't be opened
            _flush(os.path.dirname(path), os.O_RDONLY)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}; check the path and its permissions") from error


def _flush(path: str, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
