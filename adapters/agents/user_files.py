"""Files of the user that a set-up reads, writes atomically and removes."""

import contextlib
import os
import stat
from collections.abc import Iterator

from hardwon.adapters.durable import written_file
from hardwon.adapters.folder import Folder, make_folder
from hardwon.domain.model.errors import UneditableFileError
from hardwon.ports.agents import FolderState, UserFiles
from hardwon.ports.override import override

NEW = 0o666
"""The mode of a new file, before the umask."""


def publish(path: str, data: bytes, mode: int = NEW) -> None:
    """
    Write a file atomically.

    Args:
        path: The file, in a folder without links; an existing one keeps its mode.
        data: Its bytes.
        mode: Of a new file.

    Raises:
        OSError: it can't be written; no temporary file is left.

    """
    kept = _mode(path)
    with written_file(path, kept or mode, exact=bool(kept)) as file:
        file.write(data)


def _mode(path: str) -> int:
    """Return the permissions of a file, 0 where there is none."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return 0


MAX_BYTES = 4 * 1024 * 1024
ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would block for ever


class DiskUserFiles(UserFiles):
    """Files of this machine; of a link, the target is written or removed."""

    @override
    def read(self, path: str, root: str) -> str | None:
        with _translated():
            real = _inside(path, root)
            try:
                data = _bytes(real)
            except FileNotFoundError:
                return None
            return data.decode()

    @override
    def ensure_writable(self, path: str, root: str) -> None:
        with _translated():
            _ensure_writable(_inside(path, root))

    @override
    def missing_folders(self, path: str) -> list[str]:
        missing = list[str]()
        folder = os.path.dirname(os.path.realpath(path))
        while not os.path.lexists(folder):
            missing.insert(0, folder)
            folder = os.path.dirname(folder)
        return missing

    @override
    def folder_state(self, path: str) -> FolderState:
        """A missing folder counts as deleted only if its parent exists: an unmounted disk has neither."""
        if os.path.isdir(path):
            return "there"
        around = os.path.dirname(path)
        is_deleted = os.path.isdir(around) and os.access(around, os.X_OK) and not os.path.lexists(path)
        return "deleted" if is_deleted else "away"

    @override
    def write(self, path: str, text: str, root: str) -> None:
        with _translated():
            real = _inside(path, root)
            _ensure_writable(real)
            make_folder(os.path.dirname(real))
            publish(real, text.encode())

    @override
    def remove(self, path: str, root: str) -> None:
        with _translated(), contextlib.suppress(FileNotFoundError):
            real = _inside(path, root)
            _ensure_writable(real)
            with Folder(os.path.dirname(real)) as folder:
                folder.remove(os.path.basename(real))

    @override
    def remove_empty_folder(self, path: str) -> None:
        with contextlib.suppress(OSError):
            os.rmdir(path)


def _inside(path: str, root: str) -> str:
    """Return the target of *path*, inside *root*."""
    real, boundary = os.path.realpath(path), os.path.join(os.path.realpath(root), "")
    if not real.startswith(boundary):
        raise UneditableFileError(f"a link that leads out of {root!r}, to {real!r}")
    return real


def _bytes(path: str) -> bytes:
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_WAIT)) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise UneditableFileError("not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UneditableFileError(f"larger than {MAX_BYTES >> 20} MB")
    return data


def _ensure_writable(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not (mode & ANY_WRITE and os.access(path, os.W_OK)):
        raise UneditableFileError("read-only: allow writing")


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise UneditableFileError(f"not UTF-8 text at byte {error.start}") from error
    except (OSError, ValueError) as error:
        raise UneditableFileError((isinstance(error, OSError) and error.strerror) or str(error)) from error
