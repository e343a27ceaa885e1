import datetime as dt
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.candidates import Candidate, RankingFacts
from hardwon.domain.model.ranking.prominence import (
    InvalidWeightsError,
    Maxima,
    RankingPolicy,
    ScoredCandidate,
    SignalWeights,
    prominence,
    recency,
)
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, Confidence
from tests.strategies import DAY, NOW, cosines, timestamps, weights

TINY = 1e-12


def facts(
    number: int = 1,
    *,
    count: int = 1,
    confidence: Confidence = "medium",
    age: dt.timedelta = 0 * DAY,
    recalls: int = 0,
) -> RankingFacts:
    return RankingFacts(number, f"{number:016x}", "patterns", count, confidence, NOW - age, recalls)


def policy_for(
    candidates: list[Candidate], weighting: SignalWeights | None = None
) -> RankingPolicy:
    """Return the policy whose maxima are those of *candidates*."""
    return RankingPolicy(
        weights=weighting or SignalWeights(),
        maxima=Maxima(
            vector=max((candidate.vector or 0.0 for candidate in candidates), default=0.0),
            keyword=max((candidate.keyword or 0.0 for candidate in candidates), default=0.0),
            observations=max(
                (candidate.facts.observation_count for candidate in candidates), default=1
            ),
        ),
        now=NOW,
    )


def rank(*candidates: Candidate, weighting: SignalWeights | None = None) -> list[ScoredCandidate]:
    return policy_for(list(candidates), weighting).rank(list(candidates))


def numbered(candidates: list[Candidate]) -> list[Candidate]:
    """Give each its own number and id, the ids in another order than the numbers."""
    return [
        candidate._replace(
            facts=candidate.facts._replace(number=number, entry_id=f"{number * 7919 % 10_007:016x}")
        )
        for number, candidate in enumerate(candidates, start=1)
    ]


some_candidates = st.lists(
    st.builds(
        Candidate,
        st.builds(
            RankingFacts,
            number=st.just(0),
            entry_id=st.just(""),
            category=st.sampled_from(CATEGORIES),
            observation_count=st.integers(1, 3),
            confidence=st.sampled_from(CONFIDENCES),
            updated_at=timestamps,
            recall_count=st.sampled_from([0, 5, 10, 40]),
        ),
        st.none() | cosines,
        st.none() | st.sampled_from([1e-6, 0.5, 3.0]),
    ),
    max_size=12,
).map(numbered)


def test_the_weights_are_a_half_a_fifth_and_three_tenths() -> None:
    assert SignalWeights() == SignalWeights(vector=0.5, keyword=0.2, prominence=0.3)


@pytest.mark.parametrize(
    ("vector", "keyword", "expected"),
    [
        (True, True, (0.5, 0.2, 0.3)),
        (True, False, (0.625, 0.0, 0.375)),
        (False, True, (0.0, 0.4, 0.6)),
        (False, False, (0.0, 0.0, 1.0)),
    ],
)
def test_weights_of_missing_signals_go_to_the_others(
    *, vector: bool, keyword: bool, expected: tuple[float, float, float]
) -> None:
    effective = SignalWeights().redistributed(vector=vector, keyword=keyword)

    assert (effective.vector, effective.keyword, effective.prominence) == pytest.approx(
        expected, abs=TINY
    )


@given(weighting=weights, vector=st.booleans(), keyword=st.booleans())
def test_redistributed_weights_sum_to_one_and_keep_their_proportions(
    *, weighting: SignalWeights, vector: bool, keyword: bool
) -> None:
    effective = weighting.redistributed(vector=vector, keyword=keyword)

    assert effective.vector + effective.keyword + effective.prominence == pytest.approx(1, abs=1e-9)
    assert (effective.vector == 0) or vector
    assert (effective.keyword == 0) or keyword
    if vector and keyword:
        assert effective.vector * weighting.keyword == pytest.approx(
            effective.keyword * weighting.vector, abs=1e-9
        )


def test_prominence_decides_when_no_signal_with_a_weight_is_there() -> None:
    assert SignalWeights(1.0, 0.0, 0.0).redistributed(vector=False, keyword=True) == SignalWeights(
        0.0, 0.0, 1.0
    )


@pytest.mark.parametrize(
    "parts", [(-0.1, 0.6, 0.5), (0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (float("nan"), 0.5, 0.5)]
)
def test_weights_that_mean_nothing_are_refused(parts: tuple[float, float, float]) -> None:
    with pytest.raises(InvalidWeightsError, match="within 0 to 1"):
        SignalWeights(*parts)


@pytest.mark.parametrize(
    ("vector", "keyword", "expected"),
    [(0.8, 2.0, (0.5, 0.2, 0.3)), (0.8, None, (0.625, 0.0, 0.375)), (None, 2.0, (0.0, 0.4, 0.6))],
)
def test_a_signal_without_candidates_has_no_weight(
    vector: float | None, keyword: float | None, expected: tuple[float, float, float]
) -> None:
    effective = policy_for([Candidate(facts(), vector, keyword), Candidate(facts(2))]).effective

    assert (effective.vector, effective.keyword, effective.prominence) == pytest.approx(
        expected, abs=TINY
    )


def test_zero_and_negative_cosines_alone_are_no_signal() -> None:
    assert policy_for([Candidate(facts(1), -0.4), Candidate(facts(2), 0.0)]).effective.vector == 0


def test_scores_are_divided_by_the_best_and_negative_cosines_clamped() -> None:
    ranked = rank(
        Candidate(facts(1), 0.8, 4.0),
        Candidate(facts(2), 0.4, 1.0),
        Candidate(facts(3), -0.9),
        Candidate(facts(4)),
    )

    assert [(candidate.signals.vector, candidate.signals.keyword) for candidate in ranked] == [
        (1.0, 1.0),
        (0.5, 0.25),
        (0.0, 0.0),
        (0.0, 0.0),
    ]


def test_equal_cosines_all_count_fully_so_that_other_signals_decide() -> None:
    ranked = rank(Candidate(facts(1), 0.3), Candidate(facts(2, confidence="high"), 0.3))

    assert [candidate.facts.number for candidate in ranked] == [2, 1]
    assert {candidate.signals.vector for candidate in ranked} == {1.0}


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, 1.0), (1, 0.9677), (30, 0.5), (60, 1 / 3), (90, 0.25), (-1, 1.0), (-30, 1.0)],
)
def test_recency_is_hyperbolic_and_the_future_counts_as_today(days: int, expected: float) -> None:
    assert recency(NOW - days * DAY, NOW) == pytest.approx(expected, abs=5e-5)


