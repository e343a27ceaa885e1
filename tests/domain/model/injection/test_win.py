import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.win import Win, win_of_parts
from hardwon.domain.model.likelihood import GATE_THRESHOLD

scores = st.floats(-5, 50)
shares = st.floats(0, 1)
wins = st.builds(
    Win,
    score=scores,
    closeness=shares,
    length=st.floats(1, 5_000),
    coverage=shares,
    information=st.floats(0, 50),
    quoted=st.sampled_from([0.0, 1.0]),
    runner_up=scores,
    searched=st.integers(0, 1_000_000).map(float),
    semantic=st.sampled_from([0.0, 1.0]),
)
WIN = Win(
    score=12.0,
    closeness=0.4,
    length=150.0,
    coverage=0.75,
    information=9.0,
    quoted=0.0,
    runner_up=4.0,
    searched=1_871.0,
    semantic=1.0,
)


@given(win=wins, more=st.floats(0, 50))
def test_an_entry_that_fits_better_is_never_silenced(win: Win, more: float) -> None:
    better = [
        win._replace(score=win.score + more),
        win._replace(runner_up=win.runner_up - more),
        win._replace(closeness=win.closeness + more),
        win._replace(information=win.information + more),
        win._replace(coverage=1.0),
        win._replace(length=1.0),
        win._replace(quoted=1.0),
    ]

    assert all(other.probability >= win.probability for other in better)


def test_the_probability_is_the_formula_of_the_docs() -> None:
    breadth = math.log(1_871)
    words, excess = math.sqrt(0.75 * 9.0 / breadth), math.log(150 / 60)
    meant = -2.8 + 9.7 * 0.4 + 2.2 * words + 1.7 * 8.0 / breadth - 0.8 * excess - 0.68 * breadth
    matched = -1.0 + 4.5 * words + 2.5 * 8.0 / breadth - excess + 2.6 - 0.55 * breadth

    assert WIN.probability == pytest.approx(1 / (1 + math.exp(-meant)))
    assert WIN._replace(semantic=0.0, quoted=1.0).probability == pytest.approx(
        1 / (1 + math.exp(-matched))
    )
    assert WIN._replace(information=15.1).probability == WIN._replace(information=99.0).probability
    assert WIN._replace(runner_up=-3.0).lead == WIN.score / breadth
    assert WIN._replace(runner_up=13.0).lead == 0
    assert WIN._replace(searched=0.0).probability == WIN._replace(searched=2.0).probability


@given(win=wins)
def test_a_win_is_recomputed_from_its_parts(win: Win) -> None:
    assert win_of_parts(win.score, win.parts) == win
    assert win.is_likely == (win.parts["probability"] >= GATE_THRESHOLD)


def test_nine_of_ten_have_to_help() -> None:
    assert not WIN._replace(closeness=0.71).is_likely
    assert WIN._replace(closeness=0.73).is_likely
