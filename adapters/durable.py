"""Files that are whole and on the disk when they have their name. Standard library only; every adapter may use it."""

import contextlib
import os
import re
import time
from collections.abc import Callable

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp$")
LONGEST_WRITE = 3600.0
"""Seconds after which a temporary file is what a killed process left."""


def temporary_beside(path: str) -> str:
    """Return a free name in the folder of *path*, for a file that is to become it; also remove what killed processes left there."""
    folder = os.path.dirname(path) or os.curdir
    with contextlib.suppress(OSError):
        sweep(folder)
    return f"{path}.{os.urandom(8).hex()}.tmp"


def sweep(folder: str) -> None:
    """
    Remove the temporary files in *folder* that killed processes left there over an hour ago.

    Raises:
        OSError: the folder can't be read.
    """
    for path in _temporary_files(folder):
        with contextlib.suppress(OSError):
            if time.time() - os.stat(path).st_mtime > LONGEST_WRITE:
                os.unlink(path)


def remove_unfinished(folder: str, holds: Callable[[str], bool]) -> None:
    """
    Remove the temporary files in *folder* of whatever age whose text *holds* something that must not stay.

    Raises:
        OSError: the folder or a file can't be read or changed.
    """
    for path in _temporary_files(folder):
        with contextlib.suppress(FileNotFoundError):  # its process has finished it meanwhile
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if holds(text):
                os.unlink(path)


def _temporary_files(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        named = [entry for entry in entries if TEMPORARY.search(entry.name)]
    return [entry.path for entry in named if entry.is_file(follow_symlinks=False)]


def flush(path: str) -> None:
    """Let the content of a file, or the names in a folder, be on the disk."""
    if os.name != "posix" and os.path.isdir(path):
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_name(path: str) -> None:
    """Let the name of a file be on the disk, or that it is gone."""
    flush(os.path.dirname(path) or os.curdir)


def replace(temporary: str, path: str) -> None:
    """Give a written file its name, in place of any other; a power failure leaves the old file or the new one, whole."""
    flush(temporary)
    os.replace(temporary, path)
    flush_name(path)
