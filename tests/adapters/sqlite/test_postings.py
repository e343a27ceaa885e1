"""Packed postings: they are used and kept current, and damage to them costs time only."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from hardwon.adapters.sqlite import passage_arrays, postings, scoring
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.erase_files import StoreRows
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex
from hardwon.adapters.sqlite.keyword_matches import FilterMembers, frequencies
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import pack_postings, varints
from hardwon.adapters.sqlite.scoring import (
    PackedPostings,
    computes_as_sqlite,
    packed_passages,
    packed_postings,
    packed_scores,
)
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.ports.entries import EntryRepository
from tests.adapters.sqlite.sqlite_store import (
    assert_same_words,
    fill_words,
    leave_a_gap,
    packed,
    packed_word_blocks,
    plain_passages,
    plain_scores,
    weigh_passages,
)
from tests.contracts.worlds import ALL, IN_TIME, world_of
from tests.strategies import lesson, of_file

TEXTS = (
    "retry the socket",
    "lock the cache, then the cache's lock",
    "deploy x86",
    "parsing the émigré's file",
    "The socket waits for the lock. " * 40 + "The cache has a parser of its own. " * 40,
)
QUERY = ("cache", "locks", "parser", "socket", "block", "emigre", "nowhere")


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    with contextlib.closing(open_store(str(folder))) as database:
        fill_words(database, TEXTS)
        yield database


def test_all_blocks_but_the_newest_are_packed(database: SqliteDatabase) -> None:
    assert packed_word_blocks(database) == [0, 1]


def test_packed_postings_have_the_scores_of_fts5_to_the_last_bit(database: SqliteDatabase) -> None:
    expected = plain_scores(database, QUERY)

    assert packed(database, QUERY) == expected
    assert len(expected) == 3 * len(TEXTS)
    assert_same_words(database, QUERY)


def test_packed_passages_have_the_scores_of_fts5_to_the_last_bit(database: SqliteDatabase) -> None:
    counted = frequencies(database, "passages_fts", QUERY)
    passages = packed_postings(database, QUERY, counted=counted, texts="passages")
    expected = plain_passages(database, QUERY)

    assert passages is not None
    assert [len(block.owners) for block in passages.blocks.values()] == [5, 5]
    assert passages.end == 2 << SHIFT
    assert weigh_passages(database, QUERY, ALL) == expected
    assert len(expected.scores) == 3 * len(TEXTS)


def test_only_the_first_search_scores_without_numpy(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = list[float]()

    def best_passages(packed: PackedPostings, asked: float) -> dict[int, float]:
        scored.append(asked)
        return packed_passages(packed, asked)

    monkeypatch.setattr(passage_arrays, "best_passages", best_passages)
    keywords = FtsKeywordIndex(database)
    counts = [keywords.weigh(QUERY, EVERYTHING, IN_TIME).count() for _ in range(3)]
    assert (len(scored), len({*counts})) == (2, 1)

    monkeypatch.delitem(sys.modules, "numpy")
    assert keywords.weigh(QUERY, EVERYTHING, IN_TIME).count() == counts[0]
    assert len(scored) == 2


def test_blocks_that_cannot_be_read_are_packed_again(database: SqliteDatabase) -> None:
    database.rows("UPDATE posting_block SET lengths = x'00'")  # so does one of another format
    assert packed(database, QUERY) is None

    pack_postings(database)
    assert packed(database, QUERY) == plain_scores(database, QUERY)


def test_only_blocks_of_a_filter_with_few_entries_are_scored(database: SqliteDatabase) -> None:
    entries = world_of(database).repository
    entries.put(of_file("the cache of a decision"))
    leave_a_gap(database)
    entries.put(lesson("the newest block"))
    pack_postings(database)
    decisions, sessions = EntryFilter(kinds=("decision",)), EntryFilter(kinds=("session",))

    expected = plain_scores(database, QUERY)
    number = database.value("SELECT seq FROM entry WHERE kind = 'decision'")
    found = FtsKeywordIndex(database).match(QUERY, "any", decisions, IN_TIME)
    assert found.scores(expected) == {number: expected[number]}
    within = FilterMembers(database, decisions).blocks
    scored = packed_scores(
        database, QUERY, frequencies(database, "entries_fts", QUERY), within=within
    )
    assert scored is not None
    assert {number >> SHIFT for number in scored} == {2, 3}
    assert FtsKeywordIndex(database).match(QUERY, "any", sessions, IN_TIME).count() == 0


def test_a_term_asked_twice_in_two_forms_counts_twice_as_in_fts5(database: SqliteDatabase) -> None:
    assert packed(database, ["lock", "locks", "locked"]) == plain_scores(
        database, ["lock", "locks", "locked"]
    )


@pytest.mark.parametrize("terms", [["two words"], ["_"], ['"'], ["cache", ""]])
def test_a_term_that_is_not_one_word_is_left_to_fts5(
    database: SqliteDatabase, terms: list[str]
) -> None:
    assert packed(database, terms) is None
    assert_same_words(database, terms)


ENTRY = lesson("retry the socket in block 0")


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda entries: entries.put(attrs.evolve(ENTRY, notes="cache")), [1]),
        (lambda entries: entries.delete(lesson("deploy x86 in block 1").entry_id), [0]),
        (lambda entries: entries.put(lesson("a new one")), [0, 1]),
        (lambda entries: entries.put(attrs.evolve(ENTRY, observation_count=9)), [0, 1]),
    ],
)
def test_a_change_of_words_drops_its_block_until_the_next_close(
    database: SqliteDatabase, change: Callable[[EntryRepository], None], left: list[int]
) -> None:
    change(world_of(database).repository)
    assert packed_word_blocks(database) == left
    assert_same_words(database, QUERY)

    pack_postings(database)
    assert packed_word_blocks(database) == [0, 1]
    assert packed(database, QUERY) == plain_scores(database, QUERY)


def test_entries_after_a_block_that_is_not_packed_are_searched_by_fts5(
    database: SqliteDatabase,
) -> None:
    database.rows("DELETE FROM posting_block WHERE block = 1")

    assert packed(database, QUERY) == plain_scores(database, QUERY)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM posting WHERE block = 0 AND term = 'cach'",
        "DELETE FROM posting WHERE block = 0 AND term = CAST('cach' AS BLOB)",
        "DELETE FROM posting",
        "UPDATE posting SET packed = zeroblob(length(packed))",
        "UPDATE posting SET packed = x''",
        "UPDATE posting SET packed = 'text'",
        "UPDATE posting SET packed = 5 WHERE block = 1",
        "UPDATE posting SET packed = (SELECT packed FROM posting WHERE block = 1 AND term = CAST('socket' AS BLOB)) WHERE block = 0",
        "UPDATE posting SET block = block + 7",
        "UPDATE posting_block SET lengths = zeroblob(length(lengths))",
        "UPDATE posting_block SET lengths = 'text'",
        "UPDATE posting_block SET lengths = (SELECT lengths FROM posting_block WHERE block = 0)",
        "UPDATE posting_block SET block = block + 7",
        "DELETE FROM posting_block WHERE block = 0",
        "INSERT INTO posting (block, term, packed) VALUES (0, 'nowher', x'00000100')",
        "INSERT INTO posting_block (block, lengths) VALUES (2, x'00')",
    ],
)
def test_damage_costs_time_only(database: SqliteDatabase, damage: str) -> None:
    database.rows(damage)

    assert_same_words(database, QUERY)
    world_of(database).repository.put(lesson("a new one of the cache"))
    assert_same_words(database, QUERY)


@pytest.mark.parametrize("table", postings.TABLES)
def test_a_table_that_was_dropped_is_made_again(
    database: SqliteDatabase, folder: Path, table: str
) -> None:
    database.rows(f"DROP TABLE {table}")
    with contextlib.closing(open_store(str(folder))) as reopened:
        assert packed_word_blocks(reopened) == []
        pack_postings(reopened)
        assert packed_word_blocks(reopened) == [0, 1]
        assert packed(reopened, QUERY) == plain_scores(reopened, QUERY)


def test_an_sqlite_that_rounds_otherwise_searches_by_itself(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert computes_as_sqlite()
    monkeypatch.setattr(scoring, "K1", 1.2000000000000002)
    computes_as_sqlite.cache_clear()

    assert packed(database, QUERY) is None
    monkeypatch.undo()
    computes_as_sqlite.cache_clear()


def test_a_count_that_no_longer_fits_the_store_is_not_believed(database: SqliteDatabase) -> None:
    assert packed_scores(database, ["cache"], {"cache": 99}) is None


def test_two_processes_pack_at_once(database: SqliteDatabase, folder: Path) -> None:
    postings.drop_postings(database)
    with contextlib.closing(open_store(str(folder))) as other, other.transaction():
        pack_postings(other)
        with pytest.raises(StorageError), database.waiting(0):
            pack_postings(database)
    pack_postings(database)

    assert packed_word_blocks(database) == [0, 1]
    assert packed(database, QUERY) == plain_scores(database, QUERY)


def test_forgetting_leaves_no_word_in_what_is_packed(
    database: SqliteDatabase, folder: Path
) -> None:
    world_of(database).repository.put(lesson("the xylophone in block 9"))
    StoreRows(database).erase(Erasure(("émigré",)))
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    assert packed_word_blocks(database) == []
    assert b"emigr" not in (folder / "memory.db").read_bytes()
    assert b"xylophon" in (folder / "memory.db").read_bytes()


@pytest.mark.parametrize(
    ("blob", "numbers"),
    [(b"", []), (b"\x05", [5]), (b"\x81\x00\x07", [128, 7]), (bytes.fromhex("868d20"), [100_000])],
)
def test_numbers_of_variable_length_are_read(blob: bytes, numbers: list[int]) -> None:
    assert [*varints(blob)] == numbers
