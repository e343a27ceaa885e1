"""Packed vectors: after any history a search finds the same by them and without, and damage to them costs time only."""

import contextlib
import itertools
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

import attrs
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hardwon.adapters.numpy_index import loaded
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.erase_files import StoreRows
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.vector_blocks import SHIFT, TABLE, TRIGGERS
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockState, VectorBlock
from tests.adapters.sqlite.historic_stores import STORES, unpack
from tests.adapters.sqlite.snapshot_files import EVERY_ENTRY, checkpoints_of
from tests.contracts.worlds import ALL, open_new_store, world_of
from tests.strategies import (
    DAY,
    NOW,
    QUERY_VECTOR,
    SPACE,
    entries_about,
    file_entries,
    free_unit_vectors,
    lesson,
    phrases_or_nothing,
    planted,
    unit_vectors,
)

OTHER_SPACE = Space(provider="planted", model="other-4", dimensions=4)
LESSONS = ("retry the socket", "lock the cache", "deploy x86", "parser first", "émigré")
FILTERS = (EVERYTHING, LEARNINGS, *(EntryFilter(category=category) for category in CATEGORIES))


class Plain(SqliteVectorStore):
    """The vectors of a store, as if no block of them was packed."""

    @override
    def blocks(self) -> Mapping[int, BlockState]:
        return {number: state._replace(is_packed=False) for number, state in super().blocks().items()}


