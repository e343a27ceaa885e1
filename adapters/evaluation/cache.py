"""A cache of vectors between evaluation runs, and a stopped clock."""

import datetime as dt
import hashlib
import json
import math
import os
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector, unit
from hardwon.domain.model.errors import EmbedderUnavailableError, UnusableVectorError
from hardwon.ports.clock import Clock
from hardwon.ports.models import Embedder, Task
from hardwon.ports.override import override


class StoppedClock(Clock):
    """A clock with constant time, so that recency is reproducible."""

    def __init__(self, now: dt.datetime) -> None:
        self._now = now

    @override
    def now(self) -> dt.datetime:
        return self._now

    @override
    def monotonic(self) -> float:
        return time.perf_counter()


FILE_NAME = "eval-vectors.db"
BUSY_SECONDS = 5.0
VALUE_BYTES = 4

CREATE = "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, vec BLOB NOT NULL) WITHOUT ROWID"


class VectorCache:
    """
    A file of vectors, readable only by its owner, shared by processes.

    After the first error, which is a warning, the cache is not used.
    """

    def __init__(self, folder: str, warn: Callable[[str], None]) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._warn = warn
        self._lock = threading.Lock()  # a question is embedded in a separate thread
        self._connection: sqlite3.Connection | None = None
        with self._forgiving():
            self._connection = _open(self._path)

    def cached(self, keys: Iterable[bytes], dimensions: int) -> Mapping[bytes, Vector]:
        """Return the cached vectors of *keys* that have *dimensions* finite values."""
        found = dict[bytes, Vector]()
        with self._forgiving() as connection:
            if connection:
                for key in keys:
                    rows = connection.execute(
                        "SELECT vec FROM vector WHERE key = ?", (key,)
                    ).fetchall()
                    if rows and (vector := _vector(rows[0][0], dimensions)):
                        found[key] = vector
        return found

    def keep(self, vectors: Mapping[bytes, Vector]) -> None:
        """Store *vectors* by their keys, replacing earlier ones."""
        with self._forgiving() as connection:
            if connection:
                connection.execute("BEGIN IMMEDIATE")
                rows = ((key, vector.tobytes()) for key, vector in vectors.items())
                connection.executemany(
                    "INSERT OR REPLACE INTO vector (key, vec) VALUES (?, ?)", rows
                )
                connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file, so that nothing is found or stored later."""
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
            self._warn(
                f"{self._path}: {error}; vectors are not kept for the next run, delete it if it is"
                " damaged"
            )


def _open(path: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
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


class CachingEmbedder(Embedder):
    """An embedder that caches vectors on disk."""

    def __init__(self, inner: Embedder, cache: VectorCache) -> None:
        self._inner = inner
        self._cache = cache
        self._known: dict[bytes, Vector] = {}

    @property
    @override
    def space(self) -> Space:
        return self._inner.space

    @property
    @override
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        keys = [self._key(text, task) for text in texts]
        unknown = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._known
        }
        kept = self._cache.cached(unknown, self.space.dimensions)
        made = self._make(
            {key: text for key, text in unknown.items() if key not in kept}, task, deadline
        )
        self._known |= {**kept, **made}
        return [self._known[key] for key in keys]

    def _make(
        self, missing: Mapping[bytes, str], task: Task, deadline: Deadline
    ) -> Mapping[bytes, Vector]:
        if not missing:
            return {}
        vectors = self._inner.embed(list(missing.values()), task, deadline)
        if len(vectors) != len(missing):
            raise EmbedderUnavailableError(
                f"{self.space.model} answered {len(missing)} texts with {len(vectors)} vectors"
            )
        made = dict(zip(missing, vectors, strict=True))
        self._cache.keep({key: vector for key, vector in made.items() if self._is_usable(vector)})
        return made

    def _is_usable(self, vector: Vector) -> bool:
        try:
            return bool(unit(vector, self.space.dimensions))
        except UnusableVectorError:  # retried in the next run
            return False

    def _key(self, text: str, task: Task) -> bytes:
        """Return a key of *text* in this space that does not reveal the text."""
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return hashlib.sha256(json.dumps([*self.space, sha256, task]).encode()).digest()
