"""The projects that the store knows."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from hardwon.domain.model.project import Identity, Project


class Projects(Protocol):
    """The known projects, and the folders below which every project is trusted."""

    def transaction(self) -> AbstractContextManager[None]:
        """
        Return a context in which changes are atomic.

        Raises StorageError when the store is busy.
        """
        ...

    def known(self) -> tuple[Project, ...]:
        """Return all projects in the order in which they were added."""
        ...

    def add(self, identity: Identity, label: str) -> Project:
        """
        Return the project of that key, added with *label* if new.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def put(self, project: Project) -> None:
        """
        Replace the project of the same id.

        Raises:
            StorageError: another project has its key, or the store can't be written now.
        """
        ...

    def merge(self, project_id: str, into: str) -> int:
        """
        Let all references to *project_id* name *into*, and delete the project.

        Returns the number of entries.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def entry_counts(self) -> Mapping[str, int]:
        """
        Return the number of entries of each project, by id.

        An entry counts where it stands or was said. A project without any is left out.
        """
        ...

    def trusted_folders(self) -> tuple[str, ...]:
        """Return the folders below which every project is trusted, sorted."""
        ...

    def trust_below(self, folder: str, *, trusted: bool) -> None:
        """
        Trust, or no longer trust, every project below *folder*, a real path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def places_of(self, entry_id: str) -> tuple[str, ...]:
        """Return the ids of the other projects where an entry stands, sorted."""
        ...

    def add_place(self, entry_id: str, project_id: str) -> None:
        """
        Record that the entry is in another project too (idempotent).

        Raises:
            StorageError: the store can't be written now.
        """
        ...