class Counting(SqliteVectorStore):
    """The vectors of a store, with a list of the blocks that were read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, SPACE, ignore)
        self.read, self.packed_read = list[int](), list[int]()

    @override
    def load_block(self, number: int) -> VectorBlock:
        self.read.append(number)
        return super().load_block(number)

    @override
    def packed(self, number: int) -> bytes | None:
        self.packed_read.append(number)
        return super().packed(number)


def ignore(_: str) -> None:
    pass


def vectors_of(database: Database, space: Space = SPACE) -> SqliteVectorStore:
    return SqliteVectorStore(database, space, ignore, pack=pack_block)


def assert_same(fast: NumpyVectorIndex, database: Database, space: Space = SPACE) -> None:
    """Check that *fast* answers to the bit as an index that compares every vector."""
    plain = NumpyVectorIndex(Plain(database, space, ignore))
    for only in FILTERS:
        found, expected = fast.compare(QUERY_VECTOR, only), plain.compare(QUERY_VECTOR, only)
        for k in (1, 2, ALL):
            assert found.top(k) == expected.top(k)
        for category in CATEGORIES:
            assert found.top(1, category) == expected.top(1, category)
        seqs = [hit.seq for hit in expected.top(ALL)]
        assert found.count() == expected.count()
        assert found.scores([*seqs, 1, 2, 10**9]) == expected.scores(seqs)
        assert found.statistics() == expected.statistics()


def leave_a_gap(database: Database) -> None:
    """Give the next entry a number of the next block."""
    database.rows(f"UPDATE sqlite_sequence SET seq = ((seq >> {SHIFT}) + 1) << {SHIFT} WHERE name = 'entry'")


def packed_blocks(database: Database) -> int:
    return int(database.value("SELECT count(packed) FROM vector_block"))


class PackedAgreesWithPlain(RuleBasedStateMachine):
    """Whatever happened to a store: packed blocks, read afresh or by a process that stays, answer as the vectors themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.always_packed = patch.object(loaded, "FEW_A_BLOCK", -1)
        self.always_packed.start()
        self.use(open_new_store(self.folder.name))
        self.database.rows("INSERT INTO sqlite_sequence (name, seq) SELECT 'entry', 0")
        self.checkpoints = 0

    def use(self, database: Database) -> None:
        self.database = database
        self.world = world_of(database)
        self.spaces = [vectors_of(database, space) for space in (SPACE, OTHER_SPACE)]
        self.resident = [NumpyVectorIndex(vectors) for vectors in self.spaces]

    def teardown(self) -> None:
        self.always_packed.stop()
        self.database.close()
        self.folder.cleanup()

    @initialize(start=st.integers(0, 9))
    def begin_with_packed_blocks(self, start: int) -> None:
        fill(self.database, [planted(0.6 + 0.001 * (start + 3 * place)) for place in range(5)])

    def stored(self) -> list[Entry]:
        return self.world.repository.find(EVERYTHING, limit=ALL)

    def one(self, place: int) -> Entry:
        stored = self.stored()
        return stored[place % len(stored)]

    @rule(entry=entries_about(st.sampled_from(LESSONS)) | file_entries, gap=st.booleans())
    def put(self, entry: Entry, gap: bool) -> None:  # noqa: FBT001  # Hypothesis draws it
        if gap:
            leave_a_gap(self.database)
        self.world.repository.put(entry)

    @rule(vector=unit_vectors | free_unit_vectors, limit=st.integers(1, 3), space=st.integers(0, 1))
    def embed(self, vector: Vector, limit: int, space: int) -> None:
        self.spaces[space].put((text, vector) for text in self.spaces[space].pending(limit))

    @rule(vector=free_unit_vectors)
    def embed_all_again(self, vector: Vector) -> None:
        for vectors in self.spaces:
            vectors.clear(EVERYTHING)
            vectors.put((text, vector) for text in vectors.pending(ALL))

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, 9), notes=phrases_or_nothing)
    def change_the_text(self, place: int, notes: str) -> None:
        self.world.repository.put(attrs.evolve(self.one(place), notes=notes))

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, 9))
    def delete(self, place: int) -> None:
        self.world.repository.delete(self.one(place).entry_id)

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, 9), vector=unit_vectors)
    def give_up_a_transaction(self, place: int, vector: Vector) -> None:
        with contextlib.suppress(LookupError), self.database.transaction():
            self.world.repository.delete(self.one(place).entry_id)
            self.spaces[0].put((text, vector) for text in self.spaces[0].pending(ALL))
            self.resident[0].compare(QUERY_VECTOR, EVERYTHING).top(1)
            raise LookupError

    @rule(text=st.sampled_from(LESSONS))
    def forget(self, text: str) -> None:
        StoreRows(self.database).erase(Erasure((text,)))

    @rule()
    def retire(self) -> None:
        self.world.repository.retire_expired(NOW + 1000 * DAY)

    @rule()
    def keep_a_snapshot(self) -> None:
        self.checkpoints += 1
        checkpoints_of(self.database).create(str(self.checkpoints), "", EVERY_ENTRY)

    @precondition(lambda self: self.checkpoints)
    @rule()
    def restore(self) -> None:
        checkpoints_of(self.database).restore(str(self.checkpoints))

    @rule()
    def rebuild(self) -> None:
        for vectors in self.spaces:
            vectors.rebuild_blocks()

    @rule(place=st.integers(0, 200), value=st.integers(0, 255))
    def damage_a_byte(self, place: int, value: int) -> None:
        for space_id, number, packed in self.database.rows(
            "SELECT space_id, block, packed FROM vector_block WHERE packed IS NOT NULL"
        ):
            damaged = bytearray(packed)
            damaged[place % len(damaged)] = value
            self.replace(space_id, number, bytes(damaged))

    @rule(length=st.integers(0, 40))
    def cut_off(self, length: int) -> None:
        self.database.rows("UPDATE vector_block SET packed = substr(packed, 1, ?) WHERE packed IS NOT NULL", (length,))

    @rule()
    def swap_the_blocks(self) -> None:
        rows = self.database.rows("SELECT space_id, block, packed FROM vector_block WHERE packed IS NOT NULL")
        for (space_id, number, _), (_, _, packed) in zip(rows, rows[1:] + rows[:1], strict=True):
            self.replace(space_id, number, packed)

    def replace(self, space_id: int, number: int, packed: bytes) -> None:
        self.database.rows(
            "UPDATE vector_block SET packed = ? WHERE space_id = ? AND block = ?", (packed, space_id, number)
        )

    @rule(name=st.sampled_from((TABLE, *TRIGGERS)))
    def drop_by_hand_and_reopen(self, name: str) -> None:
        self.database.rows(f"DROP {'TABLE' if name == TABLE else 'TRIGGER'} {name}")
        self.reopen()

    @rule()
    def empty_by_hand(self) -> None:
        self.database.rows("DELETE FROM vector_block")

    @rule()
    def reopen(self) -> None:
        self.database.close()
        self.use(open_store(self.folder.name))

    @rule()
    def vacuum(self) -> None:
        self.database.rows("VACUUM")

    @invariant()
    def packed_and_plain_agree(self) -> None:
        for vectors, resident in zip(self.spaces, self.resident, strict=True):
            assert_same(NumpyVectorIndex(vectors), self.database, vectors.space)
            assert_same(resident, self.database, vectors.space)

    @invariant()
    def nothing_is_packed_of_an_entry_that_is_gone(self) -> None:
        listed = "SELECT space_id, block FROM vector_block WHERE packed IS NOT NULL"
        there = f"SELECT DISTINCT space_id, entry_seq >> {SHIFT} FROM vector"
        assert {*self.database.rows(listed)} <= {*self.database.rows(there)}


