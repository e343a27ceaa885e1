"""The store's knowledge of files: absent files, deleted sections, and earlier imports."""

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from hardwon.domain.model.file_state import AbsentFile

MAX_ABSENT = 10_000
"""
The number of absent files whose state is kept.

Older ones count as new when they return.
"""


class Absences(Protocol):
    """
    State of files that are gone, for their return.

    A branch switch or a move may bring them back, maybe under another path.
    """

    def keep(self, absent: "AbsentFile", at: dt.datetime) -> None:
        """
        Store *absent*, replacing an earlier state of that path.

        Of the other files the states of those that went last are kept, up to `MAX_ABSENT` with this
        one.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def absent_file(self, file_path: str, file_hash: str) -> "AbsentFile | None":
        """
        Return the absent file that an appearing file may be.

        None for a new file. The file of that path comes first, whatever its text was; else, of the
        files whose whole text had that hash, the one that went last, then the first by path.
        """
        ...

    def forget(self, file_path: str) -> None:
        """
        Delete the state of the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...


class Tombstone(NamedTuple):
    """
    A section deleted from the store, but not from its file.

    Attributes:
        file_path: Absolute, links resolved.
        anchor_id: The section; empty for the whole file.
        file_hash: sha256 of the file at the deletion.
    """

    file_path: str
    anchor_id: str
    file_hash: str


class Tombstones(Protocol):
    """
    The deleted sections.

    Indexing does not restore them until their file changes.
    """

    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        """
        Store *tombstone*, replacing an earlier one of the same section.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        """Return the anchors that were deleted while the file had that hash."""
        ...

    def forget(self, file_path: str) -> None:
        """
        Delete all tombstones of the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...


class ImportLedger(Protocol):
    """
    The headings imported from knowledge-bank files and older indexes.

    None is imported twice.
    """

    def headings(self, path: str) -> set[str]:
        """Return the headings of *path* that were imported."""
        ...

    def fingerprint(self, path: str) -> str | None:
        """Return the fingerprint of *path* at its last import, None without one."""
        ...

    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        """Add *headings* to those imported, and set the file's fingerprint."""
        ...

    def paths(self) -> Sequence[str]:
        """Return the paths of all files that were imported, sorted."""
        ...

    def withdraw(self, path: str, headings: set[str]) -> None:
        """Let *headings* of *path* count as never imported."""
        ...
