import contextlib
import json
import os
from typing import Any

from hardwon.adapters.agents.user_files import publish
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.formats.config_edit import Written

NAME = "setup.json"
LARGEST = 64 * 1024 * 1024
"""Bytes: it may hold what some files held before."""


class JsonSetupRecord:
    """
    A file of the store's that says what was written, for the user's eyes only; gone when there is nothing to say.

    Args:
        store: The store's folder; it is made when there is something to note.

    """

    def __init__(self, store: str) -> None:
        self._path = os.path.join(store, NAME)
        self._files: dict[str, Any] = {}
        self._folders: list[str] = []
        self._projects: list[str] = []
        self._load()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is noted."""
        return not (self._files or self._folders or self._projects)

    def get(self, path: str) -> Written | None:
        """Return what was written there last; None for nothing."""
        fields = self._files.get(path)
        try:
            return Written(**fields) if fields is not None else None
        except TypeError:  # another version's
            return None

    def put(self, path: str, written: Written) -> None:
        """Note what is about to be written."""
        self._files[path] = written._asdict()
        self._save()

    def drop(self, path: str) -> None:
        """Forget a file."""
        if self._files.pop(path, None) is not None:
            self._save()

    def folders(self) -> list[str]:
        """Return the folders that were made."""
        return list(self._folders)

    def paths(self) -> list[str]:
        """Return the files that were written to."""
        return list(self._files)

    def add_folders(self, folders: list[str]) -> None:
        """Note folders that are about to be made."""
        if new := [folder for folder in folders if folder not in self._folders]:
            self._folders += new
            self._save()

    def drop_folder(self, folder: str) -> None:
        """Forget a folder."""
        if folder in self._folders:
            self._folders.remove(folder)
            self._save()

    def projects(self) -> list[str]:
        """Return the projects that were set up."""
        return list(self._projects)

    def add_project(self, project: str) -> None:
        """Note a project."""
        if project not in self._projects:
            self._projects.append(project)
            self._save()

    def drop_project(self, project: str) -> None:
        """Forget a project."""
        if project in self._projects:
            self._projects.remove(project)
            self._save()

    def _load(self) -> None:
        try:
            document = json.loads(self._text())
            self._files = {path: dict(fields) for path, fields in document["files"].items()}
            self._folders = [str(folder) for folder in document["folders"]]
            self._projects = [str(project) for project in document["projects"]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"{self._path} can't be read: {error}; move it away and try again") from error

    def _text(self) -> str:
        with open(self._path, "rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ValueError(f"larger than {LARGEST >> 20} MB")
        return data.decode()

    def _save(self) -> None:
        document = {"files": self._files, "folders": self._folders, "projects": self._projects}
        try:
            if self.is_empty:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._path)
                return
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            publish(self._path, json.dumps(document, indent=1).encode(), mode=0o600)
        except OSError as error:
            raise StorageError(f"{self._path} can't be written: {error.strerror}; check its folder") from error
