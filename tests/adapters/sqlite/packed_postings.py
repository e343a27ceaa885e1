"""Keyword search by packed postings, beside FTS5."""

from collections.abc import Sequence

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.fts import any_of, frequencies
from hardwon.adapters.sqlite.keyword_index import SELECT_MATCHES, FtsKeywordIndex
from hardwon.adapters.sqlite.postings import pack_postings, packed_scores
from hardwon.domain.model.filters import EVERYTHING
from tests.adapters.sqlite.packed_vectors import leave_a_gap
from tests.contracts.worlds import ALL, IN_TIME, world_of
from tests.strategies import lesson


def plain(database: SqliteDatabase, terms: Sequence[str]) -> dict[int, float]:
    """Return the scores of FTS5 itself."""
    return dict(database.rows(SELECT_MATCHES, (any_of(terms),)))


def packed(database: SqliteDatabase, terms: Sequence[str]) -> dict[int, float] | None:
    return packed_scores(database, terms, frequencies(database, "entries_fts", terms))


def assert_same(database: SqliteDatabase, terms: Sequence[str]) -> None:
    """Check that a search finds what FTS5 finds, with the same scores to the last bit."""
    expected = plain(database, terms)
    found = FtsKeywordIndex(database).match(terms, "any", EVERYTHING, IN_TIME)

    assert found.scores(range(1 << 13)) == expected
    assert {hit.number: hit.score for hit in found.top(ALL)} == expected


def fill(database: SqliteDatabase, texts: Sequence[str], blocks: int = 3) -> None:
    """Store those texts in each of some blocks; all blocks but the last are packed."""
    entries = world_of(database).repository
    for block in range(blocks):
        if block:
            leave_a_gap(database)
        for text in texts:
            entries.put(lesson(f"{text} in block {block}"))
    pack_postings(database)


def packed_blocks(database: SqliteDatabase) -> list[int]:
    return [block for (block,) in database.rows("SELECT block FROM posting_block ORDER BY block")]
