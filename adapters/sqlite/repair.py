"""Looking for damage, and moving a damaged store out of the way."""

import datetime as dt
import os

from hardwon.adapters.sqlite.database import FILE_NAME, Database
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
    Rename the database file, so that a new one can take its place; return where it is now.

    Raises:
        StorageError: it can't be renamed.
    """
    path = os.path.join(folder, FILE_NAME)
    aside = f"{path}.broken-{now:%Y%m%dT%H%M%S%f}"
    try:
        for companion in COMPANIONS:  # first: beside a new file they would be taken for its own
            if os.path.exists(path + companion):
                os.rename(path + companion, aside + companion)
        os.rename(path, aside)
    except OSError as error:
        raise StorageError(f"{path}: {error}") from error
    return aside
