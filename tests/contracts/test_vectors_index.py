import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.embedding import Vector, cosine
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.ranking.candidates import ScoreStatistics
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from tests.contracts.worlds import ALL, MakeWorld, World, on_every_vector_index, sqlite
from tests.fakes.searches import InMemoryVectorIndex
from tests.strategies import (
    NOW,
    QUERY_VECTOR,
    all_entries,
    few_examples,
    filters,
    free_unit_vectors,
    is_within,
    lesson,
    planted,
    unit_vectors,
)

HALF_A_STEP = 0.51e-6
ROUNDING = 0.02
"""How far a score of the statistics may be off; a square moves twice as far."""


def stores(vectors: st.SearchStrategy[Vector]) -> st.SearchStrategy[list[tuple[Entry, Vector]]]:
    return st.lists(
        st.tuples(all_entries, vectors), max_size=15, unique_by=lambda pair: pair[0].entry_id
    )


def fill(world: World, stored: list[tuple[Entry, Vector]]) -> dict[int, Vector]:
    vectors = dict(
        zip(
            world.add(*(entry for entry, _ in stored)),
            (vector for _, vector in stored),
            strict=True,
        )
    )
    world.embed_all(vectors)
    return vectors


@on_every_vector_index
@given(stored=stores(unit_vectors), only=filters)
@few_examples
def test_every_stored_vector_of_the_filter_is_compared(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], only: EntryFilter
) -> None:
    with make() as world:
        fill(world, stored)
        world.add(lesson("waits for a vector"))
        numbers = world.numbers()
        matches = world.index.compare(QUERY_VECTOR, only)

        assert dict(matches.scores(numbers.values())) == {
            numbers[entry.entry_id]: cosine(vector, QUERY_VECTOR)
            for entry, vector in stored
            if is_within(entry, only)
        }
        assert matches.count() == len(matches.top(ALL)) == len(matches.scores(numbers.values()))


@on_every_vector_index
@given(stored=stores(free_unit_vectors), query=free_unit_vectors, only=filters)
@few_examples
def test_a_filter_changes_no_score(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], query: Vector, only: EntryFilter
) -> None:
    with make() as world:
        numbers = fill(world, stored)
        inside = [
            number
            for number, (entry, _) in zip(numbers, stored, strict=True)
            if is_within(entry, only)
        ]

        everything = world.index.compare(query, EVERYTHING)
        assert world.index.compare(query, only).scores(numbers) == everything.scores(inside)


@on_every_vector_index
@given(stored=stores(free_unit_vectors), query=free_unit_vectors, only=filters)
@few_examples
def test_the_statistics_are_those_of_all_scores_in_whatever_order_they_were_stored(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], query: Vector, only: EntryFilter
) -> None:
    with make() as world, make() as backwards:
        numbers = fill(world, stored)
        fill(backwards, stored[::-1])
        matches = world.index.compare(query, only)
        statistics, expected = (
            matches.statistics(),
            ScoreStatistics.of(matches.scores(numbers).values()),
        )

        assert backwards.index.compare(query, only).statistics() == statistics
        cosines = sorted(matches.scores(numbers).values())
        assert statistics.low == pytest.approx(
            cosines[len(cosines) // 20] if cosines else 0.0, abs=ROUNDING
        )
        assert (statistics.found, statistics.best) == (expected.found, expected.best)
        assert statistics.total == pytest.approx(expected.total, abs=len(numbers) * ROUNDING)
        assert statistics.squares == pytest.approx(
            expected.squares, abs=len(numbers) * 2 * ROUNDING
        )


@on_every_vector_index
@given(
    stored=stores(unit_vectors),
    only=filters,
    category=st.none() | st.sampled_from(CATEGORIES),
    k=st.integers(1, 17),
)
@few_examples
def test_the_nearest_come_first_and_ties_go_to_the_newest_then_to_the_smallest_id(
    make: MakeWorld,
    stored: list[tuple[Entry, Vector]],
    only: EntryFilter,
    category: Category | None,
    k: int,
) -> None:
    with make() as world:
        fill(world, stored)
        matches = world.index.compare(QUERY_VECTOR, only)

        inside = [
            pair
            for pair in stored
            if is_within(pair[0], only) and category in {None, pair[0].category}
        ]
        inside.sort(
            key=lambda pair: (
                -cosine(pair[1], QUERY_VECTOR),
                NOW - pair[0].updated_at,
                pair[0].entry_id,
            )
        )
        numbers = world.numbers()
        expected = [
            (numbers[entry.entry_id], cosine(vector, QUERY_VECTOR)) for entry, vector in inside
        ]
        assert matches.top(k, category) == expected[:k]


@on_every_vector_index
@given(stored=stores(free_unit_vectors), query=free_unit_vectors, k=st.integers(1, 17))
@few_examples
def test_the_top_and_the_scores_agree_to_the_last_digit(
    make: MakeWorld, stored: list[tuple[Entry, Vector]], query: Vector, k: int
) -> None:
    with make() as world:
        vectors = fill(world, stored)
        matches = world.index.compare(query, EVERYTHING)
        top = matches.top(k)

        assert {hit.number: hit.score for hit in top} == matches.scores([hit.number for hit in top])
        for number in vectors:
            assert matches.scores([number]) == {number: matches.scores(vectors)[number]}
        assert all(-1 <= hit.score <= 1 and hit.score == round(hit.score, 6) for hit in top)


@on_every_vector_index
def test_without_vectors_nothing_is_found(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"))
        world.index.ensure_usable()
        matches = world.index.compare(QUERY_VECTOR, EVERYTHING)

        assert matches.count() == 0
        assert matches.top(5) == []
        assert dict(matches.scores([1])) == {}
        assert matches.statistics() == ScoreStatistics()


@on_every_vector_index
def test_no_numbers_have_no_scores(make: MakeWorld) -> None:
    with make() as world:
        fill(world, [(lesson("one"), planted(0.6))])

        assert dict(world.index.compare(QUERY_VECTOR, EVERYTHING).scores([])) == {}


@given(stored=stores(free_unit_vectors), query=free_unit_vectors)
@few_examples
def test_numpy_and_pure_python_agree(stored: list[tuple[Entry, Vector]], query: Vector) -> None:
    with sqlite() as world:
        vectors = fill(world, stored)
        fast = world.index.compare(query, EVERYTHING).scores(vectors)
        plain = InMemoryVectorIndex(world.vectors).compare(query, EVERYTHING).scores(vectors)

        assert fast.keys() == plain.keys()
        for number, score in plain.items():
            assert fast[number] == pytest.approx(score, abs=1e-6 + HALF_A_STEP)
