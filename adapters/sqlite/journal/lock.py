import contextlib
import os
import sqlite3

from hardwon.adapters.sqlite.failures import translated
from hardwon.adapters.sqlite.journal.events import connected

FILE_NAME = "capture.lock"
TAKE = ("PRAGMA journal_mode = MEMORY", "BEGIN EXCLUSIVE")  # nothing is ever written
LOOK = ("SELECT count(*) FROM sqlite_master",)


class CaptureLock:
    """
    Who deals with what was captured: one process at a time.

    The system takes it back when its holder dies, however that happens.

    Args:
        folder: The store's folder; created when it is not there.

    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._held: sqlite3.Connection | None = None

    def acquire(self, wait_seconds: float) -> bool:
        """
        Take it, waiting *wait_seconds* for whoever has it; return whether it is ours now.

        Raises:
            StorageError: its file can't be made or used.
        """
        with translated(self._path):
            connection = connected(self._path, wait_seconds)
            if self._answers(connection, *TAKE):
                self._held = connection
                return True
            connection.close()
            return False

    def release(self) -> None:
        """Let others have it; doing so twice is fine."""
        if self._held:
            self._held.close()
            self._held = None

    def is_taken(self) -> bool:
        """
        Tell whether somebody has it; nothing is made.

        Raises:
            StorageError: its file can't be used.
        """
        if not os.path.exists(self._path):
            return False
        with translated(self._path), contextlib.closing(connected(self._path, 0.0)) as connection:
            return not self._answers(connection, *LOOK)

    def _answers(self, connection: sqlite3.Connection, *statements: str) -> bool:
        """Run *statements*; return False when another connection keeps them from running."""
        try:
            for statement in statements:
                connection.execute(statement).fetchall()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                connection.close()
                raise
            os.truncate(self._path, 0)  # nobody can hold what is no database
            return self._answers(connection, *statements)
        return True
