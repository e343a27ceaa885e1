import os

from hardwon.domain.model.errors import UneditableFileError
from hardwon.ports.setup_record import Written


class InMemoryUserFiles:
    """Files by path; a path in `refused` can be neither read nor written."""

    def __init__(self, texts: dict[str, str] | None = None) -> None:
        self.texts = dict(texts or {})
        self.folders = {os.path.dirname(path) for path in self.texts} | {"/home"}
        self.refused = set[str]()

    def read(self, path: str, root: str) -> str | None:
        self._ensure_usable(path, root)
        return self.texts.get(path)

    def missing_folders(self, path: str) -> list[str]:
        missing = list[str]()
        folder = os.path.dirname(path)
        while folder not in self.folders and folder != os.path.sep:
            missing.insert(0, folder)
            folder = os.path.dirname(folder)
        return missing

    def write(self, path: str, text: str, root: str) -> None:
        self._ensure_usable(path, root)
        self.folders |= set(self.missing_folders(path))
        self.texts[path] = text

    def remove(self, path: str, root: str) -> None:
        self._ensure_usable(path, root)
        self.texts.pop(path, None)

    def remove_empty_folder(self, path: str) -> None:
        if not any(other.startswith(f"{path}/") for other in (*self.texts, *self.folders)):
            self.folders.discard(path)

    def _ensure_usable(self, path: str, root: str) -> None:
        if path in self.refused or not path.startswith(f"{root}/"):
            raise UneditableFileError("can't be used")


class InMemorySetupRecord:
    def __init__(self) -> None:
        self.files: dict[str, Written] = {}
        self._folders: list[str] = []
        self._projects: list[str] = []

    def get(self, path: str) -> Written | None:
        return self.files.get(path)

    def put(self, path: str, written: Written) -> None:
        self.files[path] = written

    def drop(self, path: str) -> None:
        self.files.pop(path, None)

    def folders(self) -> list[str]:
        return list(self._folders)

    def add_folders(self, folders: list[str]) -> None:
        self._folders += [folder for folder in folders if folder not in self._folders]

    def projects(self) -> list[str]:
        return list(self._projects)

    def add_project(self, project: str) -> None:
        if project not in self._projects:
            self._projects.append(project)

    def clear(self) -> None:
        self.files, self._folders, self._projects = {}, [], []
