"""
Stores full of prose with its vectors: `python -m bench.stores ENTRIES...` makes them.

A store is made once, a block of packed postings a transaction, by the statements of the product's
repository without its checks, and kept in the bench's cache; an interrupted run goes on where the
last one ended. Measurements get a copy.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from itertools import pairwise
from multiprocessing import get_context
from typing import NamedTuple

from bench.processes import progress
from bench.prose import bench_folder, sentence_vectors
from bench.texts import NOW, Writer, some_vectors, vectors_of
from hardwon.adapters.minilm.embedder import MINILM_SPACE
from hardwon.adapters.numpy_index.vector_index import pack_block
from hardwon.adapters.sqlite.activity import SqliteUsageLog
from hardwon.adapters.sqlite.database import Row, SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT, bounds
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.keyword_index import INSERT, VERSION
from hardwon.adapters.sqlite.keyword_matches import PLACE_BITS
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import (
    INSERT_LENGTHS,
    INSERT_POSTING,
    PostingRows,
    pack_postings,
    posting_rows,
)
from hardwon.adapters.sqlite.rows import upsert_entry, upsert_text
from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.identity import title_to_search
from hardwon.domain.model.keywords import indexed
from hardwon.domain.model.text import passages

SESSIONS = 100
RECALLED = 20
INSERT_PASSAGE = "INSERT INTO passages_fts (rowid, text) VALUES (?, ?)"
INSERT_VECTOR = "INSERT INTO vector (space_id, entry_seq, text_hash, vec) VALUES (?, ?, ?, ?)"


class _Rows(NamedTuple):
    """
    The rows of consecutive entries.

    Attributes:
        insert_entry: The statement that takes the dictionaries of *entries*.
        insert_text: The same for *texts*.

    """

    insert_entry: str
    entries: list[dict[str, object]]
    insert_text: str
    texts: list[dict[str, object]]
    words: list[Row]
    passages: list[Row]
    vectors: list[tuple[int, str, bytes]]
    postings: PostingRows | None


def build_store(folder: str, entries: int, space: Space = MINILM_SPACE) -> str:
    """
    Copy the store of *entries* learnings to *folder*, and return *folder*.

    The store, with vectors of *space*, is made if missing.
    """
    shutil.copytree(kept_store(entries, space), folder, dirs_exist_ok=True)
    return folder


def kept_store(entries: int, space: Space = MINILM_SPACE) -> str:
    """
    Return the cached store of *entries* learnings.

    100 sessions recalled some.
    """
    version = f"{NEWEST}-{VERSION}"
    folder = os.path.join(
        bench_folder(), f"store-{version}-{space.model.replace('/', '-')}-{entries}"
    )
    if os.path.exists(folder):
        return folder
    sentence_vectors()
    part = f"{folder}.part"
    with closing(open_store(part)) as database:
        _add_entries(database, entries, space)
        _recall(database, entries)
        _vector_store(database, space).rebuild_blocks()
        pack_postings(database, most=None)
        database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    os.rename(part, folder)
    return folder


def add_vectors(database: SqliteDatabase, space: Space) -> None:
    """Give every entry without one a vector of *space*, of whatever texts."""
    store = _vector_store(database, space)
    pending = store.pending(store.count_pending(EVERYTHING))
    store.put(zip(pending, some_vectors(len(pending), space.dimensions), strict=True))
    store.rebuild_blocks()


def _vector_store(database: SqliteDatabase, space: Space) -> SqliteVectorStore:
    return SqliteVectorStore(database, space, _refuse, pack=pack_block)


def _add_entries(database: SqliteDatabase, entries: int, space: Space) -> None:
    _vector_store(database, space).put([])  # registers the space
    space_id = database.value("SELECT id FROM space")
    for pragma in ("synchronous = OFF", "cache_size = -500000", "wal_autocheckpoint = 100000"):
        database.rows(f"PRAGMA {pragma}")
    first = int(database.value("SELECT count(*) FROM entry"))
    started = time.monotonic()
    for done, rows in _made(first, entries, space.dimensions):
        _insert(database, space_id, rows)
        rate = (done - first) / (time.monotonic() - started)
        progress(f"store of {entries:,}: {done:,}, {rate:,.0f} a second")


def _made(first: int, entries: int, dimensions: int) -> Iterator[tuple[int, _Rows]]:
    """
    Yield the rows of a part, and how many entries there are with it.

    A part is a block of the packed postings. Parts are made in processes of their own.
    """
    ends = range((first + 1 >> SHIFT) + 1 << SHIFT, entries + 1, 1 << SHIFT)
    edges = [first, *(number - 1 for number in ends), entries]
    wanted = [(start, end - start, dimensions) for start, end in pairwise(edges)]
    with get_context("forkserver").Pool(os.cpu_count()) as pool:
        for (start, count, _), rows in zip(wanted, pool.imap(_rows, wanted), strict=True):
            yield start + count, rows


def _rows(wanted: tuple[int, int, int]) -> _Rows:
    start, count, dimensions = wanted
    writer = Writer(seed=start)
    parts = [writer.parts() for _ in range(count)]
    rows = _Rows("", [], "", [], [], [], [], None)
    for number, (sentences, vector) in enumerate(
        zip(parts, vectors_of(parts, dimensions, seed=start), strict=True), start + 1
    ):
        entry = writer.entry_of(sentences)
        insert_entry, values = upsert_entry(entry)
        insert_text, texts = upsert_text(number, entry)
        title = title_to_search(entry.name, entry.description)
        words = (title, entry.description, entry.notes, " ".join(entry.labels), entry.reasoning)
        rows = rows._replace(
            insert_entry=insert_entry.partition(" RETURNING ")[0], insert_text=insert_text
        )
        rows.entries.append(dict(values))
        rows.texts.append(dict(texts))
        rows.words.append((number, *map(_indexed, words)))
        for at, text in enumerate(passages(title, "\n".join(words[1:]))):
            rows.passages.append((number << PLACE_BITS | at, _indexed(text)))
        rows.vectors.append((number, str(texts["text_hash"]), vector.tobytes()))
    block = start + 1 >> SHIFT
    if start + count == bounds(block)[1] and start in (0, bounds(block)[0] - 1):
        together = [(number, "\n".join(columns)) for number, *columns in rows.words]
        rows = rows._replace(postings=posting_rows(block, together, rows.passages))
    return rows


def _indexed(text: str) -> str:
    """Return *text* as it is indexed, sentence by sentence, as they come again."""
    return "\n".join(map(_indexed_sentence, SENTENCE_END.split(text)))


SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])|\n")
_indexed_sentence = lru_cache(50_000)(indexed)


def _insert(database: SqliteDatabase, space_id: int, rows: _Rows) -> None:
    with database.transaction():
        many = database.connection.executemany  # `run_many` would search each text for secrets
        many(rows.insert_entry, rows.entries)
        many(rows.insert_text, rows.texts)
        many(INSERT, rows.words)
        many(INSERT_PASSAGE, rows.passages)
        many(INSERT_VECTOR, ((space_id, *vector) for vector in rows.vectors))
        if rows.postings:
            many(INSERT_POSTING, rows.postings.postings)
            many(INSERT_LENGTHS, [rows.postings.lengths])
        database.note_change()


def _recall(database: SqliteDatabase, entries: int) -> None:
    repository, usage, writer = SqliteEntryRepository(database), SqliteUsageLog(database), Writer()
    with repository.transaction():
        numbers = [
            number
            for (number,) in database.rows(
                "SELECT seq FROM entry ORDER BY updated_at DESC LIMIT ?", (entries // 10 + 1,)
            )
        ]
        for _ in range(SESSIONS):
            usage.record_recall(writer.some(numbers, RECALLED), NOW)


def _refuse(warning: str) -> None:
    raise ValueError(f"{os.path.basename(__file__)} built an unusable store: {warning}")


if __name__ == "__main__":
    for size in sys.argv[1:]:
        print(kept_store(int(size.replace(",", ""))))
