"""One connection to the store's file, and the only place that sees an error of sqlite3."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hardwon.adapters.sqlite.failures import translated
from hardwon.adapters.sqlite.private_file import create_private
from hardwon.domain.model.deadline import Deadline

FILE_NAME = "memory.db"
IN_MEMORY = ":memory:"
TEMPORARY = ""
"""A file that SQLite makes if memory gets short, and removes when it is closed, or the process ends."""

BUSY_SECONDS = 5.0
COUNT_BUSY_SECONDS = 0.05
"""How long to wait for other writers with a count: it is not worth more."""
INSTRUCTIONS_BETWEEN_CHECKS = 2_000
REPAIR = ", run: hardwon doctor --repair"

Row = tuple[Any, ...]


class Database:
    """
    A connection with transactions that nest, and errors that say which file is meant.

    Args:
        path: The database file; it is created, with its folder, when it is not there. `IN_MEMORY` and `TEMPORARY`
            leave no trace.
        busy_seconds: How long to wait for other writers.
        read_only: Read a file that is there, and write nothing.

    Raises:
        StorageError: the file can't be opened, or is not a database.

    """

    def __init__(self, path: str, busy_seconds: float = BUSY_SECONDS, *, read_only: bool = False) -> None:
        self.path = path
        self._identity: tuple[int, int] | None = None
        self._busy_ms = int(busy_seconds * 1000)
        with self.translated():
            address = _read_only_uri(path) if read_only else _usable_address(path)
            self.connection = sqlite3.connect(
                address, timeout=busy_seconds, isolation_level=None, cached_statements=64, uri=address != path
            )
            self._configure()
            self._identity = _identity(path)

    def _configure(self) -> None:
        for pragma in (
            f"busy_timeout = {self._busy_ms}",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "cache_size = -8000",
        ):
            self.connection.execute(f"PRAGMA {pragma}")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        with self.translated():
            return self.connection.execute(sql, parameters).fetchall()

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Row]:
        """Run one statement and yield its rows, never holding more than one."""
        with self.translated():
            yield from self.connection.execute(sql, parameters)

    def value(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        """Run one statement and return the first column of its first row, None without a row."""
        rows = self.rows(sql, parameters)
        return rows[0][0] if rows else None

    def run_many(self, sql: str, parameters: Iterable[Sequence[object]]) -> None:
        """Run one statement for each of *parameters*."""
        with self.translated():
            self.connection.executemany(sql, parameters)

    @contextmanager
    def transaction(self, busy_seconds: float | None = None) -> Iterator[None]:
        """Hold the write lock; changes within happen together or not at all. One inside another joins it."""
        if self.connection.in_transaction:
            yield
            return
        with self.translated(), self._waiting(busy_seconds):
            self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads within see one state."""
        self.rows("BEGIN")
        try:
            yield
            if self.connection.in_transaction:  # an interrupted search may have ended it
                self.rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Interrupt what runs within when *deadline* passes."""
        self.connection.set_progress_handler(deadline.passed, INSTRUCTIONS_BETWEEN_CHECKS)
        try:
            yield
        finally:
            self.connection.set_progress_handler(None, 0)

    def is_in_place(self) -> bool:
        """Tell whether the file that was opened is still the one of that path; one in memory always is."""
        return self._identity is None or self._identity == _identity(self.path)

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self.connection.close()

    def _roll_back(self) -> None:
        with self.translated():
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def _waiting(self, busy_seconds: float | None) -> Iterator[None]:
        if busy_seconds is None:
            yield
            return
        self.connection.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {self._busy_ms}")

    def translated(self) -> AbstractContextManager[None]:
        """Turn errors of sqlite3, of the file system and of half surrogate pairs into `StorageError`."""
        return translated(self.path, REPAIR)


def _usable_address(path: str) -> str:
    """Return *path* of a file that is there now, or the URI that opens a write-protected one for reading."""
    if path in {IN_MEMORY, TEMPORARY}:
        return path
    create_private(path)
    is_writable = os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return path if is_writable else _read_only_uri(path)


def _identity(path: str) -> tuple[int, int] | None:
    """Return what no other file has, None where there is none."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _read_only_uri(path: str) -> str:
    # SQLite can't make the shared index of a log here. Where a log lies, its index lies beside it;
    # where none lies, no index is needed by a reader who is told that nobody writes.
    log = f"{path}-wal"
    how = "mode=ro" if os.path.exists(log) and os.path.getsize(log) else "immutable=1"
    quoted = "".join(f"%{byte:02x}" for byte in os.fsencode(os.path.abspath(path)))
    return f"file:{quoted}?{how}"


def in_list(seqs: Iterable[int]) -> str:
    """Return *seqs* as the JSON array that `json_each(?)` reads."""
    return f"[{','.join(map(str, seqs))}]"
