"""Clusters of vectors: topics, and near duplicates."""

import math
import random
from array import array
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.numpy_index.clustering import MAX_TOPICS, NEAR, NumpyClustering
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.ports.overview import Clusters
from hardwon.ports.vectors import VectorBlock, VectorSource

Rows = Sequence[Sequence[float]]


class Vectors(VectorSource):
    """Vectors numbered from 1, in the order of their list."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.changes = 0
        self.loads = 0

    @property
    def dimensions(self) -> int:
        return len(self.rows[0])

    def version(self) -> int:
        return self.changes

    def members(self, _: EntryFilter) -> Mapping[str | None, str]:
        return {None: ",".join(str(number) for number in range(1, len(self.rows) + 1))}

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        self.loads += 1
        return VectorBlock(
            [*reversed(numbers)], array("f", [x for row in reversed(self.rows) for x in row])
        )

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        return [*numbers]


def unit(row: Sequence[float]) -> list[float]:
    length = math.hypot(*row)
    return [x / length for x in row] if length > 0.01 else [1.0] + [0.0] * (len(row) - 1)


def clusters_of(rows: Rows, **limits: int) -> Clusters:
    return NumpyClustering(Vectors(rows), **limits).clusters(EVERYTHING)


rows_of_three = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(unit), min_size=1, max_size=12
)


@given(rows=rows_of_three)
def test_every_vector_is_in_one_topic_and_in_the_same_each_time(rows: Rows) -> None:
    clusters = clusters_of(rows)

    assert sorted(number for topic in clusters.topics for number in topic) == [
        *range(1, len(rows) + 1)
    ]
    assert [*map(len, clusters.topics)] == sorted(map(len, clusters.topics), reverse=True)
    assert clusters_of(rows) == clusters


def test_groups_that_lie_apart_are_topics_with_their_centres_first() -> None:
    rng = random.Random(2)
    axes = [[float(place == axis) for place in range(8)] for axis in range(3)]
    sizes = (10, 8, 6)
    rows = [
        unit([x + rng.gauss(0, 0.1) for x in axis])
        for axis, size in zip(axes, sizes, strict=True)
        for _ in range(size)
    ]
    rows[5] = axes[0]

    topics = clusters_of(rows).topics

    assert [sorted(topic) for topic in topics] == [
        [*range(1, 11)],
        [*range(11, 19)],
        [*range(19, 25)],
    ]
    assert 6 in topics[0][:3]


@pytest.mark.parametrize(("entries", "topics"), [(1, 1), (15, 1), (16, 2), (1_000, MAX_TOPICS)])
def test_there_is_a_topic_for_each_eight_entries_up_to_forty(entries: int, topics: int) -> None:
    rng = random.Random(3)
    rows = [unit([rng.gauss(0, 1) for _ in range(16)]) for _ in range(entries)]

    assert len(clusters_of(rows).topics) == topics


def test_equal_vectors_are_one_topic() -> None:
    assert clusters_of([[1, 0]] * 40).topics == [[*range(1, 41)]]


@given(rows=rows_of_three)
def test_near_duplicates_are_chained_pairs_of_a_cosine(rows: Rows) -> None:
    groups = clusters_of(rows).duplicates or ()
    together = {frozenset(pair) for group in groups for pair in combinations(group, 2)}

    for first, second in combinations(range(len(rows)), 2):
        cosine = sum(x * y for x, y in zip(rows[first], rows[second], strict=True))
        if cosine >= NEAR + 1e-4:
            assert frozenset({first + 1, second + 1}) in together
    assert [*map(len, groups)] == sorted(map(len, groups), reverse=True)
    assert all(len(group) > 1 for group in groups)


@pytest.mark.parametrize(("degrees", "groups"), [(25.0, [[1, 2]]), (27.0, [])])
def test_two_vectors_are_near_from_a_cosine_of_nine_tenths(
    degrees: float, groups: list[list[int]]
) -> None:
    angle = math.radians(degrees)

    assert (
        clusters_of([[1, 0, 0], [math.cos(angle), math.sin(angle), 0], [0, 0, 1]]).duplicates
        == groups
    )


def test_near_duplicates_are_found_where_the_components_tell_little_apart() -> None:
    rng = random.Random(1)
    rows = [unit([rng.gauss(0, 1) for _ in range(384)]) for _ in range(1_200)]
    rows[1_100] = unit([x + rng.gauss(0, 0.01) for x in rows[7]])

    assert clusters_of(rows).duplicates == [[8, 1_101]]


def test_clusters_are_kept_until_the_vectors_change() -> None:
    vectors = Vectors([[1, 0], [0, 1]])
    clustering = NumpyClustering(vectors)

    first = clustering.clusters(EVERYTHING)
    assert (clustering.clusters(EVERYTHING), vectors.loads) == (first, 1)
    vectors.rows, vectors.changes = [[1, 0], [1, 0]], 1
    assert clustering.clusters(EVERYTHING).duplicates == [[1, 2]]
    learnings = clustering.clusters(EntryFilter(kinds=("learning",)))
    assert (learnings.duplicates, vectors.loads) == ([[1, 2]], 3)


def test_too_many_entries_are_not_compared() -> None:
    assert clusters_of([[1, 0], [1, 0]], max_compared=1).duplicates is None


def test_without_vectors_there_are_no_clusters() -> None:
    assert clusters_of([]) == Clusters()
