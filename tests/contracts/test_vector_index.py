import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import LEARNINGS, EntryFilter
from hardwon.domain.model.vector import Vector, cosine
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_implementation, sqlite
from tests.fakes import InMemoryVectorIndex
from tests.strategies import (
    NOW,
    QUERY_VECTOR,
    entries,
    few_examples,
    free_unit_vectors,
    lesson,
    planted,
    unit_vectors,
)

HALF_A_STEP = 0.51e-6


def stores(vectors: st.SearchStrategy[Vector]) -> st.SearchStrategy[list[tuple[Entry, Vector]]]:
    return st.lists(st.tuples(entries, vectors), max_size=15, unique_by=lambda pair: pair[0].entry_id)


def fill(world: World, stored: list[tuple[Entry, Vector]]) -> dict[int, Vector]:
    vectors = dict(zip(world.add(*(entry for entry, _ in stored)), (vector for _, vector in stored), strict=True))
    world.vectors.put((text, vectors[text.seq]) for text in world.vectors.pending(ALL))
    return vectors


@on_every_implementation
@given(stored=stores(unit_vectors))
@few_examples
def test_every_stored_vector_is_compared(make: MakeWorld, stored: list[tuple[Entry, Vector]]) -> None:
    with make() as world:
        vectors = fill(world, stored)
        world.add(lesson("waits for a vector"))
        matches = world.index.compare(QUERY_VECTOR)

        cosines = {seq: cosine(vector, QUERY_VECTOR) for seq, vector in vectors.items()}
        assert dict(matches.scores(world.seqs().values())) == cosines
        assert matches.count(LEARNINGS) == len(stored)


@on_every_implementation
@given(stored=stores(unit_vectors), category=st.none() | st.sampled_from(CATEGORIES), k=st.integers(1, 17))
@few_examples
def test_the_nearest_come_first_and_ties_go_to_the_newest_then_to_the_smallest_id(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], category: Category | None, k: int
) -> None:
    only = EntryFilter(category=category)
    with make() as world:
        fill(world, stored)
        matches = world.index.compare(QUERY_VECTOR)

        inside = [pair for pair in stored if category in {None, pair[0].category}]
        inside.sort(key=lambda pair: (-cosine(pair[1], QUERY_VECTOR), NOW - pair[0].updated_at, pair[0].entry_id))
        seqs = world.seqs()
        expected = [(seqs[entry.entry_id], cosine(vector, QUERY_VECTOR)) for entry, vector in inside]
        assert matches.top(only, k) == expected[:k]
        assert matches.count(only) == len(expected)


@on_every_implementation
@given(stored=stores(free_unit_vectors), query=free_unit_vectors, k=st.integers(1, 17))
@few_examples
def test_the_top_and_the_scores_agree_to_the_last_digit(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], query: Vector, k: int
) -> None:
    with make() as world:
        vectors = fill(world, stored)
        matches = world.index.compare(query)
        top = matches.top(LEARNINGS, k)

        assert {hit.seq: hit.score for hit in top} == matches.scores([hit.seq for hit in top])
        for seq in vectors:
            assert matches.scores([seq]) == {seq: matches.scores(vectors)[seq]}
        assert all(-1 <= hit.score <= 1 and hit.score == round(hit.score, 6) for hit in top)


@on_every_implementation
def test_without_vectors_nothing_is_found(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"))
        world.index.ensure_usable()
        matches = world.index.compare(QUERY_VECTOR)

        assert matches.count(LEARNINGS) == 0
        assert matches.top(LEARNINGS, 5) == []
        assert dict(matches.scores([1])) == {}


@on_every_implementation
def test_no_numbers_have_no_scores(make: MakeWorld) -> None:
    with make() as world:
        fill(world, [(lesson("one"), planted(0.6))])

        assert dict(world.index.compare(QUERY_VECTOR).scores([])) == {}


@given(stored=stores(free_unit_vectors), query=free_unit_vectors)
@few_examples
def test_numpy_and_pure_python_agree(stored: list[tuple[Entry, Vector]], query: Vector) -> None:
    with sqlite() as world:
        vectors = fill(world, stored)
        fast = world.index.compare(query).scores(vectors)
        plain = InMemoryVectorIndex(world.source).compare(query).scores(vectors)

        assert fast.keys() == plain.keys()
        for seq, score in plain.items():
            assert fast[seq] == pytest.approx(score, abs=1e-6 + HALF_A_STEP)
