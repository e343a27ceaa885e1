"""The plane: two principal components, and near duplicates."""

import math
import random
from array import array
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.numpy_index.plane import NEAR, NumpyProjection
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.ports.overview import Plane
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


def plane_of(rows: Rows, **limits: int) -> Plane:
    return NumpyProjection(Vectors(rows), **limits).plane(EVERYTHING)


rows_of_three = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(unit), min_size=1, max_size=12
)


@given(rows=rows_of_three)
def test_every_vector_has_a_place_within_bounds_and_the_same_each_time(rows: Rows) -> None:
    plane = plane_of(rows)

    assert [*plane.points] == [*range(1, len(rows) + 1)]
    assert all(-1 <= x <= 1 and -1 <= y <= 1 for x, y in plane.points.values())
    assert 0 <= plane.variance[1] <= plane.variance[0] <= 1 + 1e-6
    assert plane_of(rows) == plane


@given(rows=rows_of_three)
def test_near_duplicates_are_chained_pairs_of_a_cosine(rows: Rows) -> None:
    groups = plane_of(rows).groups or ()
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

    assert plane_of([[1, 0, 0], [math.cos(angle), math.sin(angle), 0], [0, 0, 1]]).groups == groups


def test_the_largest_spread_lies_along_x() -> None:
    plane = plane_of(
        [unit(row) for row in ([1, 0, 0.1], [-1, 0, 0.1], [0.1, 0.3, 1], [0.1, -0.3, 1])]
    )

    x, y = (max(point[axis] for point in plane.points.values()) for axis in (0, 1))
    assert x == pytest.approx(1.0, abs=0.2)
    assert y < x


def test_near_duplicates_are_found_where_the_components_tell_little_apart() -> None:
    rng = random.Random(1)
    rows = [unit([rng.gauss(0, 1) for _ in range(384)]) for _ in range(1_200)]
    rows[1_100] = unit([x + rng.gauss(0, 0.01) for x in rows[7]])

    assert plane_of(rows).groups == [[8, 1_101]]


def test_a_plane_is_kept_until_the_vectors_change() -> None:
    vectors = Vectors([[1, 0], [0, 1]])
    projection = NumpyProjection(vectors)

    first = projection.plane(EVERYTHING)
    assert (projection.plane(EVERYTHING), vectors.loads) == (first, 1)
    vectors.rows, vectors.changes = [[1, 0], [1, 0]], 1
    assert projection.plane(EVERYTHING).groups == [[1, 2]]
    assert (projection.plane(EntryFilter(kinds=("learning",))).groups, vectors.loads) == (
        [[1, 2]],
        3,
    )


def test_too_many_entries_are_not_compared() -> None:
    assert plane_of([[1, 0], [1, 0]], max_compared=1).groups is None


def test_without_vectors_the_plane_is_empty() -> None:
    assert plane_of([]) == Plane()
