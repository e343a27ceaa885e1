"""What sqlite3 and the file system raise, in words of ours. Standard library only: the capture hooks need it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from hardwon.domain.model.errors import CorruptStoreError, HardwonError, StorageError

SHOWN_CHARACTERS = 60
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
WAYS_OUT = {
    sqlite3.SQLITE_BUSY: "; another program holds it, try again when it is done",
    sqlite3.SQLITE_READONLY: "; check the permissions of the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "; it must be a file in a folder you may write to",
    sqlite3.SQLITE_FULL: "; free some space",
}
PRIMARY_CODE = 0xFF  # above it stand the details, such as SQLITE_CORRUPT_VTAB


@contextmanager
def translated(path: str, repair: str = "") -> Iterator[None]:
    """
    Turn errors of sqlite3, of the file system and of half surrogate pairs into `StorageError`.

    Args:
        path: The file that is meant.
        repair: The way out when it is damaged, as the end of the message.

    """
    try:
        yield
    except HardwonError:
        raise
    except UnicodeEncodeError as error:
        raise StorageError(f"{path}: {error.object[:SHOWN_CHARACTERS]!r} is not valid text") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"{path}: {reason}; check the path and its permissions") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE
        if code in DAMAGED:
            raise CorruptStoreError(f"{path}: {error}{repair}") from error
        raise StorageError(f"{path}: {error}{WAYS_OUT.get(code, '')}") from error
