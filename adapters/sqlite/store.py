"""Opening of a store with its schema and keyword index, its check for damage, and the removal of a damaged one."""

import datetime as dt
import os

from hardwon.adapters.sqlite.database import BUSY_SECONDS, FILE_NAME, IN_MEMORY, Database
from hardwon.adapters.sqlite.keyword_index import ensure_index
from hardwon.adapters.sqlite.schema import migrate, refuse_newer
from hardwon.domain.model.errors import CorruptStoreError, StorageError

COMPANIONS = ("-wal", "-shm")


def ensure_sound(database: Database) -> None:
    """
    Read the whole store and check its structure.

    Raises:
        CorruptStoreError: something in it is damaged.
    """
    findings = database.rows("PRAGMA quick_check(1)")
    if findings != [("ok",)]:
        raise CorruptStoreError(f"{database.path}: {findings[0][0]}, run: hardwon doctor --repair")


def move_aside(folder: str, now: dt.datetime) -> str:
    """
    Rename the database file, so that a new one can replace it; return the new path.

    Raises:
        StorageError: it can't be renamed.
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
    folder: str, *, busy_seconds: float = BUSY_SECONDS, repair_index: bool = True, create: bool = True
) -> Database:
    """
    Open the store in *folder* at the newest schema, created if missing.

    Args:
        folder: Holds `memory.db`; created with mode 0700.
        busy_seconds: Upper bound of the wait for other writers.
        repair_index: Rebuild a keyword index that does not match the entries.
        create: If False, a missing store is replaced by an empty one in memory.

    Raises:
        NewerSchemaError: a later hardwon wrote it; nothing was changed.
        StorageError: it can't be opened.

    """
    path = os.path.join(folder, FILE_NAME)
    is_there = os.path.lexists(path) or (os.path.lexists(folder) and not os.path.isdir(folder))
    database = Database(path if create or is_there else IN_MEMORY, busy_seconds)
    try:
        with database.translated():
            refuse_newer(database.connection)
            database.connection.execute("PRAGMA journal_mode = WAL")
            migrate(database.connection)
        ensure_index(database, repair=repair_index)
    except StorageError:
        database.close()
        raise
    return database
