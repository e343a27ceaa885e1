"""The difference between what was shown and what was withheld, and its interval."""

import math
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.outcomes import PlantedTrial
from hardwon.domain.model.credit import Tally
from hardwon.domain.model.lift import (
    MIN_ARM,
    Goal,
    Lift,
    Showing,
    difference_of_means,
    newcombe,
    wilson,
)

counts = st.integers(0, 300)
arms = st.builds(Tally, counts, counts).filter(lambda tally: tally.total > 0)
showings = st.lists(
    st.builds(
        Showing,
        session_id=st.sampled_from("abcdef"),
        event=st.sampled_from(["failure", "edit"]),
        is_withheld=st.booleans(),
        failed=st.booleans(),
        passed=st.booleans(),
        tries=st.integers(0, 5),
    ),
    max_size=30,
)


def bounds(shown: Tally, withheld: Tally) -> tuple[float, float]:
    found = newcombe(shown, withheld)
    return found.low, found.high


@pytest.mark.parametrize(
    ("shown", "withheld", "interval"),
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_the_intervals_are_those_of_newcombes_table(
    shown: tuple[int, int], withheld: tuple[int, int], interval: tuple[float, float]
) -> None:
    """Statistics in Medicine 17 (1998), 873, table II, method 10: hits of trials."""
    arms = (Tally(hits, total - hits) for hits, total in (shown, withheld))

    assert bounds(*arms) == pytest.approx(interval, abs=5e-5)


@given(arms, arms)
@example(Tally(0, 1), Tally(1, 0))
def test_the_interval_holds_the_difference_and_turns_with_the_arms(
    shown: Tally, withheld: Tally
) -> None:
    low, high = bounds(shown, withheld)
    difference = newcombe(shown, withheld).value

    assert -1 - 1e-9 <= low <= difference + 1e-9
    assert difference - 1e-9 <= high <= 1 + 1e-9
    assert bounds(withheld, shown) == pytest.approx((-high, -low))


@pytest.mark.parametrize(("shown", "withheld"), [(180, 20), (90, 30), (60, 60)])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.3])
def test_the_interval_covers_the_truth_in_93_to_97_of_100_trials(
    shown: int, withheld: int, effect: float
) -> None:
    """Exact: all outcomes of two independent arms are summed."""
    covered = sum(
        binomial(ups, shown, 0.5 - effect) * binomial(downs, withheld, 0.5)
        for ups in range(shown + 1)
        for downs in range(withheld + 1)
        if binomial(ups, shown, 0.5 - effect) > 1e-9
        and is_between(-effect, bounds(Tally(ups, shown - ups), Tally(downs, withheld - downs)))
    )

    assert 0.93 <= covered <= 0.97


def binomial(hits: int, total: int, rate: float) -> float:
    return math.comb(total, hits) * rate**hits * (1 - rate) ** (total - hits)


def is_between(value: float, interval: tuple[float, float]) -> bool:
    return interval[0] <= value <= interval[1]


@pytest.mark.large
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.3])
def test_moments_of_a_session_may_be_alike(effect: float) -> None:
    trial = PlantedTrial(effect, sessions=100)
    lifts = [Lift(trial.showings(Random(seed))) for seed in range(500)]

    covered = [found.low <= -effect <= found.high for lift in lifts if (found := lift.failed)]
    assert 0.93 <= sum(covered) / 500 <= 0.97


@pytest.mark.large
def test_no_effect_is_seldom_claimed_however_often_it_is_looked_at() -> None:
    trial = PlantedTrial(0.0, sessions=300)
    drawn = [trial.showings(Random(seed)) for seed in range(60)]
    looks = range(40, 700, 20)

    claims = [any(Lift(own[:look]).verdict != "open" for look in looks) for own in drawn]
    assert sum(claims) / len(claims) <= 0.05


def test_an_effect_of_thirty_points_is_found() -> None:
    trial = PlantedTrial(0.3, sessions=150)

    assert {Lift(trial.showings(Random(seed))).verdict for seed in range(20)} == {"helps"}


def test_lessons_that_make_errors_come_again_do_harm() -> None:
    assert lift(shown=[True] * 40, withheld=[False] * 40).verdict == "harms"
    assert lift(shown=[False] * 40, withheld=[True] * 40).verdict == "helps"
    assert lift(shown=[False] * 4, withheld=[True] * 4).verdict == "open"


def lift(shown: list[bool], withheld: list[bool]) -> Lift:
    arms = [(hit, False) for hit in shown] + [(hit, True) for hit in withheld]
    return Lift(
        [
            Showing(
                session_id=f"{number}",
                event="failure",
                is_withheld=is_withheld,
                failed=failed,
                passed=not failed,
                tries=1 + failed,
            )
            for number, (failed, is_withheld) in enumerate(arms)
        ]
    )


def test_an_empty_arm_has_no_difference() -> None:
    for found in (lift([], []), lift([True], []), lift([], [True])):
        assert (found.failed, found.passed, found.tries, found.verdict) == (
            None,
            None,
            None,
            "open",
        )
    assert lift([], []).next_goal is None


def test_the_next_goal_comes_nearer_with_the_sessions() -> None:
    few, more = (lift([True, False] * 9 * times, [True, False] * times) for times in (2, 10))

    assert few.next_goal == Goal(0.2, 1_072)
    assert more.next_goal == Goal(0.2, 912)
    assert lift([True, False] * 900, [True, False] * 100).next_goal == Goal(0.1, 2_445)
    assert lift([True] * 9_000, [True] * 9_000).next_goal is None


@given(showings)
def test_kinds_of_moments_are_parts_of_the_whole(drawn: list[Showing]) -> None:
    whole = Lift(drawn)
    parts = [whole.at("failure"), whole.at("edit")]

    for arm in (0, 1):
        assert sum(len(part.arms[arm]) for part in parts) == len(whole.arms[arm])
    assert Lift(drawn[::-1]).failed == whole.failed


def test_means_of_few_lessons_are_not_compared() -> None:
    few, enough = (
        lift([True, False] * 9, [True] * withheld).tries for withheld in (MIN_ARM - 1, MIN_ARM)
    )

    assert few is None
    assert enough
    assert (enough.shown, enough.withheld) == (1.5, 2.0)
    assert enough.low < -0.5 < enough.high < 0


def test_the_bootstrap_gives_the_same_interval_for_the_same_data() -> None:
    drawn = PlantedTrial(0.1, sessions=60).showings(Random(1))

    assert difference_of_means(drawn) == difference_of_means(drawn[::-1])


def test_the_wilson_interval_is_the_published_one() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), 857, table I: 81 of 263."""
    assert wilson(Tally(81, 182)) == pytest.approx((0.2553, 0.3662), abs=5e-5)
