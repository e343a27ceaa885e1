"""Packed vectors and postings: after any history a search finds the same by them and without."""

import contextlib
import tempfile
from unittest.mock import patch

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hardwon.adapters.numpy_index import blocks
from hardwon.adapters.numpy_index.vector_index import EXACT_BLOCKS, NumpyVectorIndex
from hardwon.adapters.sqlite.database import Row, SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.erase_files import StoreRows
from hardwon.adapters.sqlite.keyword_matches import PLACE_BITS
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import SELECT_PASSAGES, SELECT_TEXTS, pack_postings, tokenized
from hardwon.adapters.sqlite.vectors import BLOCK_TABLE, BLOCK_TRIGGERS
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.keywords import search_terms
from tests.adapters.sqlite.sqlite_store import (
    EVERY_ENTRY,
    assert_same,
    assert_same_words,
    checkpoints_of,
    fill,
    leave_a_gap,
    vectors_of,
)
from tests.contracts.worlds import ALL, open_new_store, world_of
from tests.strategies import (
    DAY,
    NOW,
    QUERY_VECTOR,
    SPACE,
    entries_about,
    file_entries,
    free_unit_vectors,
    phrases_or_nothing,
    planted,
    unit_vectors,
)

OTHER_SPACE = Space(provider="planted", model="other-4", dimensions=4)
LESSONS = ("retry the socket", "lock the cache", "deploy x86", "parser first", "émigré")


def damaged(packed: bytes, place: int, value: int) -> bytes:
    """Return *packed* with another byte at a place."""
    changed = bytearray(packed)
    changed[place % len(changed)] = value
    return bytes(changed)


class PackedAgreesWithPlain(RuleBasedStateMachine):
    """Whatever happened to a store: packed blocks, read afresh or by a process that stays, answer as the vectors themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.always_packed = patch.multiple(blocks, FEW_A_BLOCK=-1, FEW_BESIDE_SIGNS=-1)
        self.always_packed.start()
        self.use(open_new_store(self.folder.name))
        self.database.rows("INSERT INTO sqlite_sequence (name, seq) SELECT 'entry', 0")
        self.checkpoints = 0

    def use(self, database: SqliteDatabase) -> None:
        self.database = database
        self.world = world_of(database)
        self.spaces = [vectors_of(database, space) for space in (SPACE, OTHER_SPACE)]
        self.resident = [
            (NumpyVectorIndex(vectors, exact_blocks), vectors, exact_blocks)
            for vectors in self.spaces
            for exact_blocks in (EXACT_BLOCKS, 0)
        ]

    def teardown(self) -> None:
        self.always_packed.stop()
        self.database.close()
        self.folder.cleanup()

    @initialize(start=st.integers(0, 9))
    def begin_with_packed_blocks(self, start: int) -> None:
        fill(self.database, [planted(0.6 + 0.001 * (start + 3 * place)) for place in range(5)])
        pack_postings(self.database)

    def stored(self) -> list[Entry]:
        return self.world.repository.matching(EVERYTHING, limit=ALL)

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
            vectors.put((text, vector) for text in vectors.texts(ALL))

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, 9), notes=phrases_or_nothing | st.just("Retry the cache. " * 70))
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
            self.resident[0][0].compare(QUERY_VECTOR, EVERYTHING).top(1)
            raise LookupError

    @rule(text=st.sampled_from(LESSONS))
    def forget(self, text: str) -> None:
        StoreRows(self.database).erase(Erasure((text,)))

    @rule()
    def pack_the_postings(self) -> None:
        pack_postings(self.database)

    @rule(at=st.integers(0, 60), place=st.integers(0, 5000), value=st.integers(0, 255))
    def damage_a_byte_of_the_postings(self, at: int, place: int, value: int) -> None:
        for block, term, packed in self.postings(at):
            self.database.rows(
                "UPDATE posting SET packed = ? WHERE (block, term) = (?, ?)",
                (damaged(packed, place, value), block, term),
            )
        for block, lengths in self.database.rows(
            "SELECT block, lengths FROM posting_block LIMIT 1"
        ):
            self.database.rows(
                "UPDATE posting_block SET lengths = ? WHERE block = ?",
                (damaged(lengths, place, value), block),
            )

    @rule(at=st.integers(0, 60))
    def lose_a_posting(self, at: int) -> None:
        for block, term, _ in self.postings(at):
            self.database.rows("DELETE FROM posting WHERE (block, term) = (?, ?)", (block, term))

    def postings(self, at: int) -> list[Row]:
        return self.database.rows(
            "SELECT block, term, packed FROM posting ORDER BY block, term LIMIT 1 OFFSET ?", (at,)
        )

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
            self.replace(space_id, number, damaged(packed, place, value))

    @rule(length=st.integers(0, 40))
    def cut_off(self, length: int) -> None:
        self.database.rows(
            "UPDATE vector_block SET packed = substr(packed, 1, ?) WHERE packed IS NOT NULL",
            (length,),
        )

    @rule()
    def swap_the_blocks(self) -> None:
        rows = self.database.rows(
            "SELECT space_id, block, packed FROM vector_block WHERE packed IS NOT NULL"
        )
        for (space_id, number, _), (_, _, packed) in zip(rows, rows[1:] + rows[:1], strict=True):
            self.replace(space_id, number, packed)

    def replace(self, space_id: int, number: int, packed: bytes) -> None:
        self.database.rows(
            "UPDATE vector_block SET packed = ? WHERE space_id = ? AND block = ?",
            (packed, space_id, number),
        )

    @rule(name=st.sampled_from((BLOCK_TABLE, *BLOCK_TRIGGERS)))
    def drop_by_hand_and_reopen(self, name: str) -> None:
        self.database.rows(f"DROP {'TABLE' if name == BLOCK_TABLE else 'TRIGGER'} {name}")
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
        for resident, vectors, exact_blocks in self.resident:
            for index in (NumpyVectorIndex(vectors, exact_blocks), resident):
                assert_same(index, self.database, vectors.space, exact_blocks)

    @invariant()
    def postings_and_fts5_agree(self) -> None:
        for text in (*LESSONS, " ".join(LESSONS)):
            assert_same_words(self.database, search_terms(text))

    @invariant()
    def no_word_is_packed_that_is_gone(self) -> None:
        there = set[tuple[int, bytes]]()
        for sql, bits in ((SELECT_TEXTS, 0), (SELECT_PASSAGES, PLACE_BITS)):
            with contextlib.closing(tokenized(self.database.rows(sql, (0, 1 << 40)))) as texts:
                there |= {
                    (doc >> SHIFT + bits, term.encode())
                    for doc, term in texts.execute("SELECT doc, term FROM token")
                }
        assert {*self.database.rows("SELECT block, term FROM posting")} <= there

    @invariant()
    def nothing_is_packed_of_an_entry_that_is_gone(self) -> None:
        listed = "SELECT space_id, block FROM vector_block WHERE packed IS NOT NULL"
        there = f"SELECT DISTINCT space_id, entry_seq >> {SHIFT} FROM vector"
        assert {*self.database.rows(listed)} <= {*self.database.rows(there)}


PackedAgreesWithPlain.TestCase.settings = settings(
    max_examples=max(1, settings().max_examples // 5), stateful_step_count=10
)
TestPackedAgreesWithPlain = PackedAgreesWithPlain.TestCase
