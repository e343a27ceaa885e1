"""Copies of the store that are kept beside it before a migration. Imported by a migration only."""

import os
from contextlib import closing

from hardwon.adapters.folder import real_place
from hardwon.adapters.sqlite.copies import publish, remove, write_copy
from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.schema import copies_beside
from hardwon.domain.model.errors import StorageError

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
