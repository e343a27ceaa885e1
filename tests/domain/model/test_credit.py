"""The credit of lessons: bounded, monotone, and slow to silence."""

import math
from random import Random
from statistics import mean

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.outcomes import PLANTED, Followed, follow, share_silenced
from hardwon.domain.model.credit import (
    MAX_SHIFT,
    MAX_STRENGTH,
    MIN_BASELINE,
    MIN_SHOWN,
    MIN_STRENGTH,
    Prior,
    Tally,
    baseline_of,
    harm_ratio,
    is_harmful,
    together,
)

counts = st.integers(0, 400)
tallies = st.builds(Tally, counts, counts)
lessons = st.lists(tallies, max_size=12)
priors = lessons.map(Prior.of)
YEAR = 250
"""Showings of a lesson in a year, one on each working day."""


@given(priors, tallies)
def test_the_effect_is_bounded_and_grows_with_what_helped(prior: Prior, tally: Tally) -> None:
    shift = prior.shift(tally)

    assert -MAX_SHIFT <= shift <= MAX_SHIFT
    assert prior.shift(tally._replace(helped=tally.helped + 1)) >= shift
    assert prior.shift(tally._replace(failed=tally.failed + 1)) <= shift


@given(priors, tallies)
@example(Prior(0.5, 4.0), Tally(1, 0))
def test_the_chance_lies_between_the_prior_and_the_outcomes(prior: Prior, tally: Tally) -> None:
    own = tally.helped / tally.total if tally.total else prior.mean

    low, high = sorted((own, prior.mean))
    assert low - 1e-12 <= prior.chance(tally) <= high + 1e-12
    assert MIN_STRENGTH <= prior.strength <= MAX_STRENGTH


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 50))
def test_being_shown_more_often_earns_nothing(helped: int, failed: int, times: int) -> None:
    prior = Prior(helped / (helped + failed), 10.0)

    assert prior.shift(Tally(helped * times, failed * times)) == pytest.approx(0, abs=1e-12)


@given(lessons, st.randoms(use_true_random=False))
def test_the_order_of_lessons_does_not_matter(tallies: list[Tally], random: Random) -> None:
    shuffled = tallies.copy()
    random.shuffle(shuffled)

    assert Prior.of(shuffled) == Prior.of(tallies)


def test_the_prior_is_as_strong_as_the_rates_of_lessons_are_alike() -> None:
    alike = [Tally(5, 5), Tally(6, 4), Tally(4, 6), Tally(5, 5)] * 5
    unlike = [Tally(10, 0), Tally(0, 10)] * 10

    assert Prior.of(alike) == Prior(0.5, MAX_STRENGTH)
    assert Prior.of(unlike) == Prior(0.5, MIN_STRENGTH)
    assert Prior.of([]) == Prior.of([Tally()]) == Prior(0.5, MAX_STRENGTH)


def test_the_strength_of_beta_distributed_rates_is_found() -> None:
    middling = [Tally(helped, 20 - helped) for helped in (4, 7, 9, 10, 10, 11, 13, 16)] * 10

    assert 8 < Prior.of(middling).strength < 20


@given(tallies, tallies)
def test_harm_grows_with_failures_and_falls_with_the_baseline(tally: Tally, others: Tally) -> None:
    ratio = harm_ratio(tally, others)

    assert harm_ratio(tally._replace(failed=tally.failed + 1), others) > ratio
    assert harm_ratio(tally._replace(helped=tally.helped + 1), others) < ratio
    if is_harmful(tally, others):
        assert tally.helped / tally.total < others.rate
        assert is_harmful(tally._replace(failed=tally.failed + 1), others)


def test_few_outcomes_give_no_verdict() -> None:
    others = Tally(90, 10)

    assert not is_harmful(Tally(0, MIN_SHOWN - 1), others)
    assert is_harmful(Tally(0, MIN_SHOWN), others)
    assert not is_harmful(Tally(0, 50), Tally(MIN_BASELINE - 1, 0))
    assert is_harmful(Tally(0, 50), Tally(MIN_BASELINE, 0))


def test_withheld_showings_come_before_the_other_lessons() -> None:
    others, few, enough = Tally(80, 20), Tally(MIN_BASELINE - 1, 0), Tally(MIN_BASELINE, 0)

    assert baseline_of(others, few) == others
    assert baseline_of(others, enough) == enough


def test_sums_and_differences_of_tallies_match() -> None:
    assert together([Tally(3, 1), Tally(2, 2)]).without(Tally(2, 2)) == Tally(3, 1)
    assert together([]) == Tally() == Tally(0, 0)


@pytest.mark.parametrize("baseline", [0.5, 0.55, 0.6])
def test_a_year_of_looks_silences_few_lessons_that_do_no_harm(baseline: float) -> None:
    """Exact: all paths of outcomes are summed, with a look after each."""
    assert share_silenced(baseline, baseline, YEAR) <= 0.05
    assert share_silenced(baseline + 0.1, baseline, YEAR) <= 0.01


@pytest.mark.parametrize(("baseline", "rate"), [(0.5, 0.10), (0.55, 0.15), (0.6, 0.15)])
def test_a_harmful_lesson_falls_silent_within_twenty_showings(baseline: float, rate: float) -> None:
    assert share_silenced(rate, baseline, 20) >= 0.9


@given(st.floats(0.05, 0.95))
def test_the_bound_holds_for_every_rate_that_is_good_enough(baseline: float) -> None:
    """Ville's inequality, for a lesson whose odds are by the margin lower."""
    odds = baseline / (1 - baseline) / 1.15

    assert share_silenced(odds / (1 + odds), baseline, 60) <= 0.05 + 1e-9


def worlds(sessions: int, number: int = 15) -> dict[str, list[Followed]]:
    """Return the lessons of some simulated stores by their kind."""
    found = [lesson for seed in range(number) for lesson in follow(Random(seed), sessions)]
    return {kind.name: [lesson for lesson in found if lesson.planted == kind] for kind in PLANTED}


@pytest.mark.large
def test_credit_converges_in_a_thousand_sessions() -> None:
    early, late = worlds(100), worlds(1_000)

    for kind in ("helpful", "useless"):
        assert error(late[kind]) < 0.06 < error(early[kind])
    chances = [mean([lesson.chance for lesson in late[kind.name]]) for kind in PLANTED]
    assert chances == sorted(chances, reverse=True)


def error(lessons: list[Followed]) -> float:
    return math.sqrt(mean([(lesson.chance - lesson.planted.rate) ** 2 for lesson in lessons]))


@pytest.mark.large
def test_of_planted_lessons_the_harmful_ones_fall_silent() -> None:
    """The baseline is not known here, but that of the other lessons."""
    found = worlds(1_000)

    assert mean([lesson.is_silent for lesson in found["useless"]]) <= 0.05
    assert mean([lesson.is_silent for lesson in found["helpful"]]) <= 0.01
    assert (
        mean([lesson.is_silent and lesson.tally.total <= 20 for lesson in found["harmful"]]) >= 0.9
    )