@given(younger=timestamps, older=timestamps)
def test_recency_never_rises_with_age(younger: dt.datetime, older: dt.datetime) -> None:
    older, younger = sorted([older, younger])

    assert 0 < recency(older, NOW) <= recency(younger, NOW) <= 1


@pytest.mark.parametrize(("recalls", "expected"), [(0, 0.0), (5, 0.5), (10, 1.0), (40, 1.0)])
def test_recalls_count_up_to_ten(recalls: int, expected: float) -> None:
    without = prominence(facts(), 1, NOW)

    assert prominence(facts(recalls=recalls), 1, NOW) - without == pytest.approx(
        0.2 * expected, abs=TINY
    )


@pytest.mark.parametrize(
    ("confidence", "level"), [("high", 1.0), ("medium", 2 / 3), ("low", 1 / 3)]
)
def test_confidence_counts_in_thirds(confidence: Confidence, level: float) -> None:
    assert prominence(facts(confidence=confidence), 1, NOW) == pytest.approx(
        0.3 + 0.2 * level + 0.3, abs=TINY
    )


def test_observations_count_by_their_share_of_the_most_observed() -> None:
    assert prominence(facts(count=4), 4, NOW) - prominence(facts(count=1), 4, NOW) == pytest.approx(
        0.3 * 0.75
    )


def test_a_track_record_is_three_tenths_observations_and_recency_two_tenths_confidence_and_recalls() -> (
    None
):
    record = facts(count=1, confidence="low", age=30 * DAY, recalls=1)

    assert prominence(record, 4, NOW) == pytest.approx(
        0.3 * 0.25 + 0.2 / 3 + 0.3 * 0.5 + 0.2 * 0.1, abs=TINY
    )
    assert prominence(facts(), 1, NOW) == pytest.approx(0.3 * 1 + 0.2 * 2 / 3 + 0.3 * 1, abs=TINY)


def test_the_best_possible_track_record_is_one() -> None:
    best = facts(count=7, confidence="high", recalls=10)

    assert prominence(best, 7, NOW) == pytest.approx(1, abs=TINY)


def test_ranking_does_not_even_know_when_an_entry_was_last_recalled() -> None:
    assert "last_recalled_at" not in RankingFacts._fields


@given(candidates=some_candidates, weighting=weights)
def test_scores_and_their_parts_lie_between_0_and_1_and_can_be_recomputed(
    candidates: list[Candidate], weighting: SignalWeights
) -> None:
    policy = policy_for(candidates, weighting)
    for candidate in policy.rank(candidates):
        parts = candidate.signals
        assert 0 <= parts.vector <= 1
        assert 0 <= parts.keyword <= 1
        assert 0 <= parts.prominence <= 1 + TINY
        assert 0 <= candidate.score <= 1 + 1e-9
        assert candidate.score == pytest.approx(
            policy.effective.vector * parts.vector
            + policy.effective.keyword * parts.keyword
            + policy.effective.prominence * parts.prominence,
            abs=1e-9,
        )


@given(candidates=some_candidates, shuffled=st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_the_candidates(
    candidates: list[Candidate], shuffled: random.Random
) -> None:
    ranked = rank(*candidates)
    shuffled.shuffle(candidates)

    assert rank(*candidates) == ranked


@given(candidates=some_candidates)
def test_the_best_comes_first_and_ties_go_to_the_newest_then_to_the_smallest_id(
    candidates: list[Candidate],
) -> None:
    ranked = rank(*candidates)
    keys = [
        (-candidate.score, NOW - candidate.facts.updated_at, candidate.facts.entry_id)
        for candidate in ranked
    ]

    assert keys == sorted(keys)


@given(candidates=some_candidates)
def test_without_any_search_result_the_order_is_that_of_prominence(
    candidates: list[Candidate],
) -> None:
    bare = [Candidate(candidate.facts) for candidate in candidates]

    assert [candidate.score for candidate in rank(*bare)] == [
        candidate.signals.prominence for candidate in rank(*bare)
    ]


@given(candidates=some_candidates, weighting=weights, better=st.sampled_from([1e-6, 0.1, 1.0]))
def test_a_better_signal_never_lowers_a_score(
    candidates: list[Candidate], weighting: SignalWeights, better: float
) -> None:
    policy = policy_for(candidates, weighting)
    for candidate in candidates:
        raised = candidate._replace(
            vector=(candidate.vector or 0.0) + better, keyword=(candidate.keyword or 0.0) + better
        )
        [before], [after] = policy.rank([candidate]), policy.rank([raised])
        assert after.score >= before.score
