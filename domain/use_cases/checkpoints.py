"""Save and restore the store's state."""

import itertools
from collections.abc import Sequence
from typing import Self

import attrs

from hardwon.domain.model.checkpoint import Checkpoint, CheckpointScope, Contents, safety_name
from hardwon.domain.model.errors import InvalidCheckpointError
from hardwon.domain.model.filters import Workplace
from hardwon.ports.clock import Clock
from hardwon.ports.snapshots import Replacement, Snapshots
from hardwon.ports.store import Store


@attrs.frozen(kw_only=True)
class RestoreOutcome:
    """
    The outcome of a restore.

    Attributes:
        safety: The checkpoint of the state before; restoring it undoes this.
    """

    name: str
    contents: Contents
    replacement: Replacement
    safety: Checkpoint


@attrs.frozen(kw_only=True)
class Checkpoints:
    """Save and restore the store's state."""

    snapshots: Snapshots
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(snapshots=store.snapshots, clock=clock)

    def all(self) -> list[Checkpoint]:
        """Return all checkpoints, the newest first."""
        return self.snapshots.checkpoints()

    def made_in(self, projects: Sequence[str]) -> list[Checkpoint]:
        """Return the checkpoints of *projects* or of none, newest first."""
        return [item for item in self.all() if item.contents.project in {"", *projects}]

    def named(self, name: str) -> Checkpoint:
        """
        Return the checkpoint of that name.

        Raises:
            InvalidCheckpointError: there is none.
        """
        if checkpoint := self.snapshots.named(name.strip()):
            return checkpoint
        way_out = "list them" if self.all() else "none was made yet"
        raise InvalidCheckpointError(f"there is no checkpoint {name[:200]!r}: {way_out}")

    def create(self, name: str, description: str, contents: Contents) -> Checkpoint:
        """
        Save the current state.

        Raises:
            InvalidCheckpointError: the name is invalid or taken.
            StorageError: the copy can't be made; nothing of it is left.
        """
        wanted = Checkpoint(
            name=name, description=description, contents=contents, created_at=self.clock.now()
        )
        with self.snapshots.transaction():
            if self.snapshots.named(wanted.name):
                raise InvalidCheckpointError(
                    f"there is a checkpoint {wanted.name!r} already: delete it, or choose another"
                    " name"
                )
            return self.snapshots.take(wanted)

    def restore(self, name: str, scope: CheckpointScope | None = None) -> RestoreOutcome:
        """
        Restore a checkpoint, after saving the current state.

        Raises:
            InvalidCheckpointError: there is no checkpoint of that name.
            StorageError: its snapshot can't be used, or the store can't be written; nothing was
                changed.
        """
        checkpoint = self.named(name)
        return self._restore(
            checkpoint.snapshot_path, checkpoint.name, checkpoint.contents.narrowed(scope)
        )

    def restore_file(self, path: str, name: str, here: Workplace) -> RestoreOutcome:
        """
        Restore every entry from a backup file, after saving the current state.

        The history gets *name* for it; the user works *here*.

        Raises:
            StorageError: the backup can't be used, or the store can't be written; nothing was
                changed.
        """
        return self._restore(path, name, Contents("all", here.project, label=here.label))

    def back_up(self, path: str, *, replace: bool = False) -> None:
        """
        Copy the whole store to the file *path*, for `restore_file`.

        Raises the errors of `Snapshots.back_up`.
        """
        self.snapshots.back_up(path, replace=replace)

    def delete(self, name: str) -> Checkpoint:
        """
        Delete a checkpoint with its snapshot, and return it.

        Raises:
            InvalidCheckpointError: there is none of that name.
        """
        checkpoint = self.named(name)
        self.snapshots.discard(checkpoint)
        return checkpoint

    def _restore(self, path: str, name: str, contents: Contents) -> RestoreOutcome:
        now = self.clock.now()
        # One transaction: a write between the safety copy and the restore would be in neither.
        with self.snapshots.opened(path) as snapshot, self.snapshots.transaction():
            safety = self.snapshots.take(
                Checkpoint(name=self._free_safety_name(name), contents=contents, created_at=now)
            )
            replacement = snapshot.bring_back(contents, name=name, at=now)
        return RestoreOutcome(name=name, contents=contents, replacement=replacement, safety=safety)

    def _free_safety_name(self, restored: str) -> str:
        names = (safety_name(restored, self.clock.now(), attempt) for attempt in itertools.count(1))
        return next(name for name in names if not self.snapshots.named(name))
