"""Read regular files within bounds, and write files atomically."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from hardwon.adapters.durable import (
    PRIVATE,
    new_file,
    remove_if_there,
    temporary_name,
    written_file,
)
from hardwon.adapters.folder import Folder, open_without_waiting

ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ChangedFileError(OSError):
    """The file was changed since it was read."""


class WholeFile(NamedTuple):
    """The bytes of a file, and its facts when it was read."""

    data: bytes
    facts: os.stat_result


def read_regular_file(path: str, at_most: int, *, follow: bool = True) -> WholeFile:
    """
    Read a regular file, cut one byte after *at_most*.

    Args:
        path: May be a link, unless *follow* is False.
        at_most: Bytes.
        follow: Whether links are followed.
    """
    with open(path, "rb", opener=open_without_waiting if follow else _open_itself) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("not a regular file")
        return WholeFile(file.read(at_most + 1), facts)


SEVERAL_NAMES = (
    "it has another name, maybe of a file elsewhere, and this project is foreign; hardwon trust"
    " lets it be read"
)


def read_real_file(path: str, at_most: int, *, is_foreign: bool = False) -> WholeFile:
    """
    Read a file as `read_regular_file`, if its path has no links.

    Args:
        path: Without links.
        at_most: Bytes.
        is_foreign: Whether it is of a foreign project, where a file with several names may be one
            of the user's.

    Raises:
        ValueError: it is not a regular file, a link took the place of it or of a folder on its way,
            or it has several names in a foreign project.
    """
    file = read_regular_file(path, at_most, follow=False)
    ensure_real(path, file.facts)
    if is_foreign and file.facts.st_nlink > 1:
        raise ValueError(SEVERAL_NAMES)
    return file


def ensure_real(path: str, facts: os.stat_result) -> None:
    """
    Check that the file with *facts* is at *path*, without links on the way.

    Raises:
        ValueError: a link or another file took the place of it.
    """
    if os.path.realpath(path) != path or not os.path.samestat(os.stat(path), facts):
        raise ValueError("it was replaced while it was read")


def read_file_below(path: str, folder: str, at_most: int, *, is_foreign: bool = False) -> WholeFile:
    """Read a file below *folder*, links resolved, as `read_real_file` does."""
    os.lstat(path)  # one that is missing is no attempt to lead out
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(folder), "")):
        raise ValueError("a link leads out of the project")
    return read_real_file(real, at_most, is_foreign=is_foreign)


def replace_file(path: str, text: str, mode: int = PRIVATE) -> None:
    """Write *text* to *path* atomically, in place of any file."""
    with written_file(path, mode) as file:
        file.write(text.encode())


def create_file(path: str, text: str, mode: int = 0o666) -> None:
    """Write *text* to the new file *path* atomically."""
    with written_file(path, mode, move=Folder.move_to_free_name) as file:
        file.write(text.encode())


def rewrite_file(path: str, text: str, was: os.stat_result) -> None:
    """
    Replace the text of a file atomically and keep its mode.

    Args:
        path: The file itself, not a link to it.
        text: Its new text.
        was: Its facts from the system when it was read.

    Raises:
        ChangedFileError: it was changed since; it stays as it is.
        OSError: it can't be written.
    """

    def move(folder: Folder, temporary: str, name: str) -> None:
        _refuse_changed(folder, name, was)
        folder.replace(temporary, name)

    with written_file(path, stat.S_IMODE(was.st_mode), exact=True, move=move) as file:
        file.write(text.encode())


def remove_file(path: str, was: os.stat_result) -> None:
    """Remove a file that was read."""
    place, name = os.path.split(path)
    with Folder(place) as folder:
        _refuse_changed(folder, name, was)
        folder.remove(name)


def is_read_only(path: str, facts: os.stat_result) -> bool:
    """Return whether the file's permissions forbid this process to write it."""
    return not (facts.st_mode & ANY_WRITE and os.access(path, os.W_OK))


def reason(error: OSError | ValueError) -> str:
    """Return the message of *error* without the path."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _open_itself(path: str, flags: int) -> int:
    return open_without_waiting(path, flags | _NO_LINK)


def _refuse_changed(folder: Folder, name: str, was: os.stat_result) -> None:
    try:
        now = folder.facts(name)
        is_same = (now.st_ino, now.st_size, now.st_mtime_ns) == (
            was.st_ino,
            was.st_size,
            was.st_mtime_ns,
        )
    except FileNotFoundError:
        is_same = False
    if not is_same:
        raise ChangedFileError(
            "another process changed it meanwhile: nothing was changed, try again"
        )


class FileChange(NamedTuple):
    """
    A change of one file.

    Attributes:
        path: The file itself, not a link to it; its folder exists.
        was: Its facts from the system when it was read; None for a new file.
    """

    path: str
    text: str
    mode: int
    before: str
    was: os.stat_result | None


class _Staged(NamedTuple):
    """A change whose new texts are in temporary files."""

    change: FileChange
    folder: Folder
    new: str
    old: str

    @property
    def name(self) -> str:
        return os.path.basename(self.change.path)


class JointWriteError(OSError):
    """None of the files was changed."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(why)
        self.path = path


def write_together(changes: Sequence[FileChange]) -> None:
    """
    Write all of *changes*, or roll back if one fails.

    It is not atomic only if the process is killed between two renames.

    Raises:
        JointWriteError: a file was changed since it was read, or can't be written.
    """
    with ExitStack() as temporaries, ExitStack() as undoing:
        staged = [_stage(change, temporaries) for change in changes]
        for staged_file in staged:
            with _naming(staged_file.change.path):
                _refuse_conflict(staged_file)
        for staged_file in staged:
            with _naming(staged_file.change.path):
                undoing.callback(_roll_back, staged_file, staged_file.folder.facts(staged_file.new))
                _publish(staged_file)
        undoing.pop_all()


@contextmanager
def _naming(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise JointWriteError(
            path, "another process made it meanwhile: nothing was changed, try again"
        ) from error
    except (OSError, ValueError) as error:
        raise JointWriteError(path, reason(error)) from error


def _stage(change: FileChange, temporaries: ExitStack) -> _Staged:
    place, name = os.path.split(change.path)
    with _naming(change.path):
        folder = temporaries.enter_context(Folder(place))
        new, old = temporary_name(folder, name), temporary_name(folder, name)
        texts = {new: change.text} if change.was is None else {new: change.text, old: change.before}
        for temporary, text in texts.items():
            temporaries.callback(remove_if_there, folder, temporary)
            with new_file(folder, temporary, change.mode, exact=change.was is not None) as file:
                file.write(text.encode())
    return _Staged(change=change, folder=folder, new=new, old=old)


def _refuse_conflict(staged: _Staged) -> None:
    if staged.change.was is not None:
        _refuse_changed(staged.folder, staged.name, staged.change.was)
    elif staged.folder.has(staged.name):
        raise FileExistsError(staged.change.path)


def _publish(staged: _Staged) -> None:
    if staged.change.was is None:
        staged.folder.move_to_free_name(staged.new, staged.name)
    else:
        _refuse_changed(staged.folder, staged.name, staged.change.was)
        staged.folder.replace(staged.new, staged.name)
    staged.folder.flush()


def _roll_back(staged: _Staged, written: os.stat_result) -> None:
    """Undo a change, unless the file is no longer the one *written*."""
    with suppress(OSError):
        _refuse_changed(staged.folder, staged.name, written)
        if staged.change.was is None:
            staged.folder.remove(staged.name)
        else:
            staged.folder.replace(staged.old, staged.name)
