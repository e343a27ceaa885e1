"""Files of the user and the record of a setup, in memory."""

import os
from contextlib import nullcontext

import attrs

from hardwon.domain.model.errors import UneditableFileError
from hardwon.ports.agents import FolderState, SetupRecord, SetupWrite, UserFiles
from hardwon.ports.override import override


class InMemoryUserFiles(UserFiles):
    """Files by path; a path in `refused` can be neither read nor written, one in `read_only` can be read."""

    def __init__(self, texts: dict[str, str] | None = None) -> None:
        self.texts = dict(texts or {})
        self.folders = {os.path.dirname(path) for path in self.texts} | {"/home"}
        self.refused = set[str]()
        self.read_only = set[str]()

    @override
    def read(self, path: str, root: str) -> str | None:
        self._ensure_usable(path, root)
        return self.texts.get(path)

    @override
    def ensure_writable(self, path: str, root: str) -> None:
        self._ensure_usable(path, root)
        if path in self.read_only:
            raise UneditableFileError("read-only")

    @override
    def missing_folders(self, path: str) -> list[str]:
        missing = list[str]()
        folder = os.path.dirname(path)
        while folder not in self.folders and folder != os.path.sep:
            missing.insert(0, folder)
            folder = os.path.dirname(folder)
        return missing

    @override
    def folder_state(self, path: str) -> FolderState:
        return "there" if path in self.folders else "deleted"

    @override
    def write(self, path: str, text: str, root: str) -> None:
        self.ensure_writable(path, root)
        self.folders |= set(self.missing_folders(path))
        self.texts[path] = text

    @override
    def remove(self, path: str, root: str) -> None:
        self.ensure_writable(path, root)
        self.texts.pop(path, None)

    @override
    def remove_empty_folder(self, path: str) -> None:
        if not any(other.startswith(f"{path}/") for other in (*self.texts, *self.folders)):
            self.folders.discard(path)

    def _ensure_usable(self, path: str, root: str) -> None:
        if path in self.refused or not path.startswith(f"{root}/"):
            raise UneditableFileError("can't be used")


@attrs.define
class InMemorySetupRecord(SetupRecord):
    files: dict[str, SetupWrite] = attrs.field(factory=dict)
    _folders: list[str] = attrs.field(factory=list)
    _projects: list[str] = attrs.field(factory=list)
    _everywhere: bool | None = False

    @property
    @override
    def is_empty(self) -> bool:
        return not (self.files or self._folders or self._projects or self._everywhere)

    @property
    @override
    def keeps_everywhere(self) -> bool | None:
        return self._everywhere

    @override
    def held(self) -> nullcontext[None]:
        return nullcontext()

    @override
    def keep_everywhere(self, *, wanted: bool) -> None:
        self._everywhere = wanted

    @override
    def last_write(self, path: str) -> SetupWrite | None:
        return self.files.get(path)

    @override
    def put(self, path: str, written: SetupWrite) -> None:
        self.files[path] = written

    @override
    def drop(self, path: str) -> None:
        self.files.pop(path, None)

    @override
    def paths(self) -> list[str]:
        return list(self.files)

    @override
    def folders(self) -> list[str]:
        return list(self._folders)

    @override
    def add_folders(self, folders: list[str]) -> None:
        self._folders += [folder for folder in folders if folder not in self._folders]

    @override
    def drop_folder(self, folder: str) -> None:
        if folder in self._folders:
            self._folders.remove(folder)

    @override
    def projects(self) -> list[str]:
        return list(self._projects)

    @override
    def add_project(self, project: str) -> None:
        if project not in self._projects:
            self._projects.append(project)

    @override
    def drop_project(self, project: str) -> None:
        if project in self._projects:
            self._projects.remove(project)
