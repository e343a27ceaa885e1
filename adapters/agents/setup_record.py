import contextlib
import json
import os
from typing import Any

from hardwon.domain.model.errors import StorageError
from hardwon.ports.setup_record import Written

NAME = "setup.json"


class JsonSetupRecord:
    """
    A file of the store's that says what was written, for the user's eyes only.

    Args:
        store: The store's folder; it is made when there is something to note.

    """

    def __init__(self, store: str) -> None:
        self._path = os.path.join(store, NAME)
        self._files: dict[str, Any] = {}
        self._folders: list[str] = []
        self._projects: list[str] = []
        self._load()

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

    def add_folders(self, folders: list[str]) -> None:
        """Note folders that are about to be made."""
        if new := [folder for folder in folders if folder not in self._folders]:
            self._folders += new
            self._save()

    def projects(self) -> list[str]:
        """Return the projects that were set up."""
        return list(self._projects)

    def add_project(self, project: str) -> None:
        """Note a project."""
        if project not in self._projects:
            self._projects.append(project)
            self._save()

    def clear(self) -> None:
        """Remove the file."""
        self._files, self._folders, self._projects = {}, [], []
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)

    def _load(self) -> None:
        try:
            with open(self._path, encoding="utf-8") as file:
                document = json.load(file)
            self._files = {path: dict(fields) for path, fields in document["files"].items()}
            self._folders = [str(folder) for folder in document["folders"]]
            self._projects = [str(project) for project in document["projects"]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"{self._path} can't be read: {error}; move it away and try again") from error

    def _save(self) -> None:
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        temporary = f"{self._path}.{os.urandom(8).hex()}.tmp"
        document = {"files": self._files, "folders": self._folders, "projects": self._projects}
        with open(temporary, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            json.dump(document, file, indent=1)
        os.replace(temporary, self._path)
