"""Packed vectors: they are used and kept current, and damage to them costs time only."""

import contextlib
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.ports.override import override
from hardwon.ports.vectors import VectorBlock
from tests.adapters.sqlite.earlier_stores import STORES, unpack
from tests.adapters.sqlite.sqlite_store import (
    assert_same,
    fill,
    ignore,
    packed_blocks,
    vectors_of,
)
from tests.contracts.worlds import ALL, world_of
from tests.strategies import (
    QUERY_VECTOR,
    SPACE,
    lesson,
    planted,
)


class Counting(SqliteVectorStore):
    """The vectors of a store, with a list of the blocks that were read."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database, SPACE, ignore)
        self.read, self.packed_read = list[int](), list[int]()
        self.listed = list[EntryFilter]()

    @override
    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        self.listed.append(only)
        return super().members(only)

    @override
    def load_block(self, number: int) -> VectorBlock:
        self.read.append(number)
        return super().load_block(number)

    @override
    def packed(self, number: int, most: int | None = None) -> bytes | None:
        self.packed_read.append(number)
        return super().packed(number, most)


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    with contextlib.closing(open_store(str(folder))) as database:
        yield database


VECTORS = [planted(cosine, direction) for cosine in (0.1, 0.6, 0.8) for direction in (1, 2)]


def test_all_blocks_but_the_newest_are_packed_when_vectors_are_stored(
    database: SqliteDatabase,
) -> None:
    store = fill(database, VECTORS)

    assert [state.is_packed for state in store.blocks().values()] == [True, True, False]


def test_a_packed_block_is_used(database: SqliteDatabase) -> None:
    fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    top = NumpyVectorIndex(counted).compare(QUERY_VECTOR, EVERYTHING).top(1)

    assert top[0].score == 0.6
    assert (counted.packed_read, counted.read) == ([0, 1], [2])


def test_entries_are_listed_only_if_some_are_left_out_or_a_category_is_asked_for(
    database: SqliteDatabase,
) -> None:
    fill(database, VECTORS)
    counted = Counting(database)
    matches = NumpyVectorIndex(counted).compare(QUERY_VECTOR, EVERYTHING)
    assert (matches.count(), len(matches.top(9)), counted.listed) == (18, 9, [])
    assert len(matches.top(9, "patterns")) == 9
    assert matches.top(9, "heuristics") == []
    assert counted.listed == [EVERYTHING]

    sessions = EVERYTHING._replace(kinds=("session",))
    assert NumpyVectorIndex(counted).compare(QUERY_VECTOR, sessions).count() == 0
    assert counted.listed == [EVERYTHING, sessions]


def search_until_kept(index: NumpyVectorIndex) -> None:
    """Search twice: what the first search of a process reads is not kept."""
    for _ in range(2):
        index.compare(QUERY_VECTOR, EVERYTHING).count()


def test_a_resident_process_reads_only_the_block_that_changed(database: SqliteDatabase) -> None:
    store = fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    index = NumpyVectorIndex(counted)
    search_until_kept(index)
    assert (counted.packed_read, counted.read) == ([0, 1] * 2, [2] * 2)

    world_of(database).repository.put(lesson("a new one"))
    store.put((text, planted(0.8)) for text in store.pending(ALL))
    for _ in range(2):
        assert index.compare(QUERY_VECTOR, EVERYTHING).statistics().best == 0.8
    assert (counted.packed_read, counted.read) == ([0, 1] * 2, [2] * 3)


def test_indexes_of_a_process_share_what_they_keep(database: SqliteDatabase) -> None:
    fill(database, [planted(0.6)] * 100)
    first, second = Counting(database), Counting(database)
    search_until_kept(index := NumpyVectorIndex(first))
    search_until_kept(other := NumpyVectorIndex(second))
    assert (second.packed_read, second.read) == ([], [])
    database.rows("DELETE FROM vector WHERE entry_seq = 1030")
    assert [entry.compare(QUERY_VECTOR, EVERYTHING).count() for entry in (index, other)] == [
        299
    ] * 2
    assert (first.read, second.read) == ([2, 2, 1], [])

    del index, other
    search_until_kept(NumpyVectorIndex(second))
    assert (second.packed_read, second.read) == ([0] * 2, [1, 2] * 2)


def test_another_process_changes_a_block_and_it_is_read_again(
    database: SqliteDatabase, folder: Path
) -> None:
    fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    index = NumpyVectorIndex(counted)
    search_until_kept(index)
    with contextlib.closing(SqliteDatabase(str(folder / "memory.db"))) as other:
        other.rows("DELETE FROM vector WHERE entry_seq = 1030")

    assert index.compare(QUERY_VECTOR, EVERYTHING).count() == 299
    assert (counted.packed_read, counted.read) == ([0, 1] * 2, [2, 2, 1])


@pytest.mark.parametrize(
    "number", ["9223372036854775807", "-9223372036854775808", "'no number'", "x'00'"]
)
def test_the_list_of_blocks_ends_whatever_number_a_vector_has(
    database: SqliteDatabase, number: str
) -> None:
    store = fill(database, VECTORS)
    database.rows("PRAGMA foreign_keys = OFF")
    database.rows(f"UPDATE vector SET entry_seq = {number} WHERE entry_seq = 1")

    assert {0, 1, 2} <= {*store.blocks()}
    assert NumpyVectorIndex(store).compare(QUERY_VECTOR, EVERYTHING).top(1)[0].score == 0.8


def test_a_changed_block_is_packed_again_by_the_next_write(database: SqliteDatabase) -> None:
    store = fill(database, VECTORS)
    database.rows("DELETE FROM vector WHERE entry_seq = 1")
    assert packed_blocks(database) == 1

    store.put([])
    assert packed_blocks(database) == 2
    assert_same(NumpyVectorIndex(store), database)


def test_a_damaged_block_is_noticed_passed_over_and_packed_again(database: SqliteDatabase) -> None:
    store = fill(database, [planted(0.6)] * 100)
    database.rows("UPDATE vector_block SET packed = zeroblob(length(packed)) WHERE block = 0")
    assert_same(NumpyVectorIndex(store), database)
    assert packed_blocks(database) == 1

    store.put([])
    assert packed_blocks(database) == 2


def test_a_store_that_is_only_read_answers_beside_a_damaged_block(
    database: SqliteDatabase, folder: Path
) -> None:
    fill(database, [planted(0.6)] * 100)
    database.rows("UPDATE vector_block SET packed = x'00' WHERE block = 0")
    with contextlib.closing(SqliteDatabase(str(folder / "memory.db"), read_only=True)) as other:
        assert_same(NumpyVectorIndex(vectors_of(other)), other)


@pytest.mark.parametrize(
    "blob", [b"short", array("f", [float("nan")] * 4).tobytes(), array("f", [9.0] * 4).tobytes()]
)
def test_a_block_with_an_unusable_vector_is_not_packed(
    database: SqliteDatabase, blob: bytes
) -> None:
    store = fill(database, VECTORS)
    database.rows("UPDATE vector SET vec = ? WHERE entry_seq = 1", (blob,))
    store.put([])

    assert [state.is_packed for state in store.blocks().values()] == [False, True, False]
    assert_same(NumpyVectorIndex(store), database)


def test_without_numpy_no_block_is_packed_and_vectors_are_stored(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hardwon.adapters.numpy_index.signs", None)
    store = fill(database, VECTORS)

    assert (packed_blocks(database), store.count(EVERYTHING)) == (0, 18)


def test_two_writers_pack_at_once(database: SqliteDatabase, folder: Path) -> None:
    store = fill(database, VECTORS, blocks=4)
    database.rows("UPDATE vector_block SET packed = NULL")
    with contextlib.closing(open_store(str(folder))) as other:
        vectors = vectors_of(other)

        def pack_while_the_other_tries(block: VectorBlock, stamp: int) -> bytes | None:
            with pytest.raises(StorageError), other.waiting(0):
                vectors.rebuild_blocks()
            return pack_block(block, stamp)

        SqliteVectorStore(database, SPACE, ignore, pack=pack_while_the_other_tries).put([])
    assert packed_blocks(database) == 3
    assert_same(NumpyVectorIndex(store), database)


def test_a_process_that_dies_while_it_packs_leaves_whole_blocks(database: SqliteDatabase) -> None:
    store = fill(database, VECTORS)
    database.rows("UPDATE vector_block SET packed = NULL")
    packed = list[int]()

    def die(block: VectorBlock, stamp: int) -> bytes | None:
        if packed:
            raise KeyboardInterrupt
        packed.append(stamp)
        return pack_block(block, stamp)

    with pytest.raises(KeyboardInterrupt):
        SqliteVectorStore(database, SPACE, ignore, pack=die).put([])
    assert packed_blocks(database) == 1
    assert_same(NumpyVectorIndex(store), database)


@pytest.mark.parametrize("store", STORES[-1:], ids=lambda store: store.stem)
def test_entries_are_deleted_from_a_copy_of_an_earlier_store(store: Path, folder: Path) -> None:
    with opened_copy(str(unpack(store, folder))) as copy:
        assert copy.value("SELECT count(*) FROM vector") > 0
        copy.rows("DELETE FROM entry")
        assert copy.value("SELECT count(*) FROM vector") == 0
