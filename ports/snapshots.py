import datetime as dt
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from hardwon.domain.model.checkpoint import Checkpoint, Contents


class Replacement(NamedTuple):
    """
    The outcome of a restore.

    Attributes:
        memory_count: How many entries there are now of those it was about.
        restored: How many entries were brought back, or back to what they said.
        removed: How many entries were taken out, as they were not there then.

    """

    memory_count: int
    restored: int
    removed: int


class Snapshot(Protocol):
    """The whole state of a store at one moment, checked, in the form this program knows."""

    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        """
        Put the entries of *contents* as they were then in place of those that are there now; all or nothing.

        Numbers, texts, counters, vectors of all spaces and what is known of forgotten files come back,
        indexes follow, entries outside of *contents* stay. An entry that has left *contents* since, or
        stands for the same section of a file, gives way. With scope `all` the ledgers of imports and the
        store's own decisions come back too, and history that the store does not have is added to it.
        History is never taken back: it gains a line for each entry that was changed.

        Args:
            contents: Which entries.
            name: What history calls the snapshot.
            at: When, for history.

        Raises:
            StorageError: the outcome is not what the snapshot holds, the number of an entry belongs to another
                by now, or the store can't be written; nothing was changed.

        """
        ...


class Snapshots(Protocol):
    """Copies of the whole store, each a file, and the checkpoints that stand for them."""

    def transaction(self) -> AbstractContextManager[None]:
        """Return a context in which all changes happen together or not at all, the files of checkpoints too."""
        ...

    def checkpoints(self) -> list[Checkpoint]:
        """Return all checkpoints, the newest first."""
        ...

    def named(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of that name, None when there is none."""
        ...

    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        """
        Copy the store's state as it was before this transaction, check the copy, and keep *checkpoint* for it.

        Called within `transaction`; no other checkpoint has its name.

        Returns:
            The checkpoint with its number, its count and its file's path.

        Raises:
            StorageError: the copy can't be written or is not whole, or there is no store; nothing is left of it.

        """
        ...

    def discard(self, checkpoint: Checkpoint) -> None:
        """Forget *checkpoint* and remove its file; one that is gone already is no trouble."""
        ...

    def opened(self, path: str) -> AbstractContextManager[Snapshot]:
        """
        Return a context with the snapshot in the file *path*; that file is only read.

        Raises:
            NewerSchemaError: a later hardwon wrote it.
            StorageError: it is missing, damaged or no store.
        """
        ...

    def back_up(self, path: str, *, replace: bool = False) -> None:
        """
        Copy the store's state to the file *path*, whole and checked or not at all; only the user may read it.

        Args:
            path: In a folder that is there; not one of the store's own files.
            replace: Whether a file that is there is replaced.

        Raises:
            InvalidCheckpointError: the path is taken.
            StorageError: the copy can't be written or is not whole, or there is no store.

        """
        ...
