"""Messages for errors of SQLite and the file system."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hardwon.domain.model.errors import CorruptStoreError, HardwonError, StorageError

REPAIR = ", run: hardwon doctor --repair"
COMPANIONS = ("", "-wal", "-shm", "-journal")
FULL = "the disk is full: free some space"
READ_ONLY = "the file system of {} is read-only: mount it for writing, or name another store"
OTHER_PROBLEM = "the disk may be full or failing"
"""Used where the file system shows no cause."""


SHOWN_CHARACTERS = 60
OTHER_FORMAT = "invalid fts5 file format"
"""The beginning of SQLite's message about a keyword index that it can't read."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
WAYS_OUT = {
    sqlite3.SQLITE_BUSY: "; another program holds it, try again when it is done",
    sqlite3.SQLITE_READONLY: "; check the permissions of the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "; it must be a file in a folder you may write to",
    sqlite3.SQLITE_FULL: "; free some space",
    sqlite3.SQLITE_IOERR: f"; {OTHER_PROBLEM}",
    sqlite3.SQLITE_INTERRUPT: ", as it took too long",
    sqlite3.SQLITE_TOOBIG: "; a single value of it takes too much memory",
}
OF_THE_FILE = (
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
)
"""Errors that the file system may explain better."""

PRIMARY_CODE = 0xFF  # higher bits are details, such as SQLITE_CORRUPT_VTAB


@contextmanager
def translated(path: str, repair: str = "") -> Iterator[None]:
    """
    Translate errors within into `StorageError`.

    Covers errors of sqlite3, of the file system and of lone surrogates.

    Args:
        path: The file, for the message.
        repair: Advice about a damaged file, appended to the message.

    """
    try:
        yield
    except HardwonError:
        raise
    except UnicodeEncodeError as error:
        raise StorageError(
            f"{path}: {error.object[:SHOWN_CHARACTERS]!r} is not valid text"
        ) from error
    except OSError as error:
        raise StorageError(f"{path}: {problem_of_creating(path, error)}") from error
    except ValueError as error:
        raise StorageError(f"{path}: {error}; check the path and its permissions") from error
    except sqlite3.Error as error:
        code = primary_code(error)
        if code in DAMAGED or str(error).startswith(OTHER_FORMAT):
            raise CorruptStoreError(f"{path}: {error}{repair}") from error
        seen = problem_of(path) if code in OF_THE_FILE else ""
        raise StorageError(f"{path}: {seen or str(error) + WAYS_OUT.get(code, '')}") from error


def primary_code(error: sqlite3.Error) -> int:
    """Return the primary code of *error*, 0 if it is not SQLite's."""
    return getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE


def problem_of(path: str) -> str:
    """
    Return why the database can't be read or written, with a remedy.

    Checks the folder, the file and its companions, then the free space. Empty if all is well.
    """
    folder = os.path.dirname(path)
    if not _exists(folder):
        return ""
    if os.path.isdir(path):
        return f"{path} is a folder, not a file: move it away"
    if _is_mounted_read_only(folder):
        return READ_ONLY.format(folder)
    if wrong := _denied(folder, os.R_OK | os.X_OK, folder) or _denied(folder, os.W_OK, folder):
        return wrong
    files = [path + ending for ending in COMPANIONS if _exists(path + ending)]
    denied = (
        _denied(file, mode, "it" if file == path else file)
        for mode in (os.R_OK, os.W_OK)
        for file in files
    )
    return next(filter(None, denied), "") or (FULL if _is_full(folder) else "")


def problem_of_creating(path: str, error: OSError) -> str:
    """Return why the file can't be created or accessed, with a remedy."""
    if error.errno == errno.ENOSPC:
        return FULL
    if error.errno == errno.EROFS:
        return READ_ONLY.format(os.path.dirname(path))
    reason = error.strerror or str(error)
    return (
        error.errno == errno.EACCES and problem_of(path)
    ) or f"{reason}; check the path and its permissions"


def may_exist(path: str) -> bool:
    """Return whether *path* exists, or can't be checked for lack of permission."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _exists(path: str) -> bool:
    return os.path.lexists(path)


def _denied(path: str, mode: int, name: str) -> str:
    if os.access(path, mode):
        return ""
    what = "write" if mode == os.W_OK else "read"
    owner = os.stat(path).st_uid
    if owner == os.geteuid():
        return (
            f"no permission to {what} {name}: run chmod u+rw{'x' if os.path.isdir(path) else ''}"
            f" {path}"
        )
    return (
        f"no permission to {what} {name}, which belongs to user {owner}: let that user give it to"
        " you, or name another store"
    )


def _is_full(folder: str) -> bool:
    return free_bytes(folder) < ROOM


def _is_mounted_read_only(folder: str) -> bool:
    with suppress(OSError, AttributeError):  # Windows does not have it
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    return False


ENDING = "-shm"
REGION = 32_768
"""Bytes of the index for each 4,062 pages of the log."""
PAGES_OF_A_REGION = 4_062
STEP = 4_096
"""Distance of the bytes that SQLite writes to allocate space."""
ROOM = 4 * REGION
"""Free bytes that the index and the log's first pages surely fit into."""
BLOCK_OF_STAT = 512
OPEN_FILES = "/proc/self/fd"


def has_room(folder: str) -> bool:
    """
    Return whether an index can be created in *folder*.

    Otherwise a failure to write it would end the process.
    """
    about = _about(folder)
    return about is None or about.f_frsize >= STEP or free_bytes(folder) >= ROOM


def free_bytes(folder: str) -> int:
    """
    Return the free bytes for users on the disk of *folder*.

    Returns `ROOM` where the system does not say.
    """
    about = _about(folder)
    return about.f_bavail * about.f_frsize if about and about.f_blocks else ROOM


def reserve(path: str, pages: int) -> None:
    """
    Fill the holes of the log's index that this process has open.

    Args:
        path: The database.
        pages: The size of the log to allow for.

    Raises:
        OSError: the disk has no room for it.
    """
    about = _about(os.path.dirname(path))
    if about is None or about.f_frsize >= STEP:
        return
    wanted = REGION * (1 + pages // PAGES_OF_A_REGION)
    # Not by a descriptor of our own: closing it would drop SQLite's locks on the file.
    for number in _descriptors(os.path.realpath(path) + ENDING):
        if os.fstat(number).st_blocks * BLOCK_OF_STAT < wanted:
            os.posix_fallocate(number, 0, wanted)


def address_option(path: str) -> str:
    """
    Return the address option by which SQLite keeps the index in memory.

    Empty where the disk has room for an index.
    """
    if has_room(os.path.dirname(path)):
        return ""
    try:
        return (
            "&readonly_shm=1" if os.stat(path + ENDING).st_blocks * BLOCK_OF_STAT < REGION else ""
        )
    except OSError:  # SQLite wants to see a file, an empty one needs no block
        with suppress(OSError):
            os.close(os.open(path + ENDING, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return "&readonly_shm=1"


def _about(folder: str) -> "os.statvfs_result | None":
    with suppress(OSError, AttributeError):  # Windows does not have it
        return os.statvfs(folder)
    return None


def _descriptors(path: str) -> list[int]:
    found = list[int]()
    with suppress(OSError):
        for name in os.listdir(OPEN_FILES):
            with suppress(OSError):
                if os.readlink(f"{OPEN_FILES}/{name}") == path:
                    found.append(int(name))
    return found
