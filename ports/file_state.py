"""The store's knowledge of files: absent files, deleted sections, and imports done before."""

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from hardwon.domain.model.file_state import AbsentFile

LONGEST_ABSENCE = dt.timedelta(days=90)
"""A file that is away for longer comes back as a new one."""


class Absences(Protocol):
    """The facts about files that are gone: a change of branch brings them back, a move brings them back under another path."""

    def keep(self, absent: "AbsentFile", at: dt.datetime) -> None:
        """
        Remember *absent*, in place of what is known of that path; forget what left `LONGEST_ABSENCE` before *at*.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def of(self, file_path: str, file_hash: str) -> "AbsentFile | None":
        """
        Return the absent file that a file which appears may be; None for a new one.

        The file of that path comes first, whatever it held; else of the files whose
        whole text had that hash the one that went last, then the first by path.
        """
        ...

    def forget(self, file_path: str) -> None:
        """
        Forget the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...


class Tombstone(NamedTuple):
    """
    A section that was deleted from the store, though its file still holds it.

    Attributes:
        file_path: Absolute, links resolved.
        anchor_id: The section; empty for the whole file.
        file_hash: sha256 of the file as it was then.

    """

    file_path: str
    anchor_id: str
    file_hash: str


class Tombstones(Protocol):
    """The deleted sections, so that indexing does not bring them back before their file changes."""

    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        """
        Remember *tombstone*, in place of an earlier one of the same section.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        """Return the anchors that were deleted from the file of that path while it had that hash."""
        ...

    def forget(self, file_path: str) -> None:
        """
        Forget all tombstones of the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...


class ImportLedger(Protocol):
    """The headings of knowledge-bank files that were imported before."""

    def headings(self, path: str) -> set[str]:
        """Return the headings of *path* that were imported before."""
        ...

    def fingerprint(self, path: str) -> str | None:
        """Return the fingerprint *path* had when it was last imported, None when it never was."""
        ...

    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        """Remember *headings* as seen, besides those known, and the file's present fingerprint."""
        ...
