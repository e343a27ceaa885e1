"""Vectors kept between runs, in a file that nobody misses when it is gone."""

import math
import os
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from hardwon.domain.model.vector import Vector

FILE_NAME = "eval-vectors.db"
BUSY_SECONDS = 5.0
VALUE_BYTES = 4

CREATE = "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, vec BLOB NOT NULL) WITHOUT ROWID"


class VectorCache:
    """
    A file of vectors, for its owner only; several programs may use it at once.

    One that can't be read or written is told of once, and then does without.

    Args:
        folder: Holds the file; created when it is not there.
        warn: Told in one line why there is no cache.

    """

    def __init__(self, folder: str, warn: Callable[[str], None]) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._warn = warn
        self._lock = threading.Lock()  # a question is embedded on a thread of its own
        self._connection: sqlite3.Connection | None = None
        with self._forgiving():
            self._connection = _open(self._path)

    def find(self, keys: Iterable[bytes], dimensions: int) -> Mapping[bytes, Vector]:
        """Return the vectors of those of *keys* that are there and have *dimensions* finite values."""
        found = dict[bytes, Vector]()
        with self._forgiving() as connection:
            if connection:
                for key in keys:
                    rows = connection.execute("SELECT vec FROM vector WHERE key = ?", (key,)).fetchall()
                    if rows and (vector := _vector(rows[0][0], dimensions)):
                        found[key] = vector
        return found

    def keep(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep *vectors* by their keys, in place of what was there."""
        with self._forgiving() as connection:
            if connection:
                connection.execute("BEGIN IMMEDIATE")
                rows = ((key, vector.tobytes()) for key, vector in vectors.items())
                connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
                connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file; from now on nothing is found or kept."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection:
            connection.close()

    @contextmanager
    def _forgiving(self) -> Iterator[sqlite3.Connection | None]:
        try:
            with self._lock:
                yield self._connection
        except (sqlite3.Error, OSError) as error:
            self.close()
            self._warn(f"{self._path}: {error}; vectors are not kept for the next run, delete it if it is damaged")


def _open(path: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", CREATE):
            connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _vector(blob: object, dimensions: int) -> Vector | None:
    if not isinstance(blob, bytes) or len(blob) != dimensions * VALUE_BYTES:
        return None
    vector = array("f", blob)
    return vector if math.isfinite(math.fsum(vector)) else None
