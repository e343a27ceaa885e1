"""The journal of hook events and session buffers, with its locks."""

import contextlib
import datetime as dt
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from cattrs import BaseValidationError, Converter

from hardwon.adapters.sqlite.database import public, transaction
from hardwon.adapters.sqlite.file_errors import translated
from hardwon.adapters.sqlite.hook_events import (
    PROJECTS,
    connected,
    is_there,
    note,
    noted_project,
    opened,
)
from hardwon.domain.model.conversation.hook_event import HookEvent, NotedProject, WaitingEvents
from hardwon.domain.model.conversation.session import SessionBuffer
from hardwon.domain.model.errors import StorageError
from hardwon.ports.override import override
from hardwon.ports.transcripts import CaptureJournal

EVENTS = """SELECT session_id, kind, at, project_root, transcript_path, text, number
    FROM event WHERE session_id = ? ORDER BY number"""
WAITING = """SELECT session_id,
    coalesce((SELECT project_root FROM event AS named WHERE named.session_id = event.session_id
        AND project_root <> '' ORDER BY number LIMIT 1), ''),
    count(*), sum(kind = 'reply'), max(number),
    (SELECT at FROM event AS last WHERE last.session_id = event.session_id ORDER BY number DESC LIMIT 1)
    FROM event GROUP BY session_id ORDER BY min(number)"""
BUFFERS = "SELECT document FROM buffer ORDER BY place DESC"
KEEP = """INSERT OR REPLACE INTO buffer (session_id, place, kept_at, document)
    VALUES (?, (SELECT coalesce(max(place), 0) + 1 FROM buffer), ?, ?)"""
BEYOND = (
    "FROM event WHERE number <= (SELECT number FROM event ORDER BY number DESC LIMIT 1 OFFSET ?)"
)
UNTOUCHED = """SELECT session_id, document FROM buffer
    WHERE kept_at < ? AND session_id NOT IN (SELECT session_id FROM event)"""

READINGS = (
    "CREATE TABLE IF NOT EXISTS reading (session_id TEXT PRIMARY KEY, version INTEGER NOT NULL)"
)
"""Created when it is needed, as `noted_project` is."""

KEEP_READING = "INSERT OR REPLACE INTO reading (session_id, version) VALUES (?, ?)"

UNNAMED_PROJECTS = """DELETE FROM noted_project WHERE folder NOT IN (SELECT project_root FROM event)
    AND folder NOT IN (SELECT coalesce(json_extract(document, '$.project_root'), '') FROM buffer WHERE json_valid(document))"""


class SqliteCaptureJournal(CaptureJournal):
    """
    The journal, in a separate file beside the store.

    Nothing stays open between calls. An unreadable buffer counts as missing, so that its
    session is read again from the beginning.

    Args:
        folder: The store's folder. Reading does not create it.
        now: Returns the time at which a buffer is kept.

    """

    def __init__(self, folder: str, now: Callable[[], dt.datetime]) -> None:
        self._folder = folder
        self._now = now

    @override
    def note(self, event: HookEvent, project: NotedProject | None = None) -> int:
        return note(self._folder, event, project)

    @override
    def noted_project(self, folder: str) -> NotedProject | None:
        if not is_there(self._folder):
            return None
        with opened(self._folder) as connection:
            return noted_project(connection, folder)

    @override
    def waiting(self) -> list[WaitingEvents]:
        return [WaitingEvents(*row) for row in self._rows(WAITING)]

    @override
    def events(self, session_id: str) -> list[HookEvent]:
        return [HookEvent(*row) for row in self._rows(EVENTS, session_id)]

    @override
    def buffer(self, session_id: str) -> SessionBuffer | None:
        rows = self._rows("SELECT document FROM buffer WHERE session_id = ?", session_id)
        return _read(rows[0][0]) if rows else None

    @override
    def reading(self, session_id: str) -> int:
        if buffer := self.buffer(session_id):
            return buffer.reading
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'reading'"):
            return 0
        rows = self._rows("SELECT version FROM reading WHERE session_id = ?", session_id)
        return int(rows[0][0]) if rows else 0

    @override
    def buffers(self) -> Sequence[SessionBuffer]:
        return [buffer for (document,) in self._rows(BUFFERS) if (buffer := _read(document))]

    @override
    def keep(self, buffer: SessionBuffer, *, handled: int = 0) -> None:
        document = json.dumps(_converter().unstructure(buffer), ensure_ascii=False)
        with opened(self._folder) as connection, transaction(connection):
            connection.execute(KEEP, public((buffer.session_id, self._now().isoformat(), document)))
            connection.execute(
                "DELETE FROM event WHERE session_id = ? AND number <= ?",
                public((buffer.session_id, handled)),
            )

    @override
    def keep_newest(self, most: int) -> Mapping[str, int]:
        if not is_there(self._folder):
            return {}
        with opened(self._folder) as connection, transaction(connection):
            lost = dict(
                connection.execute(
                    f"SELECT session_id, count(*) {BEYOND} GROUP BY session_id", (most,)
                )
            )
            if lost:
                connection.execute(f"DELETE {BEYOND}", (most,))
        return lost

    @override
    def forget_settled(self, since: dt.datetime) -> None:
        if not is_there(self._folder):
            return
        with opened(self._folder) as connection, transaction(connection):
            untouched = connection.execute(UNTOUCHED, (since.isoformat(),)).fetchall()
            read = ((name, _read(document)) for name, document in untouched)
            settled = [
                (name, buffer.reading if buffer else 0)
                for name, buffer in read
                if not buffer or buffer.is_settled
            ]
            connection.execute(READINGS)
            connection.executemany(KEEP_READING, settled)
            connection.executemany(
                "DELETE FROM buffer WHERE session_id = ?", [(name,) for name, _ in settled]
            )
            connection.execute(PROJECTS)
            connection.execute(UNNAMED_PROJECTS)

    def _rows(self, sql: str, *parameters: str) -> list[tuple[Any, ...]]:
        if not is_there(self._folder):
            return []
        with opened(self._folder) as connection:
            return connection.execute(sql, public(parameters)).fetchall()


