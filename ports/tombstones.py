import datetime as dt
from typing import NamedTuple, Protocol


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