PackedAgreesWithPlain.TestCase.settings = settings(
    max_examples=max(1, settings().max_examples // 5), stateful_step_count=10
)
TestPackedAgreesWithPlain = PackedAgreesWithPlain.TestCase


@pytest.fixture
def database(folder: Path) -> Iterator[Database]:
    with contextlib.closing(open_store(str(folder))) as database:
        yield database


def fill(database: Database, vectors: Sequence[Vector], blocks: int = 3) -> SqliteVectorStore:
    """Store entries with those vectors in each of some blocks; all blocks but the last are packed."""
    store, entries = vectors_of(database), world_of(database).repository
    for block in range(blocks):
        if block:
            leave_a_gap(database)
        for place, _ in enumerate(vectors):
            entries.put(lesson(f"block {block}, place {place}"))
    waiting = sorted(store.pending(ALL), key=lambda text: text.seq)
    store.put(zip(waiting, itertools.cycle(vectors), strict=False))
    return store


VECTORS = [planted(cosine, direction) for cosine in (0.1, 0.6, 0.8) for direction in (1, 2)]


def test_all_blocks_but_the_newest_are_packed_when_vectors_are_stored(database: Database) -> None:
    store = fill(database, VECTORS)

    assert [state.is_packed for state in store.blocks().values()] == [True, True, False]


def test_a_packed_block_is_used(database: Database) -> None:
    fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    top = NumpyVectorIndex(counted).compare(QUERY_VECTOR, EVERYTHING).top(1)

    assert top[0].score == 0.6
    assert (counted.packed_read, counted.read) == ([0, 1], [2])


def test_a_resident_process_reads_only_the_block_that_changed(database: Database) -> None:
    store = fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    index = NumpyVectorIndex(counted)
    index.compare(QUERY_VECTOR, EVERYTHING).statistics()
    assert counted.read == [0, 1, 2]

    world_of(database).repository.put(lesson("a new one"))
    store.put((text, planted(0.8)) for text in store.pending(ALL))
    assert index.compare(QUERY_VECTOR, EVERYTHING).statistics().best == 0.8
    assert (counted.read, counted.packed_read) == ([0, 1, 2, 2], [])

    index.compare(QUERY_VECTOR, EVERYTHING).statistics()
    assert counted.read == [0, 1, 2, 2]


def test_another_process_changes_a_block_and_it_is_read_again(database: Database, folder: Path) -> None:
    fill(database, [planted(0.6)] * 100)
    counted = Counting(database)
    index = NumpyVectorIndex(counted)
    index.compare(QUERY_VECTOR, EVERYTHING).statistics()
    with contextlib.closing(Database(str(folder / "memory.db"))) as other:
        other.rows("DELETE FROM vector WHERE entry_seq = 1030")

    assert index.compare(QUERY_VECTOR, EVERYTHING).count() == 299
    assert counted.read == [0, 1, 2, 1]


def test_a_changed_block_is_packed_again_by_the_next_write(database: Database) -> None:
    store = fill(database, VECTORS)
    database.rows("DELETE FROM vector WHERE entry_seq = 1")
    assert packed_blocks(database) == 1

    store.put([])
    assert packed_blocks(database) == 2
    assert_same(NumpyVectorIndex(store), database)


def test_a_damaged_block_is_noticed_passed_over_and_packed_again(database: Database) -> None:
    store = fill(database, [planted(0.6)] * 100)
    database.rows("UPDATE vector_block SET packed = zeroblob(length(packed)) WHERE block = 0")
    assert_same(NumpyVectorIndex(store), database)
    assert packed_blocks(database) == 1

    store.put([])
    assert packed_blocks(database) == 2


def test_a_store_that_is_only_read_answers_beside_a_damaged_block(database: Database, folder: Path) -> None:
    fill(database, [planted(0.6)] * 100)
    database.rows("UPDATE vector_block SET packed = x'00' WHERE block = 0")
    with contextlib.closing(Database(str(folder / "memory.db"), read_only=True)) as other:
        assert_same(NumpyVectorIndex(vectors_of(other)), other)


@pytest.mark.parametrize("blob", [b"short", array("f", [float("nan")] * 4).tobytes(), array("f", [9.0] * 4).tobytes()])
def test_a_block_with_an_unusable_vector_is_not_packed(database: Database, blob: bytes) -> None:
    store = fill(database, VECTORS)
    database.rows("UPDATE vector SET vec = ? WHERE entry_seq = 1", (blob,))
    store.put([])

    assert [state.is_packed for state in store.blocks().values()] == [False, True, False]
    assert_same(NumpyVectorIndex(store), database)


def test_without_numpy_no_block_is_packed_and_vectors_are_stored(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hardwon.adapters.numpy_index.blocks", None)
    store = fill(database, VECTORS)

    assert (packed_blocks(database), store.count(EVERYTHING)) == (0, 18)


def test_two_writers_pack_at_once(database: Database, folder: Path) -> None:
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


def test_a_process_that_dies_while_it_packs_leaves_whole_blocks(database: Database) -> None:
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
