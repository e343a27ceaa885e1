import contextlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from hardwon.adapters.sqlite.database import FILE_NAME, IN_MEMORY, Database, Row
from hardwon.adapters.sqlite.moments import from_text, to_text
from hardwon.adapters.sqlite.repair import COMPANIONS
from hardwon.adapters.sqlite.snapshots.copies import opened_copy, write_copy
from hardwon.adapters.sqlite.snapshots.snapshot import SqliteSnapshot
from hardwon.adapters.sqlite.where import where
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import InvalidCheckpointError, StorageError

FOLDER = "checkpoints"
UNCOMMITTED = ".new"
SNAPSHOT = re.compile(r"(\d+)\.db")
UNFINISHED = re.compile(r"(\d+\.db)\..+")
"""What lies in that folder between the first page and the end of the transaction, under the snapshot's name."""

INSERT = """
    INSERT INTO checkpoints (id, name, description, created_at, memory_count, snapshot_path, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
SELECT = "SELECT id, name, description, created_at, memory_count, snapshot_path, metadata FROM checkpoints"


class SqliteSnapshots:
    """
    Copies of the store's file, and the table of checkpoints.

    A snapshot's name is made of its number alone. It is written under another one
    while the write lock is held, and gets its own after the commit. So whoever holds
    the lock knows of what is unfinished that a process that died has left it; a
    snapshot without a row is one of an earlier store, and is never touched.

    Args:
        database: The store.

    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = os.path.dirname(database.path)
        self._folder = os.path.join(self._store, FOLDER)
        self._taken: list[str] = []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock until the context ends; files of checkpoints that are given up go with them."""
        try:
            with self._database.transaction():
                try:
                    yield
                except BaseException:
                    for path in self._taken:
                        _remove(path + UNCOMMITTED)
                    raise
            for path in self._taken:
                _finish(path)
        finally:
            self._taken.clear()

    def checkpoints(self) -> list[Checkpoint]:
        """Return all checkpoints, the newest first."""
        return [self._to_checkpoint(row) for row in self._database.rows(f"{SELECT} ORDER BY id DESC")]

    def named(self, name: str) -> Checkpoint | None:
        """Return the checkpoint of that name."""
        rows = self._database.rows(f"{SELECT} WHERE name = ?", (name,))
        return self._to_checkpoint(rows[0]) if rows else None

    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        """Copy the store, and keep *checkpoint* for the copy."""
        with self._database.transaction():
            self._finish_what_others_left()
            number = self._next_number()
            path = os.path.join(FOLDER, f"{number}.db")
            count = self._count(checkpoint.contents)
            metadata = json.dumps(checkpoint.contents._asdict(), ensure_ascii=False)
            told = (checkpoint.name, checkpoint.description, to_text(checkpoint.created_at))
            self._database.rows(INSERT, (number, *told, count, path, metadata))
            self._taken.append(os.path.join(self._store, path))
            self._copy_to(self._taken[-1] + UNCOMMITTED)
        return attrs.evolve(checkpoint, number=number, memory_count=count, snapshot_path=self._taken[-1])

    def discard(self, checkpoint: Checkpoint) -> None:
        """Forget *checkpoint* and remove its file."""
        with self._database.transaction():
            self._database.rows("DELETE FROM checkpoints WHERE id = ?", (checkpoint.number,))
        for ending in ("", UNCOMMITTED):
            _remove(checkpoint.snapshot_path.removesuffix(UNCOMMITTED) + ending)

    @contextmanager
    def opened(self, path: str) -> Iterator[SqliteSnapshot]:
        """Open the snapshot in the file *path*."""
        with opened_copy(path) as copy:
            yield SqliteSnapshot(copy, self._database)

    def back_up(self, path: str, *, replace: bool = False) -> None:
        """Copy the store to the file *path*."""
        path = os.path.realpath(path)
        if path in self._own_files():
            raise InvalidCheckpointError(f"{path!r} is the store itself: choose another file")
        if os.path.lexists(path) and not (replace and os.path.isfile(path)):
            raise InvalidCheckpointError(f"{path!r} is there already: choose another file, or replace it with --force")
        if not os.path.isdir(os.path.dirname(path)):
            raise InvalidCheckpointError(f"{path!r}: its folder is not there, make it first")
        self._copy_to(path)

    def _copy_to(self, path: str) -> None:
        if self._database.path == IN_MEMORY:
            raise StorageError("there is no store yet, so there is nothing to copy")
        with contextlib.closing(Database(self._database.path)) as source:  # a writing connection can't be copied
            write_copy(source, path)

    def _own_files(self) -> set[str]:
        file = os.path.realpath(os.path.join(self._store, FILE_NAME))
        snapshots = (os.path.realpath(os.path.join(self._folder, name)) for name in self._files())
        return {file, *(file + companion for companion in COMPANIONS), *snapshots}

    def _count(self, contents: Contents) -> int:
        within = where(contents.entries)
        return int(self._database.value(f"SELECT count(*) FROM entry e WHERE {within.sql}", within.parameters))

    def _finish_what_others_left(self) -> None:
        for checkpoint in self.checkpoints():
            if checkpoint.snapshot_path.endswith(UNCOMMITTED):
                _finish(checkpoint.snapshot_path.removesuffix(UNCOMMITTED))
        for name in filter(UNFINISHED.fullmatch, self._files()):
            _remove(os.path.join(self._folder, name))

    def _next_number(self) -> int:
        """Return a number that no checkpoint had and no file has."""
        given = self._database.value("SELECT seq FROM sqlite_sequence WHERE name = 'checkpoints'") or 0
        found = (int(match[1]) for match in map(SNAPSHOT.fullmatch, self._files()) if match)
        return max(given, *found, 0) + 1

    def _files(self) -> list[str]:
        return os.listdir(self._folder) if os.path.isdir(self._folder) else []

    def _to_checkpoint(self, row: Row) -> Checkpoint:
        number, name, description, created_at, memory_count, snapshot_path, metadata = row
        path = os.path.join(self._store, snapshot_path)
        if not os.path.isfile(path) and os.path.isfile(path + UNCOMMITTED):
            path += UNCOMMITTED  # its process died right after the commit
        return Checkpoint(
            number=number,
            name=name,
            description=description or "",
            created_at=from_text(created_at),
            memory_count=memory_count,
            snapshot_path=path,
            contents=Contents(**json.loads(metadata)),
            is_there=os.path.isfile(path),
        )


def _finish(path: str) -> None:
    """Give a snapshot its name; under the other one it is found too."""
    with contextlib.suppress(OSError):
        os.replace(path + UNCOMMITTED, path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):  # one that stays is removed with the next checkpoint
        os.unlink(path)
