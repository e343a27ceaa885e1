"""Read, write and remove files of the user, and record them."""

import contextlib
import json
import os
import stat
from collections.abc import Iterator
from typing import Any

from hardwon.adapters.durable import only_writer, written_file
from hardwon.adapters.folder import Folder, make_folder, open_without_waiting, opened_store
from hardwon.domain.model.errors import StorageError, UneditableFileError
from hardwon.ports.agents import FolderState, SetupRecord, SetupWrite, UserFiles
from hardwon.ports.override import override

NEW = 0o666
"""The mode of a new file, before the umask."""


def publish(path: str, data: bytes, mode: int = NEW) -> None:
    """
    Write a file atomically and leave no temporary file.

    Args:
        path: In a folder without links; an existing file keeps its mode.
        data: Its bytes.
        mode: The mode of a new file.

    Raises:
        OSError: it can't be written.
    """
    kept = _mode(path)
    with written_file(path, kept or mode, exact=bool(kept)) as file:
        file.write(data)


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return 0


MAX_BYTES = 4 * 1024 * 1024
ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class DiskUserFiles(UserFiles):
    """Files on this machine, where links are followed."""

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
        """A missing folder counts as deleted only if its parent exists."""
        if os.path.isdir(path):
            return "there"
        around = os.path.dirname(path)
        is_deleted = (
            os.path.isdir(around) and os.access(around, os.X_OK) and not os.path.lexists(path)
        )
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
    real, boundary = os.path.realpath(path), os.path.join(os.path.realpath(root), "")
    if not real.startswith(boundary):
        raise UneditableFileError(f"a link that leads out of {root!r}, to {real!r}")
    return real


def _bytes(path: str) -> bytes:
    with open(path, "rb", opener=open_without_waiting) as file:
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
        raise UneditableFileError(
            (isinstance(error, OSError) and error.strerror) or str(error)
        ) from error


RECORD = "setup.json"
EVERYWHERE = "conversations_everywhere"
LARGEST_RECORD = 64 * 1024 * 1024
"""Bytes: it may hold earlier texts of files."""


class JsonSetupRecord(SetupRecord):
    """
    The record in a file that only the user can read.

    Args:
        store: The store's folder, created with the first record.
    """

    def __init__(self, store: str) -> None:
        self._folder = store
        self._path = os.path.join(store, RECORD)
        self._everywhere: bool | None = False
        self._is_held = False
        self._load()

    @property
    @override
    def is_empty(self) -> bool:
        return not (self._files or self._folders or self._projects or self._everywhere)

    @property
    @override
    def keeps_everywhere(self) -> bool | None:
        return self._everywhere

    @override
    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        if self._is_held or not os.path.isdir(self._folder):
            yield
            return
        with contextlib.ExitStack() as stack:
            with self._writing():
                stack.enter_context(only_writer(os.path.realpath(self._folder)))
            self._load()
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    @override
    def keep_everywhere(self, *, wanted: bool) -> None:
        if self._everywhere is not wanted:
            with self._changed():
                self._everywhere = wanted

    @override
    def last_write(self, path: str) -> SetupWrite | None:
        fields = self._files.get(path)
        try:
            return SetupWrite(**fields) if fields is not None else None
        except TypeError:  # written by another version
            return None

    @override
    def put(self, path: str, written: SetupWrite) -> None:
        with self._changed():
            self._files[path] = written._asdict()

    @override
    def drop(self, path: str) -> None:
        if path in self._files:
            with self._changed():
                self._files.pop(path, None)

    @override
    def folders(self) -> list[str]:
        return list(self._folders)

    @override
    def paths(self) -> list[str]:
        return list(self._files)

    @override
    def add_folders(self, folders: list[str]) -> None:
        if not self._folders.keys() >= {*folders}:
            with self._changed():
                self._folders |= dict.fromkeys(folders)

    @override
    def drop_folder(self, folder: str) -> None:
        if folder in self._folders:
            with self._changed():
                self._folders.pop(folder, None)

    @override
    def projects(self) -> list[str]:
        return list(self._projects)

    @override
    def add_project(self, project: str) -> None:
        if project not in self._projects:
            with self._changed():
                self._projects[project] = None

    @override
    def drop_project(self, project: str) -> None:
        if project in self._projects:
            with self._changed():
                self._projects.pop(project, None)

    def _load(self) -> None:
        self._files: dict[str, Any] = {}
        self._folders: dict[str, None] = {}
        self._projects: dict[str, None] = {}
        self._everywhere = False
        try:
            document = json.loads(self._text())
            self._files = {path: dict(fields) for path, fields in document["files"].items()}
            self._folders = dict.fromkeys(map(str, document["folders"]))
            self._projects = dict.fromkeys(map(str, document["projects"]))
            everywhere = document.get(EVERYWHERE)
            self._everywhere = None if everywhere is None else bool(everywhere)
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(
                f"{self._path} can't be read: {error}; move it away and try again"
            ) from error

    def _text(self) -> str:
        with open(self._path, "rb") as file:
            data = file.read(LARGEST_RECORD + 1)
        if len(data) > LARGEST_RECORD:
            raise ValueError(f"larger than {LARGEST_RECORD >> 20} MB")
        return data.decode()

    @contextlib.contextmanager
    def _changed(self) -> Iterator[None]:
        """Write what changes within, on top of what other processes wrote."""
        with self._writing():
            opened_store(self._folder).close()
        with self.held():
            yield
            with self._writing():
                self._save()

    def _save(self) -> None:
        if self.is_empty:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
            return
        document: dict[str, Any] = {
            "files": self._files,
            "folders": [*self._folders],
            "projects": [*self._projects],
        }
        if self._everywhere is not None:
            document |= {EVERYWHERE: self._everywhere}
        path = os.path.join(os.path.realpath(self._folder), RECORD)
        publish(path, json.dumps(document, indent=1).encode(), mode=0o600)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"{self._path} can't be written: {error.strerror or error}; check its folder"
            ) from error
