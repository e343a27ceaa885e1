"""Locks of folders, bounded reads of regular files, and atomic writes of one or several files. Standard library only."""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import BinaryIO, NamedTuple

from hardwon.adapters.durable import flush_name, temporary_beside

try:
    import fcntl
except ImportError:  # Windows: its last writer wins
    fcntl = None  # type: ignore[assignment]

NAP_SECONDS = 0.01
LOCK_SECONDS = 5.0
"""Upper bound of the wait for another process that writes in a folder."""


@contextmanager
def only_writer(folder: str, at_most: float = LOCK_SECONDS) -> Iterator[None]:
    """
    Hold the exclusive lock of *folder*; the system releases it when the process ends.

    Args:
        folder: Must exist.
        at_most: Seconds to wait.

    Raises:
        TimeoutError: another process still holds it.
        OSError: it can't be locked.
    """
    if fcntl is None:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        _wait_for(number, at_most)
        yield
    finally:
        os.close(number)


def _wait_for(number: int, at_most: float) -> None:
    end = time.monotonic() + at_most
    while not _is_taken(number):
        if time.monotonic() >= end:
            raise TimeoutError(f"another process has been writing there for {at_most:g} s: try again when it is done")
        time.sleep(NAP_SECONDS)


def _is_taken(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


PRIVATE = 0o600
ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would hold the hook for ever

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ChangedFileError(OSError):
    """The file was changed since it was read."""


class WholeFile(NamedTuple):
    """The bytes of a file, and its facts from the system when it was read."""

    data: bytes
    facts: os.stat_result


def read_regular_file(path: str, at_most: int, *, follow: bool = True) -> WholeFile:
    """
    Read the file of that path, cut one byte after *at_most*, so that a longer one can be recognised.

    Args:
        path: May be a link, unless *follow* is False.
        at_most: Bytes.
        follow: Whether links are followed.

    Raises:
        OSError: it can't be read.
        ValueError: it is not a regular file, or no file system knows such a path.
    """
    with open(path, "rb", opener=_open_without_waiting if follow else _open_itself) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("not a regular file")
        return WholeFile(file.read(at_most + 1), facts)


SEVERAL_NAMES = (
    "it has another name, maybe of a file elsewhere, and this project is foreign; hardwon trust lets it be read"
)


def read_real_file(path: str, at_most: int, *, is_foreign: bool = False) -> WholeFile:
    """
    Read a file whose path had no links when it was checked, as `read_regular_file` does.

    Args:
        path: Without links.
        at_most: Bytes.
        is_foreign: Whether it is of a foreign project, where a file with several names may be one of the user's.

    Raises:
        OSError: it can't be read.
        ValueError: it is not a regular file, a link took the place of it or of a folder on its way, or it has several
            names in a foreign project.
    """
    file = read_regular_file(path, at_most, follow=False)
    if os.path.realpath(path) != path or not os.path.samestat(os.stat(path), file.facts):
        raise ValueError("it was replaced while it was read")
    if is_foreign and file.facts.st_nlink > 1:
        raise ValueError(SEVERAL_NAMES)
    return file


def read_file_below(path: str, folder: str, at_most: int, *, is_foreign: bool = False) -> WholeFile:
    """
    Read a file that is below *folder*, links resolved, as `read_real_file` does.

    Raises:
        OSError: it can't be read.
        ValueError: it is not a regular file, or a link leads out.
    """
    os.lstat(path)  # one that is missing is no attempt to lead out
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(folder), "")):
        raise ValueError("a link leads out of the project")
    return read_real_file(real, at_most, is_foreign=is_foreign)


def replace_file(path: str, text: str, mode: int = PRIVATE) -> None:
    """Write *text* to *path* atomically, in place of any file."""
    _publish(path, text, mode, os.replace)


@contextmanager
def written_file(path: str, *, replace: bool) -> Iterator[BinaryIO]:
    """
    Yield a file that becomes *path* when all is written, on the disk and for the user alone; on an error nothing changes.

    Raises:
        FileExistsError: there is a file, and *replace* is false.
        OSError: it can't be written.
    """
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    temporary = temporary_beside(path)
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, PRIVATE)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        (os.replace if replace else move_to_free_place)(temporary, path)
        flush_name(path)
    except BaseException:
        remove_if_there(temporary)
        raise


def create_file(path: str, text: str, mode: int = 0o666) -> None:
    """
    Write *text* to the new file *path* atomically.

    Raises:
        FileExistsError: there is a file; it was not changed.
    """
    _publish(path, text, mode, move_to_free_place)


def rewrite_file(path: str, text: str, was: os.stat_result) -> None:
    """
    Replace the text of a file that was read, atomically; it keeps its mode.

    Args:
        path: The file itself, not a link to it.
        text: Its new text.
        was: Its facts from the system when it was read.

    Raises:
        ChangedFileError: it was changed since; it stays as it is.
        OSError: it can't be written.
    """

    def move(temporary: str, path: str) -> None:
        os.chmod(temporary, stat.S_IMODE(was.st_mode))  # the umask took some of it
        refuse_changed(path, was)
        os.replace(temporary, path)

    _publish(path, text, stat.S_IMODE(was.st_mode), move)


