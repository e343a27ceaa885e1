"""Opening the store: the file, its schema, its keyword index."""

import os

from hardwon.adapters.sqlite.database import BUSY_SECONDS, FILE_NAME, IN_MEMORY, Database
from hardwon.adapters.sqlite.fts import ensure_index
from hardwon.adapters.sqlite.schema import migrate, refuse_newer
from hardwon.domain.model.errors import StorageError


def open_store(
    folder: str, *, busy_seconds: float = BUSY_SECONDS, repair_index: bool = True, create: bool = True
) -> Database:
    """
    Open the store in *folder*, created when it is not there, at the newest schema.

    Args:
        folder: Holds `memory.db`; created with mode 0700.
        busy_seconds: How long to wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.
        create: False gives an empty store that leaves no trace where there is none.

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
