from typing import NamedTuple, Protocol


class Written(NamedTuple):
    """
    What was written to one file.

    Attributes:
        digest: sha256 of what it held then.
        was_there: Whether there was a file when this was written.
        is_made: Whether the file would not be there without us, though others may have written to it since.
        original: What it held before, where that can't be told from what was written.

    """

    digest: str
    was_there: bool
    is_made: bool
    original: str | None = None


class SetupRecord(Protocol):
    """What the set-up wrote, kept from one run to the next."""

    def get(self, path: str) -> Written | None:
        """Return what was written there last; None for nothing."""
        ...

    def put(self, path: str, written: Written) -> None:
        """Note what is about to be written."""
        ...

    def drop(self, path: str) -> None:
        """Forget a file."""
        ...

    def folders(self) -> list[str]:
        """Return the folders that were made, in order."""
        ...

    def add_folders(self, folders: list[str]) -> None:
        """Note folders that are about to be made."""
        ...

    def projects(self) -> list[str]:
        """Return the projects that were set up, in order."""
        ...

    def add_project(self, project: str) -> None:
        """Note a project."""
        ...

    def clear(self) -> None:
        """Forget everything, and leave no trace."""
        ...
