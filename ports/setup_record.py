from typing import Protocol

from hardwon.domain.model.setup.written import Written


class SetupRecord(Protocol):
    """What the set-up wrote, kept from one run to the next; without a word to say it leaves no trace."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is noted."""
        ...

    def get(self, path: str) -> Written | None:
        """Return what was written there last; None for nothing."""
        ...

    def put(self, path: str, written: Written) -> None:
        """Note what is about to be written."""
        ...

    def drop(self, path: str) -> None:
        """Forget a file."""
        ...

    def paths(self) -> list[str]:
        """Return the files that were written to, in order."""
        ...

    def folders(self) -> list[str]:
        """Return the folders that were made, in order."""
        ...

    def add_folders(self, folders: list[str]) -> None:
        """Note folders that are about to be made."""
        ...

    def drop_folder(self, folder: str) -> None:
        """Forget a folder."""
        ...

    def projects(self) -> list[str]:
        """Return the projects that were set up, in order."""
        ...

    def add_project(self, project: str) -> None:
        """Note a project."""
        ...

    def drop_project(self, project: str) -> None:
        """Forget a project."""
        ...
