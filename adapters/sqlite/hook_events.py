"""The journal's file, and the noting of events in it: all that a capture hook needs. Standard library only."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from hardwon.adapters.sqlite.database import create_private, translated
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError

FILE_NAME = "capture.db"
ASIDE = ".damaged"
BUSY_SECONDS = 1.0
"""How long to wait for others; each holds the file for some milliseconds."""

VERSION = 1
SCHEMA = (
    """CREATE TABLE event (
        number INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL,
        project_root TEXT NOT NULL, transcript_path TEXT NOT NULL, text TEXT NOT NULL
    )""",
    "CREATE INDEX event_of_session ON event (session_id, kind)",
    """CREATE TABLE buffer (
        session_id TEXT PRIMARY KEY, place INTEGER NOT NULL, kept_at TEXT NOT NULL, document TEXT NOT NULL
    )""",
    f"PRAGMA user_version = {VERSION}",
)
ADD = "INSERT INTO event (session_id, kind, at, project_root, transcript_path, text) VALUES (?, ?, ?, ?, ?, ?)"
COUNT_REPLIES = "SELECT count(*) FROM event WHERE session_id = ? AND kind = 'reply'"


def note(folder: str, event: HookEvent) -> int:
    """
    Add *event* for good to the journal in *folder*; return how many replies of its session wait now.

    Raises:
        StorageError: the journal can't be written now.
    """
    with opened(folder) as connection, transaction(connection):
        connection.execute(ADD, event[:-1])
        return int(connection.execute(COUNT_REPLIES, (event.session_id,)).fetchone()[0])


def has_events(folder: str) -> bool:
    """
    Return whether an event waits of a project that is there; one whose folder is gone can't be helped.

    Raises:
        StorageError: the journal can't be read now.
    """
    if not is_there(folder):
        return False
    with opened(folder) as connection:
        return any(os.path.isdir(root) for (root,) in connection.execute("SELECT DISTINCT project_root FROM event"))


def path_of(folder: str) -> str:
    """Return where the journal of the store in *folder* is."""
    return os.path.join(folder, FILE_NAME)


def is_there(folder: str) -> bool:
    """Return whether anything was ever captured."""
    return os.path.exists(path_of(folder))


@contextlib.contextmanager
def opened(folder: str) -> Iterator[sqlite3.Connection]:
    """
    Open the journal, made when it is not there, for its owner only; errors of sqlite3 within become `StorageError`.

    Raises:
        StorageError: it can't be opened, or is damaged.
    """
    path = path_of(folder)
    with translated(path), contextlib.closing(connected(path, BUSY_SECONDS)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise NewerSchemaError(f"{path} is of version {version}, written by a later hardwon: upgrade hardwon")
        if version < VERSION:
            _make(connection)
        yield connection


def connected(path: str, busy_seconds: float) -> sqlite3.Connection:
    """Return a connection to the file at *path*, made with its folder when it is not there."""
    create_private(path)
    return sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)


def _make(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:  # another may have been first
            for statement in SCHEMA:
                connection.execute(statement)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Let changes within happen together or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def put_aside(folder: str) -> str:
    """
    Move a damaged journal aside, in place of an earlier one, and return where to; empty when it is damaged no more.

    Raises:
        StorageError: it can't be moved.
    """
    path = path_of(folder)
    try:
        has_events(folder)
    except CorruptStoreError:
        with translated(path):
            for ending in ("-journal", ""):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{path}{ending}", f"{path}{ASIDE}{ending}")
            return f"{path}{ASIDE}"
    return ""
