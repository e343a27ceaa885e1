import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.candidates import RecallCandidate, RecallFacts, ScoreStatistics
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS, ContextPolicy
from hardwon.domain.model.ranking.policy import Parts, judge
from hardwon.entrypoints.presenters.answers import FORMULAS, share_of_full
from tests.domain.model.ranking.test_policy import CONTEXT, FACTS, OTHER_PROJECT
from tests.fakes.projects import working_in
from tests.strategies import DAY, NOW, cosines

POLICY = ContextPolicy(CONTEXT)
ON_BRANCH = FACTS._replace(branch="main")


def called(name: str, facts: RecallFacts = FACTS) -> RecallFacts:
    return facts._replace(ranking=facts.ranking._replace(entry_id=name))


def order(policy: ContextPolicy, *candidates: RecallCandidate) -> list[str]:
    return [judgement.candidate.facts.ranking.entry_id for judgement in judge(policy, candidates)]


def test_the_weights_are_those_of_the_requirement_and_sum_to_one() -> None:
    assert CONTEXT_WEIGHTS == {
        "vector": 0.35,
        "file": 0.20,
        "branch": 0.20,
        "recency": 0.15,
        "keyword": 0.10,
    }
    assert math.fsum(CONTEXT_WEIGHTS.values()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (RecallCandidate(FACTS, 0.6), 0.35 * 0.6 + 0.15),
        (RecallCandidate(FACTS, -0.6), 0.15),
        (RecallCandidate(FACTS), 0.15),
        (RecallCandidate(FACTS, keyword=1.5), 0.15 + 0.10 * 0.5),
        (RecallCandidate(FACTS, touched=3), 0.20 + 0.15),
        (RecallCandidate(ON_BRANCH), 0.20 + 0.15),
        (RecallCandidate(FACTS._replace(branch="other")), 0.15),
        (RecallCandidate(ON_BRANCH, 1.0, 3.0, touched=1), 1.0),
    ],
)
def test_the_score_is_the_weighted_sum_of_five_signals(
    candidate: RecallCandidate, expected: float
) -> None:
    assert POLICY.score(candidate) == pytest.approx(expected, abs=1e-9)


def test_after_thirty_days_recency_is_a_half() -> None:
    aged = FACTS._replace(ranking=FACTS.ranking._replace(updated_at=NOW - 30 * DAY))

    assert POLICY.parts(RecallCandidate(aged))["recency"] == pytest.approx(0.5)


def test_without_a_branch_no_entry_is_on_it() -> None:
    nowhere = ContextPolicy(CONTEXT._replace(workplace=working_in("here")))

    assert nowhere.parts(RecallCandidate(FACTS))["branch"] == 0.0


def test_the_vector_turns_the_order_round() -> None:
    by_word = RecallCandidate(called("by word"), 0.1, 3.0)
    by_meaning = RecallCandidate(called("by meaning"), 0.9, 1.0)
    blind = ContextPolicy(CONTEXT._replace(vectors=ScoreStatistics()))

    assert order(POLICY, by_word, by_meaning) == ["by meaning", "by word"]
    assert order(blind, by_word._replace(vector=None), by_meaning._replace(vector=None)) == [
        "by word",
        "by meaning",
    ]


def test_where_several_models_were_asked_the_share_of_the_best_counts() -> None:
    standardised = ContextPolicy(
        CONTEXT._replace(vectors=ScoreStatistics.of([2.0, 1.0, -1.0]), standardised=True)
    )

    assert [
        standardised.parts(RecallCandidate(FACTS, vector))["vector"] for vector in (2.0, 1.0, -1.0)
    ] == [
        1.0,
        0.5,
        0.0,
    ]


def test_ties_go_to_the_own_project_then_to_permanent_entries_then_to_more_touched_files() -> None:
    kept = FACTS._replace(permanent=True)

    assert order(
        POLICY,
        RecallCandidate(called("a", OTHER_PROJECT._replace(permanent=True)), touched=2),
        RecallCandidate(called("b"), touched=1),
        RecallCandidate(called("c"), touched=2),
        RecallCandidate(called("d", kept), touched=1),
    ) == ["d", "c", "b", "a"]


def by_formula(parts: Parts) -> float:
    """Return what the printed formula says of *parts*."""
    terms = (term.split(" * ") for term in FORMULAS["context"].split(" + "))
    return sum(float(weight) * parts[signal] for weight, signal in terms)


@given(
    vector=st.none() | cosines,
    keyword=st.none() | st.sampled_from([0.5, 3.0]),
    touched=st.integers(0, 2),
    branch=st.sampled_from([None, "main", "other"]),
)
def test_the_printed_formula_gives_every_score_which_is_a_share(
    vector: float | None, keyword: float | None, touched: int, branch: str | None
) -> None:
    candidate = RecallCandidate(FACTS._replace(branch=branch), vector, keyword, touched=touched)
    score = POLICY.score(candidate)

    assert by_formula(POLICY.parts(candidate)) == pytest.approx(score, abs=1e-6)
    assert share_of_full(score, "context") == pytest.approx(score)
