"""Opening a store that is there, for who must not wait: it is neither made nor migrated."""

import os

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS, FILE_NAME, Database
from hardwon.adapters.sqlite.schema import NEWEST, schema_version
from hardwon.domain.model.errors import StorageError


def open_existing(folder: str) -> Database | None:
    """
    Open the store in *folder* as it is; None where there is none, or one of another schema.

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
