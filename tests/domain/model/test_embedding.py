import math
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.embedding import Vector, cosine, unit
from hardwon.domain.model.errors import EmbedderError, UnusableVectorError
from tests.strategies import DIMENSIONS, QUERY_VECTOR, free_unit_vectors, planted, unit_vectors

values = st.lists(st.floats(-1e3, 1e3, width=32), min_size=DIMENSIONS, max_size=DIMENSIONS)


@given(raw=values.filter(lambda parts: math.hypot(*parts) > 1e-6))
@example([1e-8, 0.0, 0.0, 0.0])
@example([1e30, 1e30, 0.0, 0.0])
def test_a_unit_vector_has_length_one_and_the_old_direction(raw: list[float]) -> None:
    vector = unit(array("f", raw), DIMENSIONS)

    assert vector.typecode == "f"
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)
    assert all(
        math.copysign(1, new) == math.copysign(1, old)
        for new, old in zip(vector, raw, strict=True)
        if new
    )


@given(vector=free_unit_vectors)
def test_scaling_twice_changes_next_to_nothing(vector: Vector) -> None:
    assert unit(vector, DIMENSIONS) == pytest.approx(vector, abs=1e-7)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([1.0, 0.0], "expected 4 dimensions, got 2"),
        ([], "expected 4 dimensions, got 0"),
        ([0.0, 0.0, 0.0, 0.0], "zero"),
        ([1e-10, 0.0, 0.0, 0.0], "zero"),
        ([math.nan, 1.0, 0.0, 0.0], "not finite"),
        ([math.inf, 1.0, 0.0, 0.0], "not finite"),
        ([math.inf, math.nan, 0.0, 0.0], "not finite"),
    ],
)
def test_a_vector_that_cannot_be_compared_is_refused(raw: list[float], reason: str) -> None:
    with pytest.raises(UnusableVectorError, match=reason) as refusal:
        unit(array("f", raw), DIMENSIONS)
    assert isinstance(refusal.value, EmbedderError)


@given(left=free_unit_vectors | unit_vectors, right=free_unit_vectors | unit_vectors)
def test_cosines_are_symmetric_within_bounds_and_rounded(left: Vector, right: Vector) -> None:
    similarity = cosine(left, right)

    assert similarity == cosine(right, left)
    assert -1 <= similarity <= 1
    assert similarity == round(similarity, 6)


@given(vector=free_unit_vectors)
def test_a_vector_is_most_similar_to_itself(vector: Vector) -> None:
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("similarity", [-1.0, -0.6, 0.0, 0.28, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("direction", [1, 2, 3])
def test_a_planted_cosine_is_found_again(similarity: float, direction: int) -> None:
    assert cosine(planted(similarity, direction), QUERY_VECTOR) == similarity
