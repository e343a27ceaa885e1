import datetime as dt
from typing import NamedTuple, Protocol

from hardwon.domain.model.file_state import Departed

LONGEST_ABSENCE = dt.timedelta(days=90)
"""A file that is away for longer comes back as a new one."""


class Departures(Protocol):
    """Remembers what stood for files that are gone: a change of branch brings them back, a move under another path."""

    def keep(self, departed: Departed, at: dt.datetime) -> None:
        """
        Remember *departed*, in place of what is known of that path; forget what left `LONGEST_ABSENCE` before *at*.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def of(self, file_path: str, file_hash: str) -> Departed | None:
        """
        Return what a file that appears may have been; None for a new one.

        That is the file of that path, whatever it said, else the one that went
        last, then the first by path, of those that were of that hash as a whole.
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
    A section that somebody deleted from the store, though its file still holds it.

    Attributes:
        file_path: Absolute, links resolved.
        anchor_id: The section; empty for the whole file.
        file_hash: sha256 of the file as it was then.

    """

    file_path: str
    anchor_id: str
    file_hash: str


class Tombstones(Protocol):
    """Remembers what was deleted, so that a scan does not bring it back before its file changes (M-D13)."""

    def bury(self, tombstone: Tombstone, at: dt.datetime) -> None:
        """
        Remember *tombstone*, in place of an earlier one of the same section.

        Raises:
            StorageError: the store can't be written now.
        """
        ...

    def buried(self, file_path: str, file_hash: str) -> frozenset[str]:
        """Return the anchors that were deleted from the file of that path while it had that hash."""
        ...

    def lift(self, file_path: str) -> None:
        """
        Forget all tombstones of the file of that path.

        Raises:
            StorageError: the store can't be written now.
        """
        ...
