"""An open store with checkpoints, packed vectors and packed postings."""

import contextlib
import itertools
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from hardwon.adapters.numpy_index.vector_index import EXACT_BLOCKS, NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.keyword_index import SELECT_MATCHES, FtsKeywordIndex
from hardwon.adapters.sqlite.keyword_matches import TermCounts, any_of, frequencies
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.passage_arrays import best_passages
from hardwon.adapters.sqlite.postings import drop_postings, pack_postings
from hardwon.adapters.sqlite.scoring import (
    PassageMatches,
    packed_passages,
    packed_scores,
    weigh,
)
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.embedding import Space, Vector, cosine
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.domain.use_cases.checkpoints import Checkpoints
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockState
from tests.contracts.worlds import ALL, IN_TIME, world_of
from tests.fakes.clock import FixedClock
from tests.fakes.searches import categories_of
from tests.fakes.searches import vectors_of as loaded_vectors
from tests.strategies import DAY, NOW, QUERY_VECTOR, SPACE, lesson

Sql: TypeAlias = Callable[..., list[tuple[Any, ...]]]

FULL = Entry(
    name="Backoff",
    description="Retry with a backoff.",
    reasoning="It took a day.",
    notes="- Observed in: Feature #12",
    category="patterns",
    keywords=("retry", "café"),
    references=("src/a.py", 'it\'s "quoted"'),
    observation_count=3,
    confidence="high",
    created_at=NOW - 2 * DAY,
    updated_at=NOW - DAY,
    source="retro",
    source_project="here",
)


@contextlib.contextmanager
def opened(folder: Path, *, repair_index: bool = True) -> Iterator[SqliteDatabase]:
    database = open_store(str(folder), repair_index=repair_index)
    try:
        yield database
    finally:
        database.close()


def dump(folder: Path) -> list[object]:
    connection = sqlite3.connect(folder / "memory.db")
    try:
        rows = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY name"
        ).fetchall()
        return [*rows, *connection.execute("SELECT * FROM _metadata ORDER BY key").fetchall()]
    finally:
        connection.close()


EVERY_ENTRY = Contents("all", "here")
DOCUMENTS = Contents("documents", "here")


def checkpoints_of(database: SqliteDatabase) -> Checkpoints:
    return Checkpoints(snapshots=SqliteSnapshots(database), clock=FixedClock())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def dumped(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def state(folder: Path) -> tuple[list[str], list[str]]:
    """Return all that the store's file holds, and the names of its snapshots."""
    return dumped(folder / "memory.db"), names(folder / "checkpoints")


FILTERS = (EVERYTHING, LEARNINGS, *(EntryFilter(category=category) for category in CATEGORIES))


class Plain(SqliteVectorStore):
    """The vectors of a store, as if no block of them was packed."""

    @override
    def blocks(self) -> Mapping[int, BlockState]:
        return {
            number: state._replace(is_packed=False) for number, state in super().blocks().items()
        }


def ignore(_: str) -> None:
    pass


def vectors_of(database: SqliteDatabase, space: Space = SPACE) -> SqliteVectorStore:
    return SqliteVectorStore(database, space, ignore, pack=pack_block)


def assert_same(
    fast: NumpyVectorIndex,
    database: SqliteDatabase,
    space: Space = SPACE,
    exact_blocks: int = EXACT_BLOCKS,
) -> None:
    """Check that *fast* answers to the bit as comparing every vector does."""
    source = Plain(database, space, ignore)
    plain = NumpyVectorIndex(source, exact_blocks)
    for only in FILTERS:
        found, categories = fast.compare(QUERY_VECTOR, only), categories_of(source, only)
        scores = {
            number: cosine(vector, QUERY_VECTOR)
            for number, vector in loaded_vectors(source, categories).items()
            if math.hypot(*vector) < 1.001  # others are damaged
        }
        nearest = sorted(source.in_tie_order(list(scores)), key=lambda number: -scores[number])
        for k in (1, 2, ALL):
            assert found.top(k) == [IndexHit(number, scores[number]) for number in nearest[:k]]
        for category in CATEGORIES:
            assert (
                found.top(1, category)
                == [
                    IndexHit(number, scores[number])
                    for number in nearest
                    if categories[number] == category
                ][:1]
            )
        assert found.count() == len(scores)
        assert found.scores([*scores, 1, 2, 10**9]) == scores
        assert found.statistics() == plain.compare(QUERY_VECTOR, only).statistics()


def leave_a_gap(database: SqliteDatabase) -> None:
    """Give the next entry a number of the next block."""
    database.rows(
        f"UPDATE sqlite_sequence SET seq = ((seq >> {SHIFT}) + 1) << {SHIFT} WHERE name = 'entry'"
    )


def packed_blocks(database: SqliteDatabase) -> int:
    return int(database.value("SELECT count(packed) FROM vector_block"))


def fill(database: SqliteDatabase, vectors: Sequence[Vector], blocks: int = 3) -> SqliteVectorStore:
    """Store entries with those vectors and pack all blocks but the last."""
    store, entries = vectors_of(database), world_of(database).repository
    for block in range(blocks):
        if block:
            leave_a_gap(database)
        for place, _ in enumerate(vectors):
            entries.put(lesson(f"block {block}, place {place}"))
    waiting = sorted(store.pending(ALL), key=lambda text: text.number)
    store.put(zip(waiting, itertools.cycle(vectors), strict=False))
    return store


def plain_scores(database: SqliteDatabase, terms: Sequence[str]) -> dict[int, float]:
    """Return the scores of FTS5 itself."""
    return dict(database.rows(SELECT_MATCHES, (any_of(terms),)))


def packed(database: SqliteDatabase, terms: Sequence[str]) -> dict[int, float] | None:
    return packed_scores(database, terms, frequencies(database, "entries_fts", terms))


def weigh_passages(database: SqliteDatabase, terms: Sequence[str], most: int) -> PassageMatches:
    """Return what is found by passage, the same with numpy and without."""
    passages = TermCounts(database, "passages_fts")
    in_numpy, plain = (
        weigh(passages, terms, most, best_passages=best)
        for best in (best_passages, packed_passages)
    )

    assert in_numpy == plain
    return plain


def plain_passages(database: SqliteDatabase, terms: Sequence[str]) -> PassageMatches:
    """Return what is found by passage while nothing is packed."""
    with contextlib.suppress(LookupError), database.transaction():
        drop_postings(database)
        found = weigh_passages(database, terms, ALL)
        raise LookupError
    return found


def assert_same_words(database: SqliteDatabase, terms: Sequence[str]) -> None:
    """Check that searches find and score to the bit as FTS5 does."""
    expected = plain_scores(database, terms)
    assert weigh_passages(database, terms, ALL) == plain_passages(database, terms)
    found = FtsKeywordIndex(database).match(terms, "any", EVERYTHING, IN_TIME)

    assert found.scores(range(1 << 13)) == expected
    assert {hit.number: hit.score for hit in found.top(ALL)} == expected


def fill_words(database: SqliteDatabase, texts: Sequence[str], blocks: int = 3) -> None:
    """Store those texts and pack all blocks but the last."""
    entries = world_of(database).repository
    for block in range(blocks):
        if block:
            leave_a_gap(database)
        for text in texts:
            entries.put(lesson(f"{text} in block {block}"))
    pack_postings(database)


def packed_word_blocks(database: SqliteDatabase) -> list[int]:
    return [block for (block,) in database.rows("SELECT block FROM posting_block ORDER BY block")]
