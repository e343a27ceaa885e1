import pytest

from hardwon.adapters.threads import MEMOISED, Threads
from hardwon.domain.model.errors import EmbedderUnavailableError
from tests.fakes.clock import FixedClock
from tests.fakes.models import HangingEmbedder, PlantedEmbedder, UnreliableEmbedder
from tests.strategies import QUERY_VECTOR, SPACE

IN_TIME = FixedClock().deadline(60)


def test_the_same_question_is_asked_once_and_others_each() -> None:
    inner = PlantedEmbedder({"lock": QUERY_VECTOR})
    once = Threads().memoised(inner)

    assert [once.embed(["lock"], "query", IN_TIME) for _ in range(3)] == [[QUERY_VECTOR]] * 3
    once.embed(["lock"], "document", IN_TIME)
    once.embed(["cache"], "query", IN_TIME)
    assert inner.asked == [("lock", "query"), ("lock", "document"), ("cache", "query")]
    assert (once.space, once.max_tokens) == (SPACE, inner.max_tokens)


def test_changing_an_answer_changes_only_that_copy() -> None:
    once = Threads().memoised(PlantedEmbedder({"lock": QUERY_VECTOR}))
    once.embed(["lock"], "query", IN_TIME)[0][0] = 9.0

    assert once.embed(["lock"], "query", IN_TIME) == [QUERY_VECTOR]


def test_the_failure_is_shared_too() -> None:
    once = Threads().memoised(UnreliableEmbedder(PlantedEmbedder(), failing=[1]))

    for _ in range(2):
        with pytest.raises(EmbedderUnavailableError, match="no answer"):
            once.embed(["lock"], "query", IN_TIME)


def test_a_retriever_that_misses_the_deadline_is_abandoned() -> None:
    hanging = HangingEmbedder(PlantedEmbedder())
    once = Threads().memoised(hanging)

    for seconds in (0, 3_600):
        with pytest.raises(EmbedderUnavailableError, match="planted-4 did not answer in time"):
            once.embed(["lock"], "query", FixedClock().deadline(seconds))
    hanging.released.set()


def test_a_failed_request_is_made_again_after_its_deadline() -> None:
    clock, inner = FixedClock(), PlantedEmbedder({"lock": QUERY_VECTOR})
    once = Threads().memoised(UnreliableEmbedder(inner, failing=[1]))
    with pytest.raises(EmbedderUnavailableError, match="no answer"):
        once.embed(["lock"], "query", clock.deadline(1))
    clock.advance(1)

    assert once.embed(["lock"], "query", clock.deadline(1)) == [QUERY_VECTOR]


def test_only_the_latest_requests_are_kept() -> None:
    inner = PlantedEmbedder()
    once = Threads().memoised(inner)
    for text in ("first", "second", *map(str, range(MEMOISED - 2)), "first", "another"):
        once.embed([text], "query", IN_TIME)
    asked = len(inner.asked)
    once.embed(["first"], "query", IN_TIME)
    assert len(inner.asked) == asked == MEMOISED + 1

    once.embed(["second"], "query", IN_TIME)
    assert len(inner.asked) == asked + 1
