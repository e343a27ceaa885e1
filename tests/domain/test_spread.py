import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.spread import Spread

scores = st.lists(st.floats(-10, 10), max_size=8)


@given(scores=scores, more=st.integers(0, 5))
def test_what_was_not_found_counts_as_nothing(scores: list[float], more: int) -> None:
    spread, everything = Spread.of(scores), [*scores, *[0.0] * more]

    assert spread.found == len(scores)
    assert spread.best == max(scores, default=0.0)
    if everything:
        assert spread.mean(len(everything)) == pytest.approx(statistics.fmean(everything), abs=1e-9)
        assert spread.deviation(len(everything)) == pytest.approx(statistics.pstdev(everything), abs=1e-6)


@given(scores=scores, data=st.data())
def test_the_order_does_not_matter_to_the_last_digit(scores: list[float], data: st.DataObject) -> None:
    assert Spread.of(scores) == Spread.of(data.draw(st.permutations(scores)))


def test_of_nothing_there_is_no_spread() -> None:
    assert (Spread().mean(0), Spread().deviation(0), Spread.of([])) == (0.0, 0.0, Spread())
    assert not math.isnan(Spread.of([1.0]).deviation(1))
