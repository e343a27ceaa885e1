"""Keeping files of conversations out of git."""

from collections.abc import Sequence
from typing import Protocol


class GitExclusion(Protocol):
    """The patterns by which git ignores the folders of conversations of a project, for this user alone."""

    def exclude(self, project_root: str) -> None:
        """
        Let git ignore the folders that hardwon writes below `memory`; idempotent, and without effect outside of a repository.

        Raises:
            UnreadableFileError: the patterns can't be written.
        """
        ...

    def include(self, project_root: str) -> None:
        """
        Take these patterns out again; idempotent.

        Raises:
            UnreadableFileError: they can't be taken out.
        """
        ...

    def tracked(self, project_root: str) -> Sequence[str]:
        """Return the files in these folders that git tracks already, from the top of the work tree."""
        ...
