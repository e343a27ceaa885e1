"""
Room for the shared index of a write-ahead log, which SQLite maps into memory.

SQLite makes room for it by a byte every 4,096. Where blocks are smaller, the rest stays holes, and a write into a hole on a full
disk ends the process by a signal that nothing can catch. Standard library only: the hooks import it.
"""

import os
from contextlib import suppress

ENDING = "-shm"
REGION = 32_768
"""Bytes of the index for each 4,062 pages of the log."""
PAGES_OF_A_REGION = 4_062
STEP = 4_096
"""Distance of the bytes by which SQLite makes room."""
ROOM = 4 * REGION
"""Free bytes that the index and the log's first pages surely fit into."""
BLOCK_OF_STAT = 512
OPEN_FILES = "/proc/self/fd"


def has_room(folder: str) -> bool:
    """Return whether an index can be made in *folder*, where a failure to make it would end the process."""
    about = _about(folder)
    return about is None or about.f_frsize >= STEP or free_bytes(folder) >= ROOM


def free_bytes(folder: str) -> int:
    """Return how much users can still write on the disk of *folder*; enough where the system does not say."""
    about = _about(folder)
    return about.f_bavail * about.f_frsize if about and about.f_blocks else ROOM


def reserve(path: str, pages: int) -> None:
    """
    Fill the holes of the index that this process has open for the database at *path*, for a log of so many *pages*.

    Raises:
        OSError: the disk has no room for it.
    """
    about = _about(os.path.dirname(path))
    if about is None or about.f_frsize >= STEP:
        return
    wanted = REGION * (1 + pages // PAGES_OF_A_REGION)
    # A descriptor of our own must not be closed again: that would drop the locks that SQLite holds on the file.
    for number in _descriptors(os.path.realpath(path) + ENDING):
        if os.fstat(number).st_blocks * BLOCK_OF_STAT < wanted:
            os.posix_fallocate(number, 0, wanted)


def address_option(path: str) -> str:
    """Return what an address for reading needs, so that no index is written on a full disk: SQLite then makes one in memory."""
    if has_room(os.path.dirname(path)):
        return ""
    try:
        return "&readonly_shm=1" if os.stat(path + ENDING).st_blocks * BLOCK_OF_STAT < REGION else ""
    except OSError:  # SQLite wants to see a file, an empty one needs no block
        with suppress(OSError):
            os.close(os.open(path + ENDING, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return "&readonly_shm=1"


def _about(folder: str) -> "os.statvfs_result | None":
    with suppress(OSError, AttributeError):  # Windows does not have it
        return os.statvfs(folder)
    return None


def _descriptors(path: str) -> list[int]:
    """Return the numbers by which this process has a file open."""
    found = list[int]()
    with suppress(OSError):
        for name in os.listdir(OPEN_FILES):
            with suppress(OSError):
                if os.readlink(f"{OPEN_FILES}/{name}") == path:
                    found.append(int(name))
    return found
