"""The cached index is never older than the store."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from tests.contracts.worlds import ALL, World, sqlite, world_of
from tests.strategies import (
    QUERY_VECTOR,
    all_entries,
    few_examples,
    filters,
    lesson,
    planted,
    unit_vectors,
)

Change: TypeAlias = Callable[[World], None]


def putting(entry: Entry) -> Change:
    return lambda world: world.repository.put(entry)


def deleting(place: int) -> Change:
    def delete(world: World) -> None:
        for entry in world.repository.matching(EVERYTHING, limit=1, offset=place):
            world.repository.delete(entry.entry_id)

    return delete


def embedding(vector: Vector, limit: int) -> Change:
    return lambda world: world.vectors.put((text, vector) for text in world.vectors.pending(limit))


def embedding_again(vector: Vector) -> Change:
    return lambda world: world.vectors.put((text, vector) for text in world.vectors.texts(ALL))


changes = (
    st.builds(putting, all_entries)
    | st.builds(embedding, unit_vectors, st.integers(1, 3))
    | st.builds(deleting, st.integers(0, 2))
    | st.builds(embedding_again, unit_vectors)
)


@contextmanager
def two_connections() -> Iterator[tuple[World, World]]:
    with tempfile.TemporaryDirectory() as folder:
        databases = open_store(folder), open_store(folder)
        try:
            yield world_of(databases[0]), world_of(databases[1])
        finally:
            for database in databases:
                database.close()


def assert_up_to_date(world: World, only: EntryFilter) -> None:
    assert isinstance(world.vectors, SqliteVectorStore)
    kept, fresh = (
        index.compare(QUERY_VECTOR, only)
        for index in (world.index, NumpyVectorIndex(world.vectors))
    )
    assert kept.top(ALL) == fresh.top(ALL)
    assert kept.statistics() == fresh.statistics()


@given(steps=st.lists(st.tuples(st.booleans(), changes, filters), max_size=12))
@few_examples
def test_a_cached_index_answers_as_a_fresh_one_under_any_writer(
    steps: list[tuple[bool, Change, EntryFilter]],
) -> None:
    with two_connections() as (mine, theirs):
        for is_mine, change, only in steps:
            change(mine if is_mine else theirs)
            assert_up_to_date(mine, only)
            assert_up_to_date(mine, EVERYTHING)


def look_change_and_fail(world: World, change: Change) -> None:
    with world.repository.transaction():
        change(world)
        world.index.compare(QUERY_VECTOR, EVERYTHING)
        raise LookupError


@given(steps=st.lists(st.tuples(st.booleans(), changes), max_size=12))
@few_examples
def test_changes_seen_in_a_failed_transaction_are_not_kept(
    steps: list[tuple[bool, Change]],
) -> None:
    with sqlite() as world:
        for fails, change in steps:
            if fails:
                with suppress(LookupError):
                    look_change_and_fail(world, change)
            else:
                change(world)
                world.index.compare(QUERY_VECTOR, LEARNINGS)
            assert_up_to_date(world, EVERYTHING)


def test_a_vector_of_a_transaction_that_failed_does_not_come_back_with_the_next_change() -> None:
    with sqlite() as world:
        world.add(lesson("one"), lesson("two"))
        with suppress(LookupError):
            look_change_and_fail(world, embedding(planted(0.6), 1))
        world.vectors.put([])

        assert world.index.compare(QUERY_VECTOR, EVERYTHING).count() == 0