def _read(document: str) -> SessionBuffer | None:
    try:
        fields = json.loads(document)
        if not isinstance(fields, dict):
            return None
        return _converter().structure(
            {"reading": 0, **fields}, SessionBuffer
        )  # by an older program
    except (ValueError, BaseValidationError):
        return None


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_unstructure_hook(dt.datetime, dt.datetime.isoformat)
    converter.register_structure_hook(dt.datetime, lambda text, _: dt.datetime.fromisoformat(text))
    return converter


LOCK_FILE = "capture.lock"
FORGET_LOCK_FILE = "forget.lock"
"""
Held by `hardwon forget` while it waits for and holds the capture lock.

A capture that finds it taken gives way.
"""

TAKE = ("PRAGMA journal_mode = MEMORY", "BEGIN EXCLUSIVE")  # nothing is ever written
LOOK = ("SELECT count(*) FROM sqlite_master",)


class CaptureLock:
    """
    A lock for one process that captures or forgets.

    The operating system releases it when its holder dies.
    """

    def __init__(self, folder: str, name: str = LOCK_FILE) -> None:
        self._path = os.path.join(folder, name)
        self._held: sqlite3.Connection | None = None

    def acquire(self, wait_seconds: float) -> bool:
        """
        Take the lock and return whether that succeeded.

        Waits at most *wait_seconds*.
        """
        with translated(self._path):
            connection = connected(self._path, wait_seconds)
            if self._runs(connection, *TAKE):
                self._held = connection
                return True
            connection.close()
            return False

    @contextlib.contextmanager
    def held(self, wait_seconds: float, otherwise: str) -> Iterator[None]:
        """
        Hold the lock in a context.

        Raises:
            StorageError: it can't be taken within *wait_seconds*, with the message *otherwise*.
        """
        if not self.acquire(wait_seconds):
            raise StorageError(otherwise)
        try:
            yield
        finally:
            self.release()

    def release(self) -> None:
        """Release the lock, idempotently."""
        if self._held:
            self._held.close()
            self._held = None

    def is_taken(self, wait_seconds: float = 0.0) -> bool:
        """
        Return whether the lock is still held after at most *wait_seconds*.

        Creates no file.
        """
        if not os.path.exists(self._path):
            return False
        with (
            translated(self._path),
            contextlib.closing(connected(self._path, wait_seconds)) as connection,
        ):
            return not self._runs(connection, *LOOK)

    def _runs(self, connection: sqlite3.Connection, *statements: str) -> bool:
        try:
            for statement in statements:
                connection.execute(statement).fetchall()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                connection.close()
                raise
            os.truncate(self._path, 0)  # no process can hold a file that is no database
            return self._runs(connection, *statements)
        return True
