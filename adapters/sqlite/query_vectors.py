"""A cache of query vectors in the store."""

import os
import sys
import zlib
from array import array
from collections.abc import Sequence
from contextlib import closing, suppress

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.ports.models import Embedder, Task
from hardwon.ports.override import override

KEPT = 256

OWN_FILE = "queries.db"
"""In the folder of a store on a server."""

CREATE = """
    CREATE TABLE IF NOT EXISTS query_vector (
        number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, checksum INTEGER NOT NULL, vec BLOB NOT NULL
    )
"""

CREATE_METADATA = (
    "CREATE TABLE IF NOT EXISTS _metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
)

REMEMBER = "INSERT OR REPLACE INTO query_vector (key, checksum, vec) VALUES (?, ?, ?)"
DROP_OLDEST = "DELETE FROM query_vector WHERE number <= (SELECT max(number) FROM query_vector) - ?"


class RememberingEmbedder(Embedder):
    """
    An embedder that caches the vectors of the newest queries.

    Thread-safe. Vectors of documents are not cached here. Nothing is cached while the store is
    busy, read-only or damaged.

    Args:
        embedder: Makes the vectors.
        path: The store's file, opened for each query, as embedders run in other threads than
            the store.

    """

    def __init__(self, embedder: Embedder, path: str) -> None:
        self._embedder = embedder
        self._path = path

    @property
    @override
    def space(self) -> Space:
        return self._embedder.space

    @property
    @override
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        if task != "query" or len(texts) != 1:
            return self._embedder.embed(texts, task, deadline)
        key = bytes.fromhex(text_digest(repr((*self.space, texts[0]))))
        if remembered := self._remembered(key):
            return [remembered]
        vectors = self._embedder.embed(texts, task, deadline)
        if [len(vector) for vector in vectors] == [self.space.dimensions]:
            self._remember(key, vectors[0])
        return vectors

    def _remembered(self, key: bytes) -> Vector | None:
        vector = array("f")
        with suppress(StorageError), self._opened() as database:
            for checksum, blob in database.rows(
                "SELECT checksum, vec FROM query_vector WHERE key = ?", (key,)
            ):
                is_whole = (
                    isinstance(blob, bytes) and len(blob) == self.space.dimensions * vector.itemsize
                )
                if is_whole and checksum == zlib.crc32(blob):
                    vector.frombytes(blob)
        return _swapped(vector) if vector else None

    def _remember(self, key: bytes, vector: Vector) -> None:
        blob = _swapped(vector).tobytes()
        with suppress(StorageError), self._opened() as database, database.transaction():
            database.rows(REMEMBER, (key, zlib.crc32(blob), blob))
            database.rows(DROP_OLDEST, (KEPT,))

    def _opened(self) -> "closing[SqliteDatabase]":
        if not os.path.isfile(self._path):  # opening it would make it
            raise StorageError(f"{self._path}: there is no such file")
        return closing(SqliteDatabase(self._path, busy_seconds=0))


def own_file(folder: str) -> str:
    """Return this machine's own file for a store on a server."""
    path = os.path.join(folder, OWN_FILE)
    if not os.path.isfile(path):
        with suppress(StorageError), closing(SqliteDatabase(path)) as database:
            database.rows(CREATE)
    return path


def own_metadata(folder: str, busy_seconds: float) -> SqliteDatabase:
    """Open this machine's own file for a store on a server."""
    database = SqliteDatabase(own_file(folder), busy_seconds)
    database.rows(CREATE_METADATA)
    return database


def _swapped(vector: Vector) -> Vector:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector
