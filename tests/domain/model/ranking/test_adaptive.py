import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.filters import RELEVANCE_FLOOR
from hardwon.domain.model.ranking.adaptive import FORMULA, relevance

closenesses = st.floats(-2, 1)
backgrounds = st.floats(-0.3, 1)
shares = st.floats(0, 5)


@given(
    closeness=st.none() | closenesses, background=backgrounds, matched=shares, is_held=st.booleans()
)
def test_relevance_is_a_likelihood_that_anybody_can_compute_again(
    *, closeness: float | None, background: float, matched: float, is_held: bool
) -> None:
    names = {
        "closeness": closeness or 0.0,
        "background": background,
        "matched": matched,
        "held": float(is_held),
    }
    functions = {
        "exp": math.exp,
        "min": min,
        "max": max,
        "cap": 1.0,
        "has_vector": float(closeness is not None),
    }
    expected = eval(FORMULA, {"__builtins__": {}}, {**names, **functions})  # noqa: S307  # a formula of ours

    found = relevance(closeness, background, matched, is_held=is_held)

    assert 0 <= found <= 1
    assert found == pytest.approx(expected, abs=1e-9)
    assert found > RELEVANCE_FLOOR or not is_held


@given(
    one=st.tuples(closenesses, backgrounds, shares),
    more=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
)
def test_relevance_never_falls_when_a_signal_grows(
    one: tuple[float, float, float], more: tuple[float, float, float]
) -> None:
    grown = tuple(value + step for value, step in zip(one, more, strict=True))

    assert relevance(*grown) >= relevance(*one)
    assert relevance(None, grown[1], grown[2]) >= relevance(None, one[1], one[2])


@pytest.mark.parametrize(
    ("closeness", "background", "matched", "answers"),
    [
        (0.55, 0.08, 0.6, True),
        (0.4, 0.08, 0.4, True),
        (0.25, 0.02, 0.0, False),
        (0.15, 0.08, 0.1, False),
        (None, 0.08, 0.8, True),
        (None, 0.08, 0.2, False),
    ],
)
def test_a_question_about_something_else_stays_below_the_floor(
    *, closeness: float | None, background: float, matched: float, answers: bool
) -> None:
    assert (relevance(closeness, background, matched) >= RELEVANCE_FLOOR) is answers
