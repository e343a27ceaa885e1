"""Checkpoints as saved rows on the server, without files."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import attrs

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.adapters.postgres.forgotten import PostgresForgottenTexts
from hardwon.adapters.postgres.redact_rows import redact_saved
from hardwon.adapters.postgres.restore import PostgresSnapshot, SavedRows
from hardwon.adapters.postgres.session import NEWEST, Row
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.ports.override import override
from hardwon.ports.snapshots import Snapshots

NAME = re.compile(r"checkpoint:\d+")
SCHEMA = "schema"
"""Key of the schema's version in a checkpoint's metadata."""

INSERT = """
    INSERT INTO hardwon.checkpoint (tenant, name, description, created_at, memory_count, snapshot, metadata)
    VALUES (%(tenant)s, %(name)s, %(description)s, %(created_at)s, %(count)s, '', %(metadata)s) RETURNING id
"""
SELECT = """
    SELECT id, name, description, created_at, memory_count, snapshot, metadata FROM hardwon.checkpoint
    WHERE tenant = %(tenant)s
"""

SAVED_TEXTS = """
    SELECT number, description, reasoning, notes, CASE kind WHEN 'learning' THEN id ELSE '' END
    FROM past_entry_text JOIN past_entry USING (number)
"""


class PostgresSnapshots(Snapshots):
    """The checkpoints of a member, with their saved rows."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    @override
    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    @override
    def checkpoints(self) -> list[Checkpoint]:
        return [*map(_to_checkpoint, self._database.rows(f"{SELECT} ORDER BY id DESC"))]

    @override
    def named(self, name: str) -> Checkpoint | None:
        rows = self._database.rows(f"{SELECT} AND name = %(name)s", name=name)
        return next(map(_to_checkpoint, rows), None)

    @override
    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        with self._database.patiently(), self._database.transaction():
            count = PostgresEntryRepository(self._database).count(checkpoint.contents.entries)
            number = self._database.value(
                INSERT,
                name=checkpoint.name,
                description=checkpoint.description,
                created_at=checkpoint.created_at,
                count=count,
                metadata={**checkpoint.contents._asdict(), SCHEMA: NEWEST},
            )
            name = f"checkpoint:{number}"
            self._database.rows(
                "UPDATE hardwon.checkpoint SET snapshot = %(snapshot)s WHERE tenant = %(tenant)s"
                " AND id = %(number)s",
                snapshot=name,
                number=number,
            )
            SavedRows(self._database, name).save()
        return attrs.evolve(checkpoint, number=number, memory_count=count, snapshot_path=name)

    @override
    def discard(self, checkpoint: Checkpoint) -> None:
        with self._database.transaction():
            self._database.rows(
                "DELETE FROM hardwon.checkpoint WHERE tenant = %(tenant)s AND id = %(number)s",
                number=checkpoint.number,
            )
            SavedRows(self._database, checkpoint.snapshot_path).drop()

    @override
    @contextmanager
    def opened(self, path: str) -> Iterator[PostgresSnapshot]:
        self._ensure_known(path)
        redact_saved(self._database, path)
        saved = SavedRows(self._database, path)
        saved.gone = self._forgotten_in(saved)
        yield PostgresSnapshot(saved, self._database)

    @override
    def back_up(self, path: str, *, replace: bool = False) -> None:
        raise StorageError(
            f"{self._database.path} is no file; a copy in a folder is made by: hardwon store copy"
        )

    def _ensure_known(self, path: str) -> None:
        if not NAME.fullmatch(path):
            raise StorageError(
                f"{path}: a file is restored in a folder, and copied from there by: hardwon store"
                " copy; nothing was changed"
            )
        rows = self._database.rows(f"{SELECT} AND snapshot = %(snapshot)s", snapshot=path)
        if not rows:
            raise StorageError(
                f"{self._database.path} has no {path} of this member; nothing was changed"
            )
        if (version := int(rows[0][-1].get(SCHEMA, NEWEST))) > NEWEST:
            raise NewerSchemaError(
                f"{path} has schema version {version}, this hardwon knows {NEWEST}: install the"
                " newest hardwon"
            )

    def _forgotten_in(self, saved: SavedRows) -> list[int]:
        if not self._database.rows(
            "SELECT 1 FROM hardwon.forgotten WHERE tenant = %(tenant)s LIMIT 1"
        ):
            return []
        forgotten = PostgresForgottenTexts(self._database)
        rows = saved.rows(SAVED_TEXTS)
        return [number for number, *texts in rows if forgotten.holds(texts)]


def _to_checkpoint(row: Row) -> Checkpoint:
    number, name, description, created_at, memory_count, snapshot, metadata = row
    contents = {field: metadata[field] for field in Contents._fields if field in metadata}
    return Checkpoint(
        number=number,
        name=name,
        description=description or "",
        created_at=created_at,
        memory_count=memory_count,
        snapshot_path=snapshot,
        contents=Contents(**contents),
    )
