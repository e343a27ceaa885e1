import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.candidates import ScoreStatistics

scores = st.lists(st.floats(-10, 10), max_size=8)


@given(scores=scores, more=st.integers(0, 5))
def test_a_missing_score_counts_as_zero(scores: list[float], more: int) -> None:
    measured, everything = ScoreStatistics.of(scores), [*scores, *[0.0] * more]

    assert measured.found == len(scores)
    assert measured.best == max(scores, default=0.0)
    if everything:
        assert measured.mean(len(everything)) == pytest.approx(
            statistics.fmean(everything), abs=1e-9
        )
        assert measured.deviation(len(everything)) == pytest.approx(
            statistics.pstdev(everything), abs=1e-6
        )


@given(scores=scores, data=st.data())
def test_the_order_does_not_matter_to_the_last_digit(
    scores: list[float], data: st.DataObject
) -> None:
    assert ScoreStatistics.of(scores) == ScoreStatistics.of(data.draw(st.permutations(scores)))


def test_of_nothing_there_is_no_spread() -> None:
    assert (ScoreStatistics().mean(0), ScoreStatistics().deviation(0), ScoreStatistics.of([])) == (
        0.0,
        0.0,
        ScoreStatistics(),
    )
    assert not math.isnan(ScoreStatistics.of([1.0]).deviation(1))


@given(cosines=st.lists(st.floats(-1, 0.99), min_size=1, max_size=50), low=st.floats(-1, 1))
def test_closeness_grows_with_the_cosine_and_ends_at_one(cosines: list[float], low: float) -> None:
    measured = ScoreStatistics.of(cosines)._replace(low=low)
    closeness = [measured.closeness(cosine) for cosine in sorted(cosines)]

    assert closeness == sorted(closeness)
    assert measured.closeness(1.0) == pytest.approx(1.0)
    assert all(value <= 1 for value in closeness)


def test_closeness_is_about_zero_for_unrelated_texts_of_any_model() -> None:
    around_zero = ScoreStatistics.of([0.0] * 950 + [0.5] * 50)
    around_a_half = ScoreStatistics.of([0.5] * 950 + [0.75] * 50)._replace(low=0.5)

    assert around_zero.closeness(0.0) == 0.0
    assert around_a_half.closeness(0.5) == pytest.approx(0.0, abs=0.05)
    assert around_a_half.closeness(0.75) == pytest.approx(around_zero.closeness(0.5), abs=0.05)


def test_a_few_texts_say_little_of_what_is_unrelated() -> None:
    single = ScoreStatistics.of([0.6])._replace(low=0.6)

    assert single.closeness(0.6) == pytest.approx((0.6 - 0.6 / 21) / (1 - 0.6 / 21))
    assert ScoreStatistics.of([0.6] * 400)._replace(low=0.6).closeness(0.6) < 0.1
