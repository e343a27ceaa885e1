"""
A peer's index of a store of hardwon.

Run `peer.py build NAME STORE FOLDER`, then `peer.py ask NAME FOLDER`.

It runs in the environment of the peers and knows nothing of hardwon but its tables. To `ask` it
reads a text and its vector as JSON from standard input and prints the numbers of the 20 best
entries.
"""

import json
import os
import re
import sqlite3
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

WIDTH = 384
BATCH = 5_000
FOUND = 20
RANK_OFFSET = 60
"""The constant of reciprocal rank fusion."""

Row = tuple[int, str, bytes]
"""The number of an entry, its text, and its vector as float32."""

READ = """
    SELECT t.entry_seq, t.name || char(10) || t.description || char(10) || t.reasoning, v.vec
    FROM entry_text t JOIN vector v USING (entry_seq) ORDER BY 1
"""


def batches(store: str) -> Iterator[list[Row]]:
    """Yield the entries of a store."""
    rows = sqlite3.connect(f"file:{os.path.join(store, 'memory.db')}?mode=ro", uri=True).execute(
        READ
    )
    while batch := list(islice(rows, BATCH)):
        yield batch


def values(vector: bytes) -> Sequence[float]:
    """Return the numbers of a vector."""
    return struct.unpack(f"<{WIDTH}f", vector)


class SqliteVec:
    """Vectors in sqlite-vec, words in FTS5, fused by rank."""

    def __init__(self, folder: str) -> None:
        import apsw  # many a Python's own sqlite3 loads no extension
        import sqlite_vec

        os.makedirs(folder, exist_ok=True)
        self._connection = apsw.Connection(os.path.join(folder, "peer.db"))
        self._connection.enable_load_extension(enable=True)
        self._connection.load_extension(sqlite_vec.loadable_path())

    def build(self, rows: Iterator[list[Row]]) -> None:
        """Fill the index."""
        self._connection.execute(f"CREATE VIRTUAL TABLE vectors USING vec0(vector float[{WIDTH}])")
        self._connection.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61')"
        )
        for batch in rows:
            with self._connection as connection:
                connection.executemany(
                    "INSERT INTO vectors (rowid, vector) VALUES (?, ?)",
                    [(number, vector) for number, _, vector in batch],
                )
                connection.executemany(
                    "INSERT INTO words (rowid, text) VALUES (?, ?)",
                    [(number, text) for number, text, _ in batch],
                )

    def ask(self, text: str, vector: Sequence[float]) -> list[int]:
        """Return the best entries."""
        near = f"SELECT rowid FROM vectors WHERE vector MATCH ? AND k = {FOUND} ORDER BY distance"
        matching = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT {FOUND}"
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        scores = dict[int, float]()
        for sql, asked in ((near, struct.pack(f"<{WIDTH}f", *vector)), (matching, terms)):
            for rank, (number,) in enumerate(self._connection.execute(sql, (asked,))):
                scores[number] = scores.get(number, 0) + 1 / (RANK_OFFSET + rank)
        return sorted(scores, key=lambda number: -scores[number])[:FOUND]


class Chroma:
    """Vectors in chromadb."""

    def __init__(self, folder: str) -> None:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(folder, settings=settings)
        self._collection = client.get_or_create_collection("entries", embedding_function=None)

    def build(self, rows: Iterator[list[Row]]) -> None:
        """Fill the index."""
        for batch in rows:
            numbers, texts, vectors = zip(*batch, strict=True)
            self._collection.add(
                list(map(str, numbers)),
                [list(values(vector)) for vector in vectors],
                documents=list(texts),
            )

    def ask(self, text: str, vector: Sequence[float]) -> list[int]:
        """Return the best entries."""
        del text
        [found] = self._collection.query([list(vector)], n_results=FOUND)["ids"]
        return list(map(int, found))


class Lance:
    """Vectors in lancedb."""

    def __init__(self, folder: str) -> None:
        import lancedb

        self._database = lancedb.connect(folder)

    def build(self, rows: Iterator[list[Row]]) -> None:
        """Fill the index."""
        table = None
        for batch in rows:
            documents = [
                {"seq": number, "text": text, "vector": list(values(vector))}
                for number, text, vector in batch
            ]
            table = (
                table.add(documents) and table
                if table
                else self._database.create_table("entries", documents)
            )

    def ask(self, text: str, vector: Sequence[float]) -> list[int]:
        """Return the best entries."""
        del text
        return [
            row["seq"]
            for row in (
                self._database.open_table("entries").search(list(vector)).limit(FOUND).to_list()
            )
        ]


PEERS: dict[str, Callable[[str], "SqliteVec | Chroma | Lance"]] = {
    "sqlite-vec": SqliteVec,
    "chromadb": Chroma,
    "lancedb": Lance,
}


if __name__ == "__main__":
    action, name, *folders = sys.argv[1:]
    if action == "build":
        PEERS[name](folders[1]).build(batches(folders[0]))
    else:
        question = json.load(sys.stdin)
        print(json.dumps(PEERS[name](folders[0]).ask(question["text"], question["vector"])))
