"""Snapshots of the whole store, and the checkpoints that name them."""

import datetime as dt
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from hardwon.domain.model.checkpoint import Checkpoint, Contents


class Replacement(NamedTuple):
    """
    The outcome of a restore.

    Attributes:
        memory_count: The number of entries in the restored scope now.
        restored: The number of entries added or changed back.
        removed: The number of entries deleted, because the snapshot lacks them.
    """

    memory_count: int
    restored: int
    removed: int


class Snapshot(Protocol):
    """The validated state of a whole store, migrated to the current schema."""

    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        """
        Replace the entries of *contents* by those of the snapshot, atomically.

        Restores numbers, texts, counters, vectors of all spaces and the state of absent files, and
        updates the indexes. Entries outside of *contents* stay, except those that have left
        *contents* since or represent the same section of a file. Scope `all` also restores the
        import ledgers and the store's own decisions, and adds missing history. History is never
        removed: each changed entry gets a line.

        Args:
            contents: The entries to restore.
            name: The name of the snapshot in the history.
            at: The time in the history.

        Raises:
            StorageError: the outcome differs from the snapshot, the number of an entry belongs to
                another by now, or the store can't be written; nothing was changed.
        """
        ...


class Snapshots(Protocol):
    """Copies of the store in files, and checkpoints."""

    def transaction(self) -> AbstractContextManager[None]:
        """Return a context with atomic changes, also of checkpoint files."""
        ...

    def checkpoints(self) -> list[Checkpoint]:
        """Return all checkpoints, the newest first."""
        ...

    def named(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of that name, None without one."""
        ...

    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        """
        Copy the store's state before this transaction, and store *checkpoint*.

        The copy is validated. Call within `transaction`; no other checkpoint may have its name.

        Returns:
            The checkpoint with its number, its count of entries and the path of its file.

        Raises:
            StorageError: the copy can't be written or is incomplete, or there is no store; no copy
                is left.
        """
        ...

    def discard(self, checkpoint: Checkpoint) -> None:
        """Delete *checkpoint* and its file, if they exist."""
        ...

    def opened(self, path: str) -> AbstractContextManager[Snapshot]:
        """
        Return a context with the snapshot in the file *path*.

        The file is only read.

        Raises:
            NewerSchemaError: a later hardwon wrote it.
            StorageError: it is missing, damaged or no store.
        """
        ...

    def back_up(self, path: str, *, replace: bool = False) -> None:
        """
        Copy the store's state to the file *path*, validated and atomically.

        Only the user may read it.

        Args:
            path: In an existing folder; not one of the store's own files.
            replace: Whether an existing file is replaced.

        Raises:
            InvalidCheckpointError: the file exists.
            StorageError: the copy can't be written or is incomplete, or there is no store.
        """
        ...