def remove_file(path: str, was: os.stat_result) -> None:
    """Remove a file that was read; *was* and the errors are those of `rewrite_file`."""
    refuse_changed(path, was)
    os.unlink(path)


def is_read_only(path: str, facts: os.stat_result) -> bool:
    """Return whether the file's permissions forbid this process to write it."""
    return not (facts.st_mode & ANY_WRITE and os.access(path, os.W_OK))


def reason(error: OSError | ValueError) -> str:
    """Return the message of *error* without the path."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAIT)


def _open_itself(path: str, flags: int) -> int:
    return _open_without_waiting(path, flags | _NO_LINK)


def refuse_changed(path: str, was: os.stat_result) -> None:
    """
    Check that the file is as it *was* when it was read.

    Raises:
        ChangedFileError: it was changed since.
    """
    try:
        now = os.stat(path)
        is_same = (now.st_ino, now.st_size, now.st_mtime_ns) == (was.st_ino, was.st_size, was.st_mtime_ns)
    except FileNotFoundError:
        is_same = False
    if not is_same:
        raise ChangedFileError("somebody else wrote it meanwhile: nothing was changed, try again")


def _publish(path: str, text: str, mode: int, move: Callable[[str, str], None]) -> None:
    temporary = temporary_beside(path)
    try:
        write_new(temporary, text, mode)
        move(temporary, path)
        flush_name(path)
    except BaseException:
        remove_if_there(temporary)
        raise


def write_new(path: str, text: str, mode: int) -> None:
    """Write the new file *path* to the disk, not atomically."""
    with open(path, "x", encoding="utf-8", newline="\n", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def remove_if_there(path: str) -> None:
    """Remove the file, ignoring errors."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def move_to_free_place(temporary: str, path: str) -> None:
    """
    Rename the file *temporary* to *path*.

    Raises:
        FileExistsError: there is a file of that name; it was not changed.
    """
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.rename(temporary, path)
        return
    os.unlink(temporary)


class FileChange(NamedTuple):
    """
    A change of one file.

    Attributes:
        path: The file itself, not a link to it; its folder exists.
        text: Its new text.
        mode: Of the file.
        before: Its old text.
        was: Its facts from the system when it was read; None for a new file.

    """

    path: str
    text: str
    mode: int
    before: str
    was: os.stat_result | None


class _Staged(NamedTuple):
    """A change whose old and new text are in temporary files, so that only renames are left."""

    change: FileChange
    new: str
    old: str


class JointWriteError(OSError):
    """
    None of the files was changed.

    Attributes:
        path: The file that could not be changed.

    """

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path


def write_together(changes: Sequence[FileChange]) -> None:
    """
    Write all of *changes* or none: when one fails, the earlier ones are rolled back.

    Not atomic only if the process is killed between two renames.

    Raises:
        JointWriteError: a file was changed since it was read, or can't be written.

    """
    with ExitStack() as temporaries, ExitStack() as undoing:
        staged = [_stage(change, temporaries) for change in changes]
        for change in changes:
            with _naming(change.path):
                _refuse_conflict(change)
        for staged_file in staged:
            with _naming(staged_file.change.path):
                undoing.callback(_roll_back, staged_file, os.stat(staged_file.new))
                _publish_staged(staged_file)
        undoing.pop_all()


@contextmanager
def _naming(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise JointWriteError(path, "somebody else made it meanwhile: nothing was changed, try again") from error
    except (OSError, ValueError) as error:
        raise JointWriteError(path, reason(error)) from error


def _stage(change: FileChange, temporaries: ExitStack) -> _Staged:
    new, old = temporary_beside(change.path), temporary_beside(change.path)
    texts = {new: change.text} if change.was is None else {new: change.text, old: change.before}
    for path, text in texts.items():
        temporaries.callback(remove_if_there, path)
        with _naming(change.path):
            write_new(path, text, change.mode)
            if change.was is not None:
                os.chmod(path, change.mode)  # the umask took some of it
    return _Staged(change, new, old)


def _refuse_conflict(change: FileChange) -> None:
    if change.was is not None:
        refuse_changed(change.path, change.was)
    elif os.path.lexists(change.path):
        raise FileExistsError(change.path)


def _publish_staged(staged: _Staged) -> None:
    if staged.change.was is None:
        move_to_free_place(staged.new, staged.change.path)
    else:
        refuse_changed(staged.change.path, staged.change.was)
        os.replace(staged.new, staged.change.path)
    flush_name(staged.change.path)


def _roll_back(staged: _Staged, written: os.stat_result) -> None:
    """Undo a change, unless the file is not the one *written*: not yet changed, or changed since by another process."""
    with suppress(OSError):
        refuse_changed(staged.change.path, written)
        if staged.change.was is None:
            os.unlink(staged.change.path)
        else:
            os.replace(staged.old, staged.change.path)
