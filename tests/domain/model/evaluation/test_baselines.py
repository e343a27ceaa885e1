"""The rankings that recall is compared with, and that they are found exactly too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.evaluation.baselines import MEASURED
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import RecallPolicy, RecallQuestion
from tests.contracts.test_use_case_recall import HERE, Stored, answered, fill, recall_in
from tests.contracts.worlds import IN_TIME, world_in_memory
from tests.domain.model.ranking.test_policy import CONTEXT, FACTS
from tests.domain.use_cases.test_rank import crowds, exhaustively

BASELINES = {name: ranking.baseline for name, ranking in MEASURED.items() if ranking.baseline}
FOUND_TWICE = RecallCandidate(FACTS, 0.3, 1.5, vector_place=2, keyword_place=1)


def baseline(name: str) -> RecallPolicy:
    return BASELINES[name](CONTEXT)


def test_they_are_the_formulas_of_the_literature() -> None:
    assert baseline("rrf").score(FOUND_TWICE) == pytest.approx(1 / 62 + 1 / 61)
    assert baseline("rrf").score(RecallCandidate(FACTS, 0.3, vector_place=2)) == pytest.approx(
        1 / 62
    )
    assert baseline("weighted").score(FOUND_TWICE) == pytest.approx(
        0.5 * 0.3 / 0.6 + 0.2 * 1.5 / 3.0
    )
    assert baseline("keyword").score(FOUND_TWICE) == 1.5
    assert baseline("keyword").score(RecallCandidate(FACTS, 0.3)) is None


@given(stored=crowds(), name=st.sampled_from(sorted(BASELINES)), limit=st.integers(1, 40))
def test_they_are_exhaustive(stored: Stored, name: str, limit: int) -> None:
    world = world_in_memory()
    fill(world, stored)
    question = RecallQuestion("parser lock", EVERYTHING, "hybrid", limit, None, HERE)
    recall = recall_in(world, question.text)
    recollection = recall.answer_from(question, recall.search(question, IN_TIME), BASELINES[name])

    assert answered(recollection) == exhaustively(world, question, BASELINES[name])
