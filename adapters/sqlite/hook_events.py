"""The capture journal's file, to which the capture hooks append events."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from hardwon.adapters.sqlite.database import create_private, public, transaction
from hardwon.adapters.sqlite.file_errors import REPAIR, may_exist, problem_of, translated
from hardwon.domain.model.conversation.hook_event import HookEvent, NotedProject
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError

FILE_NAME = "capture.db"
ASIDE = ".damaged"
BUSY_SECONDS = 1.0
"""Upper bound of the wait for other processes, which hold the file for milliseconds."""

NOTING_SECONDS = 6.0
"""
Upper bound of the wait to append an event, which comes only once.

A hook may take eight seconds.
"""

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
SAME_REPORT_SECONDS = 2
"""The longest time between two reports of an event by two hooks."""

ADD = f"""INSERT INTO event (session_id, kind, at, project_root, transcript_path, text) SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE ?6 = '' OR NOT EXISTS (
        SELECT 1 FROM (SELECT * FROM event WHERE session_id = ?1 ORDER BY number DESC LIMIT 1)
        WHERE (kind, project_root, text) = (?2, ?4, ?6) AND abs(julianday(at) - julianday(?3)) * 86400 < {SAME_REPORT_SECONDS}
    )"""
PROJECTS = (
    "CREATE TABLE IF NOT EXISTS noted_project (folder TEXT PRIMARY KEY, key TEXT, root TEXT, inode"
    " INTEGER, project_id TEXT)"
)
"""
Created when it is needed.

A journal with it keeps its version, so that older programs can read it.
"""

NOTE_PROJECT = """INSERT INTO noted_project (folder, key, root, inode, project_id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (folder) DO UPDATE SET key = excluded.key, root = excluded.root, inode = excluded.inode,
        project_id = excluded.project_id
    WHERE (key, root, inode, project_id) <> (excluded.key, excluded.root, excluded.inode, excluded.project_id)"""
NOTED_PROJECT = "SELECT key, root, inode, project_id FROM noted_project WHERE folder = ?"
HAS_PROMPT = "SELECT 1 FROM event WHERE session_id = ? AND kind = 'prompt' AND at >= ? LIMIT 1"
COUNT_REPLIES = "SELECT count(*) FROM event WHERE session_id = ? AND kind = 'reply'"


def note(folder: str, event: HookEvent, project: NotedProject | None = None) -> int:
    """
    Append *event* and its project durably, once if two hooks report it.

    Returns the number of waiting replies of its session.
    """
    with opened(folder, NOTING_SECONDS) as connection, transaction(connection):
        connection.execute(ADD, public(event[:-1]))
        if project:
            connection.execute(PROJECTS)
            connection.execute(NOTE_PROJECT, public((event.project_root, *project)))
        return int(connection.execute(COUNT_REPLIES, public((event.session_id,))).fetchone()[0])


def has_prompt_since(folder: str, session_id: str, at: str) -> bool:
    """
    Return whether the session has an unhandled prompt from *at* or later.

    The time *at* is ISO 8601 in UTC.

    Raises:
        StorageError: the journal can't be read now.
    """
    if not is_there(folder):
        return False
    with opened(folder) as connection:
        return connection.execute(HAS_PROMPT, public((session_id, at))).fetchone() is not None


def count_events(folder: str) -> int:
    """
    Return the number of waiting events.

    Raises:
        StorageError: the journal can't be read now.
    """
    if not is_there(folder):
        return 0
    with opened(folder) as connection:
        return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def has_events(folder: str) -> bool:
    """
    Return whether an event of an existing project waits.

    The repository of a removed folder counts as existing project.

    Raises:
        StorageError: the journal can't be read now.
    """
    if not is_there(folder):
        return False
    with opened(folder) as connection:
        roots = [root for (root,) in connection.execute("SELECT DISTINCT project_root FROM event")]
        return any(map(os.path.isdir, roots)) or any(
            _is_key_there(connection, root) for root in roots
        )


def noted_project(connection: sqlite3.Connection, folder: str) -> NotedProject | None:
    """Return the project recorded for *folder*, None without one."""
    if not connection.execute(
        "SELECT 1 FROM sqlite_master WHERE name = 'noted_project'"
    ).fetchone():
        return None
    row = connection.execute(NOTED_PROJECT, public((folder,))).fetchone()
    return NotedProject(*row) if row else None


def _is_key_there(connection: sqlite3.Connection, folder: str) -> bool:
    project = noted_project(connection, folder)
    return project is not None and os.path.isdir(project.key)


def path_of(folder: str) -> str:
    """Return the path of the journal."""
    return os.path.join(folder, FILE_NAME)


def is_there(folder: str) -> bool:
    """
    Return whether the journal exists.

    True also if its folder is closed to this process.
    """
    return may_exist(path_of(folder))


@contextlib.contextmanager
def opened(folder: str, busy_seconds: float = BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
    """
    Open the journal, creating it with mode 0600.

    Errors within become `StorageError`.

    Args:
        folder: The store's folder.
        busy_seconds: Upper bound of each wait for other processes.

    Raises:
        StorageError: it can't be opened, or is damaged.
    """
    path = path_of(folder)
    with translated(path, REPAIR), contextlib.closing(connected(path, busy_seconds)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise NewerSchemaError(
                f"{path} is of version {version}, written by a later hardwon: upgrade hardwon"
            )
        if version < VERSION:
            _make(connection)
        yield connection


def connected(path: str, busy_seconds: float) -> sqlite3.Connection:
    """Connect to the file at *path*, creating it and its folder."""
    create_private(path)
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def _make(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if (
            connection.execute("PRAGMA user_version").fetchone()[0] < VERSION
        ):  # another process may have done it meanwhile
            for statement in SCHEMA:
                connection.execute(statement)


def ensure_sound(folder: str) -> None:
    """
    Check that an existing journal is usable and not damaged.

    Raises:
        CorruptStoreError: it is damaged.
        StorageError: it can't be read or written now.
    """
    from hardwon.adapters.sqlite.damage import damage_of  # noqa: PLC0415  # for a check only

    if not is_there(folder):
        return
    with opened(folder) as connection:
        found = damage_of(connection)
    path = path_of(folder)
    if found:
        raise CorruptStoreError(f"{path}: {found}{REPAIR}")
    if wrong := problem_of(path):
        raise StorageError(f"{path}: {wrong}")


def put_aside(folder: str) -> str:
    """
    Rename a damaged journal and return its new path.

    Replaces an earlier one. Empty if the journal is not damaged.
    """
    path = path_of(folder)
    try:
        ensure_sound(folder)
    except CorruptStoreError:
        with translated(path):
            for ending in ("-journal", ""):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{path}{ending}", f"{path}{ASIDE}{ending}")
            return f"{path}{ASIDE}"
    return ""
