"""The record of a set-up in a JSON file of the store."""

import contextlib
import json
import os
from typing import Any

from hardwon.adapters.agents.user_files import publish
from hardwon.adapters.store_folder import opened_store
from hardwon.domain.model.errors import StorageError
from hardwon.ports.agents import SetupRecord, Written
from hardwon.ports.override import override

NAME = "setup.json"
EVERYWHERE = "conversations_everywhere"
MAX_BYTES = 64 * 1024 * 1024
"""Bytes: it may hold earlier texts of files."""


class JsonSetupRecord(SetupRecord):
    """
    The record in a file that only the user can read, removed when it is empty.

    Args:
        store: The store's folder, created with the first record.

    """

    def __init__(self, store: str) -> None:
        self._path = os.path.join(store, NAME)
        self._files: dict[str, Any] = {}
        self._folders: list[str] = []
        self._projects: list[str] = []
        self._everywhere: bool | None = False
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
    def keep_everywhere(self, *, wanted: bool) -> None:
        if self._everywhere is not wanted:
            self._everywhere = wanted
            self._save()

    @override
    def get(self, path: str) -> Written | None:
        fields = self._files.get(path)
        try:
            return Written(**fields) if fields is not None else None
        except TypeError:  # written by another version
            return None

    @override
    def put(self, path: str, written: Written) -> None:
        self._files[path] = written._asdict()
        self._save()

    @override
    def drop(self, path: str) -> None:
        if self._files.pop(path, None) is not None:
            self._save()

    @override
    def folders(self) -> list[str]:
        return list(self._folders)

    @override
    def paths(self) -> list[str]:
        return list(self._files)

    @override
    def add_folders(self, folders: list[str]) -> None:
        if new := [folder for folder in folders if folder not in self._folders]:
            self._folders += new
            self._save()

    @override
    def drop_folder(self, folder: str) -> None:
        if folder in self._folders:
            self._folders.remove(folder)
            self._save()

    @override
    def projects(self) -> list[str]:
        return list(self._projects)

    @override
    def add_project(self, project: str) -> None:
        if project not in self._projects:
            self._projects.append(project)
            self._save()

    @override
    def drop_project(self, project: str) -> None:
        if project in self._projects:
            self._projects.remove(project)
            self._save()

    def _load(self) -> None:
        try:
            document = json.loads(self._text())
            self._files = {path: dict(fields) for path, fields in document["files"].items()}
            self._folders = [str(folder) for folder in document["folders"]]
            self._projects = [str(project) for project in document["projects"]]
            everywhere = document.get(EVERYWHERE)
            self._everywhere = None if everywhere is None else bool(everywhere)
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"{self._path} can't be read: {error}; move it away and try again") from error

    def _text(self) -> str:
        with open(self._path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MB")
        return data.decode()

    def _save(self) -> None:
        document: dict[str, Any] = {"files": self._files, "folders": self._folders, "projects": self._projects}
        if self._everywhere is not None:
            document |= {EVERYWHERE: self._everywhere}
        try:
            if self.is_empty:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._path)
                return
            with opened_store(os.path.dirname(self._path)) as store:
                path = os.path.join(store.path, NAME)
            publish(path, json.dumps(document, indent=1).encode(), mode=0o600)
        except OSError as error:
            raise StorageError(f"{self._path} can't be written: {error.strerror}; check its folder") from error
