"""Checkpoints and backups: the table, and the files of the copies."""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import attrs

from hardwon.adapters.durable import temporary_name
from hardwon.adapters.folder import Folder
from hardwon.adapters.sqlite.copies import opened_copy, publish, remove, write_copy
from hardwon.adapters.sqlite.database import (
    FILE_NAME,
    IN_MEMORY,
    Row,
    SqliteDatabase,
    to_text,
)
from hardwon.adapters.sqlite.decoding import RowDecoder, integer, optional, text, timestamp
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.erase import redact_rows
from hardwon.adapters.sqlite.file_errors import translated
from hardwon.adapters.sqlite.forgotten import SqliteForgottenTexts, drop_forgotten
from hardwon.adapters.sqlite.opening import COMPANIONS
from hardwon.adapters.sqlite.restore import SqliteSnapshot
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import InvalidCheckpointError, StorageError
from hardwon.ports.override import override
from hardwon.ports.snapshots import Snapshots

FOLDER = "checkpoints"
UNCOMMITTED = ".new"
SNAPSHOT = re.compile(r"(\d+)\.db")
UNFINISHED = re.compile(r"(\d+\.db)\..+")
"""Files in that folder whose transaction has not ended."""

INSERT = """
    INSERT INTO checkpoints (id, name, description, created_at, memory_count, snapshot_path, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
SELECT = (
    "SELECT id, name, description, created_at, memory_count, snapshot_path, metadata FROM"
    " checkpoints"
)


decode_checkpoint = RowDecoder(
    ("id", "name", "description", "created_at", "memory_count", "snapshot_path", "metadata"),
    {
        **dict.fromkeys(("id", "memory_count"), integer),
        **dict.fromkeys(("name", "snapshot_path"), text),
        "description": optional(text),
        "created_at": timestamp,
        "metadata": lambda value: Contents(**json.loads(value)),
    },
)


class SqliteSnapshots(Snapshots):
    """
    Copies of the store's file, and the table of checkpoints.

    A snapshot's final name is its number. It is written under a temporary name while the write
    lock is held, and renamed after the commit. So an unfinished file seen under the lock was
    left by a killed process. A snapshot without a row belongs to an earlier store and is never
    touched.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._store = os.path.realpath(os.path.dirname(database.path))
        self._folder = os.path.join(self._store, FOLDER)
        self._taken: list[str] = []

    @override
    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            with self._database.transaction():
                try:
                    yield
                except BaseException:
                    for path in self._taken:
                        remove(path + UNCOMMITTED)
                    raise
            for path in self._taken:
                _finish(path)
        finally:
            self._taken.clear()

    @override
    def checkpoints(self) -> list[Checkpoint]:
        return [*self._readable(self._database.rows(f"{SELECT} ORDER BY id DESC"))]

    @override
    def named(self, name: str) -> Checkpoint | None:
        rows = self._database.rows(f"{SELECT} WHERE name = ?", (name,))
        return next(self._readable(rows), None)

    def _readable(self, rows: Iterable[Row]) -> Iterator[Checkpoint]:
        return self._database.readable("checkpoint", rows, self._to_checkpoint)

    @override
    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        with self._database.transaction():
            self._clean_up()
            number = self._next_number()
            path = os.path.join(FOLDER, f"{number}.db")
            count = SqliteEntryRepository(self._database).count(checkpoint.contents.entries)
            metadata = json.dumps(checkpoint.contents._asdict(), ensure_ascii=False)
            texts = (checkpoint.name, checkpoint.description, to_text(checkpoint.created_at))
            self._database.rows(INSERT, (number, *texts, count, path, metadata))
            self._taken.append(os.path.join(self._store, path))
            self._write_copy(self._taken[-1] + UNCOMMITTED)
        return attrs.evolve(
            checkpoint, number=number, memory_count=count, snapshot_path=self._taken[-1]
        )

    @override
    def discard(self, checkpoint: Checkpoint) -> None:
        with self._database.transaction():
            self._database.rows("DELETE FROM checkpoints WHERE id = ?", (checkpoint.number,))
        for ending in ("", UNCOMMITTED):
            remove(checkpoint.snapshot_path.removesuffix(UNCOMMITTED) + ending)

    @override
    @contextmanager
    def opened(self, path: str) -> Iterator[SqliteSnapshot]:
        with opened_copy(path) as copy:
            drop_forgotten(copy, SqliteForgottenTexts(self._database))
            with copy.transaction(), copy.translated():
                redact_rows(copy.connection)
            yield SqliteSnapshot(copy, self._database)

    @override
    def back_up(self, path: str, *, replace: bool = False) -> None:
        if os.path.realpath(path) in self._own_files():
            raise InvalidCheckpointError(f"{path!r} is the store itself: choose another file")
        if os.path.lexists(path) and not os.path.isfile(path):
            raise InvalidCheckpointError(f"{path!r} is no regular file: name another one")
        if os.path.lexists(path) and not replace:
            raise InvalidCheckpointError(
                f"{path!r} is there already: choose another file, or replace it with --force"
            )
        if not os.path.isdir(os.path.dirname(path)):
            raise InvalidCheckpointError(f"{path!r}: its folder is not there, make it first")
        with translated(path), Folder(os.path.dirname(path)) as folder:
            written = os.path.join(folder.path, temporary_name(folder, os.path.basename(path)))
        try:
            self._write_copy(written)
            publish(written, path)
        finally:
            remove(written)

    def _write_copy(self, path: str) -> None:
        if self._database.path == IN_MEMORY:
            raise StorageError("there is no store yet, so there is nothing to copy")
        with contextlib.closing(
            SqliteDatabase(self._database.path)
        ) as source:  # a connection in a write transaction can't be copied
            write_copy(source, path)

    def _own_files(self) -> set[str]:
        file = os.path.realpath(os.path.join(self._store, FILE_NAME))
        snapshots = (os.path.realpath(os.path.join(self._folder, name)) for name in self._files())
        return {file, *(file + companion for companion in COMPANIONS), *snapshots}

    def _clean_up(self) -> None:
        for checkpoint in self.checkpoints():
            if checkpoint.snapshot_path.endswith(UNCOMMITTED):
                _finish(checkpoint.snapshot_path.removesuffix(UNCOMMITTED))
        for name in filter(UNFINISHED.fullmatch, self._files()):
            remove(os.path.join(self._folder, name))  # else with the next one

    def _next_number(self) -> int:
        given = (
            self._database.value("SELECT seq FROM sqlite_sequence WHERE name = 'checkpoints'") or 0
        )
        found = (int(match[1]) for match in map(SNAPSHOT.fullmatch, self._files()) if match)
        return max(given, *found, 0) + 1

    def _files(self) -> list[str]:
        return os.listdir(self._folder) if os.path.isdir(self._folder) else []

    def _to_checkpoint(self, row: Row) -> Checkpoint:
        number, name, description, created_at, memory_count, snapshot_path, metadata = (
            decode_checkpoint(row)
        )
        path = os.path.join(self._store, snapshot_path)
        if not os.path.isfile(path) and os.path.isfile(path + UNCOMMITTED):
            path += UNCOMMITTED  # its process died between commit and rename
        return Checkpoint(
            number=number,
            name=name,
            description=description or "",
            created_at=created_at,
            memory_count=memory_count,
            snapshot_path=path,
            contents=metadata,
            is_there=os.path.isfile(path),
        )


def _finish(path: str) -> None:
    """
    Rename a committed snapshot.

    Errors are ignored, as it is found under its temporary name too.
    """
    with contextlib.suppress(StorageError):
        publish(path + UNCOMMITTED, path)
