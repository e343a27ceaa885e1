"""
Lock folders, and write files atomically and durably.

Standard library only; every adapter may use it.
"""

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from hardwon.adapters.folder import Folder

try:
    import fcntl
except ImportError:  # Windows: its last writer wins
    fcntl = None  # type: ignore[assignment]

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp$")
LONGEST_WRITE = 3600.0
"""Seconds after which a temporary file was left by a killed process."""
PRIVATE = 0o600

NAP_SECONDS = 0.01
LOCK_SECONDS = 5.0
"""Upper bound of the wait for another process that writes in a folder."""


@contextmanager
def only_writer(folder: str, at_most: float = LOCK_SECONDS) -> Iterator[None]:
    """
    Hold the exclusive lock of *folder*.

    The system releases it when the process ends.

    Args:
        folder: Must exist; links resolved.
        at_most: Seconds to wait.

    Raises:
        TimeoutError: another process still holds it.
    """
    if fcntl is None:
        yield
        return
    with Folder(folder) as held:
        _wait_for(held, at_most)
        yield


def _wait_for(folder: Folder, at_most: float) -> None:
    end = time.monotonic() + at_most
    while not _is_taken(folder):
        if time.monotonic() >= end:
            raise TimeoutError(
                f"another process has been writing there for {at_most:g} s: try again when it is"
                " done"
            )
        time.sleep(NAP_SECONDS)


def _is_taken(folder: Folder) -> bool:
    if folder.number is None:
        return True
    try:
        fcntl.flock(folder.number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def temporary_name(folder: Folder, name: str) -> str:
    """Return a free temporary name for *name*, and remove stale ones."""
    with suppress(OSError):
        _sweep(folder)
    return f"{name}.{os.urandom(8).hex()}.tmp"


def _sweep(folder: Folder) -> None:
    for name in _temporary_files(folder):
        with suppress(OSError):
            if is_stale(folder, name):
                folder.remove(name)


def is_stale(folder: Folder, name: str) -> bool:
    """Return whether a killed process left the file or folder of that temporary name."""
    is_temporary = TEMPORARY.search(name) is not None
    return is_temporary and time.time() - folder.facts(name).st_mtime > LONGEST_WRITE


def remove_unfinished(path: str, holds: Callable[[str], bool]) -> None:
    """Remove temporary files of any age whose text *holds* accepts."""
    with Folder(os.path.realpath(path)) as folder:
        for name in _temporary_files(folder):
            with suppress(FileNotFoundError):  # its process has finished it meanwhile
                with open(
                    folder.open(name, os.O_RDONLY), encoding="utf-8", errors="replace"
                ) as file:
                    text = file.read()
                if holds(text):
                    folder.remove(name)


def _temporary_files(folder: Folder) -> list[str]:
    return [name for name in folder.names() if TEMPORARY.search(name) and _is_regular(folder, name)]


def _is_regular(folder: Folder, name: str) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(folder.facts(name).st_mode)
    return False


Move = Callable[[Folder, str, str], None]
"""Gives a written file its name: the folder, the temporary name, the name."""


def replace_any(folder: Folder, temporary: str, name: str) -> None:
    """Rename a written file, in place of another file or link."""
    refuse_irregular(folder, name)
    folder.replace(temporary, name)


def refuse_irregular(folder: Folder, name: str) -> None:
    """
    Check that *name* is free, a regular file or a link.

    Raises:
        OSError: it is a folder, a device, a pipe or a socket.
    """
    if folder.has(name) and not (
        stat.S_ISREG(mode := folder.facts(name).st_mode) or stat.S_ISLNK(mode)
    ):
        raise OSError(errno.EINVAL, "it is no regular file: name another one", name)


@contextmanager
def written_file(
    path: str, mode: int = PRIVATE, *, exact: bool = False, move: Move = replace_any
) -> Iterator[BinaryIO]:
    """
    Yield a file that atomically becomes *path* when all is written.

    A power failure leaves the old file or the new one, whole.

    Args:
        path: Its folder without links, see `real_place`.
        mode: Of the file.
        exact: Whether to ignore the umask.
        move: Gives the written file its name.

    Raises:
        OSError: it can't be written, or a link took the place of its folder; nothing is changed, no
            temporary file is left.
    """
    place, name = os.path.split(path)
    with Folder(place) as folder:
        temporary = temporary_name(folder, name)
        try:
            with new_file(folder, temporary, mode, exact=exact) as file:
                yield file
            move(folder, temporary, name)
            folder.flush()
        except BaseException:
            remove_if_there(folder, temporary)
            raise


@contextmanager
def new_file(folder: Folder, name: str, mode: int, *, exact: bool = False) -> Iterator[BinaryIO]:
    """Yield a new file, synced at the end but not atomic."""
    with open(folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        if exact:
            folder.set_mode(name, mode)
        yield file
        file.flush()
        os.fsync(file.fileno())


def remove_if_there(folder: Folder, name: str) -> None:
    """Remove the file, ignoring errors."""
    with suppress(OSError):
        folder.remove(name)


@contextmanager
def written_output(path: str, *, replace: bool) -> Iterator[BinaryIO]:
    """
    Yield a file that atomically becomes the one a person named.

    Of a link, the target is written.

    Args:
        path: May be anything.
        replace: Whether another file may be replaced.
    """
    place, name = os.path.split(real := os.path.realpath(path))
    with Folder(place) as folder:
        refuse_irregular(folder, name)
        if not replace and folder.has(name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    with written_file(real, move=replace_any if replace else Folder.move_to_free_name) as file:
        yield file
