"""Scores computed again from their parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.injection.receipt import Receipt, ReceiptEntry
from hardwon.domain.model.injection.verify import (
    fits,
    likelihood_of,
    policy_of,
    recomputed,
    terms_of,
)
from hardwon.domain.model.likelihood import MODELS
from hardwon.domain.model.ranking.prominence import Maxima, RankingPolicy, SignalWeights
from tests.strategies import NOW, weights

RECEIPT = Receipt("s", "start", NOW, "here", "parser", None, "hybrid", "", ("", ""))

signals = st.just(0.0) | st.floats(0.01, 1)
scores = st.none() | signals


@given(
    weights=weights,
    maxima=st.builds(Maxima, signals, signals, st.just(3)),
    vector=scores,
    keyword=scores,
)
def test_the_score_of_a_session_start_is_what_its_parts_give(
    weights: SignalWeights, maxima: Maxima, vector: float | None, keyword: float | None
) -> None:
    policy = RankingPolicy(weights=weights, maxima=maxima, now=NOW)
    made_of = policy.signals(vector, keyword, 0.4)
    shown = ReceiptEntry("e", "lesson", "", policy.score(made_of), policy.parts(made_of))
    receipt = RECEIPT._replace(policy=policy.name)

    assert fits(receipt, shown)
    assert not fits(receipt, shown._replace(score=policy.score(made_of) + 2e-6))
    assert [name for name, _, _ in terms_of(policy.name, shown.parts)] == [
        "vector",
        "keyword",
        "prominence",
    ]


def test_conversations_beside_lessons_are_ranked_by_a_policy_of_their_own() -> None:
    parts = {"vector": 1.0, "file": 0.0, "branch": 1.0, "recency": 0.5, "keyword": 0.2}
    shown = ReceiptEntry("e", "conversation", "", 0.645, parts)

    assert policy_of(RECEIPT, shown) == "context"
    assert recomputed("context", parts) == pytest.approx(0.645)
    assert fits(RECEIPT, shown)
    assert policy_of(RECEIPT._replace(event="prompt", policy="adaptive"), shown) == "adaptive"


@pytest.mark.parametrize("parts", [{}, {"vector": 1.0}, {"vector_weight": 1.0, "keyword": 1.0}])
def test_a_score_without_all_its_parts_does_not_fit(parts: dict[str, float]) -> None:
    for policy in ("hybrid", "prominence", "adaptive"):
        assert not fits(
            RECEIPT._replace(policy=policy), ReceiptEntry("e", "lesson", "", 0.5, parts)
        )


def test_a_score_of_an_earlier_formula_is_not_doubted() -> None:
    parts = {
        "cosine": 0.5,
        "cosine_mean": 0.1,
        "evidence": 3.0,
        "clarity": 1.2,
        "window": 307.0,
        "length": 40.0,
    }

    assert recomputed("adaptive", parts) is None
    assert fits(RECEIPT._replace(policy="adaptive"), ReceiptEntry("e", "lesson", "", 5.0, parts))


PROMPT = RECEIPT._replace(event="prompt", policy="of the future")
FEATURES = {
    **dict.fromkeys(MODELS["prompt"].weights, 0.5),
    "closeness": 0.5,
    "words": 1.2,
    "lead": 1.5,
}
LIKELY = MODELS["prompt"].of(FEATURES)


def test_beside_a_prompt_the_probability_must_be_what_its_parts_give() -> None:
    shown = ReceiptEntry("e", "lesson", "", 12.0, LIKELY.parts)

    assert likelihood_of(shown) == LIKELY
    assert fits(PROMPT, shown)
    for name in (*FEATURES, "probability"):
        changed = {**shown.parts, name: shown.parts[name] + 0.1}
        assert not fits(PROMPT, shown._replace(parts=changed)), name
        without = {part: shown.parts[part] for part in {*shown.parts} - {name}}
        assert not fits(PROMPT, shown._replace(parts=without))


def test_an_entry_that_does_not_win_is_not_printed_beside_a_prompt() -> None:
    weak = MODELS["prompt"].of({**FEATURES, "closeness": 0.1, "lead": 0.1})

    assert not fits(PROMPT, ReceiptEntry("e", "lesson", "", 12.0, weak.parts))


@pytest.mark.parametrize(
    "parts",
    [{"coverage": 1.0, "told": 6.0, "strength": 0.6}, {**LIKELY.parts, "model": 1.0, "words": 9.0}],
)
def test_a_win_by_an_earlier_formula_is_not_doubted(parts: dict[str, float]) -> None:
    shown = ReceiptEntry("e", "lesson", "", 12.0, parts)

    assert likelihood_of(shown) is None
    assert fits(PROMPT, shown)


def test_at_a_sessions_start_nothing_has_to_win() -> None:
    assert likelihood_of(ReceiptEntry("e", "lesson", "", 0.5)) is None


def test_unranked_entries_and_those_of_unknown_policies_are_not_doubted() -> None:
    assert fits(RECEIPT, ReceiptEntry("e", "note", ""))
    assert fits(RECEIPT._replace(policy="of the future"), ReceiptEntry("e", "note", "", 0.5))
