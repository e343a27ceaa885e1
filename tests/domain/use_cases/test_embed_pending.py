from array import array
from collections.abc import Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import (
    EmbedderUnavailableError,
    RateLimitedError,
    UnusableVectorError,
)
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.use_cases.embed_pending import BATCH, EmbedPending, Patience
from hardwon.ports.models import Task
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.models import PlantedEmbedder, UnreliableEmbedder
from tests.fakes.state import State
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import QUERY_VECTOR, SPACE, lesson

DEADLINE = FixedClock().deadline()


def store_of(count: int) -> InMemoryVectorStore:
    return InMemoryVectorStore(state_of(count))


def state_of(count: int) -> State:
    state = State()
    repository = InMemoryEntryRepository(state)
    for number in range(count):
        repository.put(lesson(f"lesson {number}"))
    return state


@pytest.mark.parametrize(
    ("limit", "stored"), [(None, 120), (50, 50), (120, 120), (500, 120), (7, 7), (0, 0), (-1, 0)]
)
def test_at_most_so_many_are_embedded_and_all_without_a_limit(
    limit: int | None, stored: int
) -> None:
    store = store_of(120)

    assert EmbedPending(PlantedEmbedder(), store).embed(limit, DEADLINE) == stored
    assert (store.count(LEARNINGS), store.count_pending(LEARNINGS)) == (stored, 120 - stored)


def test_the_first_in_the_line_are_embedded_first_as_documents() -> None:
    store, embedder = store_of(5), PlantedEmbedder()
    expected = [(pending.text, "document") for pending in store.pending(2)]
    EmbedPending(embedder, store).embed(2, DEADLINE)

    assert embedder.asked == expected


def test_a_batch_is_stored_and_reported_before_the_next() -> None:
    store = store_of(BATCH * 2 + 1)
    reported: list[tuple[int, int]] = []
    EmbedPending(PlantedEmbedder(), store).embed(
        None, DEADLINE, lambda done: reported.append((done, store.count(LEARNINGS)))
    )

    assert reported == [(50, 50), (100, 100), (101, 101)]


def test_nothing_pending_asks_for_nothing() -> None:
    embedder = PlantedEmbedder()

    assert EmbedPending(embedder, store_of(0)).embed(None, DEADLINE) == 0
    assert embedder.asked == []


@given(
    count=st.integers(0, 160),
    failing=st.sets(st.integers(1, 6)),
    limit=st.none() | st.integers(1, 160),
)
def test_after_failures_it_resumes_and_nothing_is_lost_or_embedded_twice(
    count: int, failing: set[int], limit: int | None
) -> None:
    store, inner = store_of(count), PlantedEmbedder()
    embed = EmbedPending(UnreliableEmbedder(inner, failing=failing), store)
    while store.count_pending(LEARNINGS):
        try:
            embed.embed(limit, DEADLINE)
        except EmbedderUnavailableError:
            assert store.count(LEARNINGS) == len(inner.asked)

    assert store.count(LEARNINGS) == count
    assert len(set(inner.asked)) == len(inner.asked) == count


def test_vectors_are_brought_to_length_one() -> None:
    store = store_of(1)
    [pending] = store.pending(1)
    embedder = PlantedEmbedder({pending.text: type(QUERY_VECTOR)("f", [7.0, 0.0, 0.0, 0.0])})
    EmbedPending(embedder, store).embed(None, DEADLINE)

    assert store.load([pending.number]).values == QUERY_VECTOR


class MeddlingEmbedder(PlantedEmbedder):
    """Changes the text of an entry while it is being embedded."""

    def __init__(self, repository: InMemoryEntryRepository) -> None:
        super().__init__()
        self._repository = repository

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        self._repository.put(attrs.evolve(lesson("lesson 0"), notes="- changed"))
        return super().embed(texts, task, deadline)


def test_a_text_that_changed_meanwhile_is_dropped_and_embedded_again() -> None:
    state = state_of(3)
    store, embedder = InMemoryVectorStore(state), MeddlingEmbedder(InMemoryEntryRepository(state))
    EmbedPending(embedder, store).embed(3, DEADLINE)
    assert store.count_pending(LEARNINGS) == 1

    EmbedPending(embedder, store).embed(None, DEADLINE)
    assert store.count_pending(LEARNINGS) == 0
    assert embedder.asked[-1] == ("Lesson\nlesson 0\n- changed", "document")


class ForgetfulEmbedder(PlantedEmbedder):
    """Leaves out the vector of the first text."""

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        return super().embed(texts, task, deadline)[1:]


def test_too_few_vectors_are_refused_and_nothing_is_stored() -> None:
    store = store_of(3)

    with pytest.raises(EmbedderUnavailableError, match="3 texts with 2 vectors"):
        EmbedPending(ForgetfulEmbedder(), store).embed(None, DEADLINE)
    assert store.count(LEARNINGS) == 0


NO_DIRECTION = array("f", [0.0] * SPACE.dimensions)


@pytest.mark.parametrize("unusable", [{0}, {59}, {0, 30}, {3, 4}])
def test_one_text_that_has_no_usable_vector_does_not_hold_up_the_others(unusable: set[int]) -> None:
    store, warnings = store_of(60), list[str]()
    planted = {f"Lesson\nlesson {number}": NO_DIRECTION for number in unusable}
    embed = EmbedPending(PlantedEmbedder(planted), store, warnings.append)

    assert embed.embed(None, DEADLINE) == 60 - len(unusable)
    assert store.count_pending(LEARNINGS) == len(unusable)
    assert len(warnings) == len(unusable)
    assert all("the vector is zero" in warning for warning in warnings)


def test_an_embedder_without_any_usable_vector_is_not_asked_for_every_text() -> None:
    store = store_of(60)
    embedder = PlantedEmbedder({f"Lesson\nlesson {number}": NO_DIRECTION for number in range(60)})

    with pytest.raises(UnusableVectorError):
        EmbedPending(embedder, store).embed(None, DEADLINE)
    assert store.count(LEARNINGS) == 0
    assert len(embedder.asked) < 60 * 3


class LimitedEmbedder(PlantedEmbedder):
    """Refuses the calls of these numbers, from 1, and says when to come again."""

    def __init__(self, *, refusing: set[int], retry_after: float | None) -> None:
        super().__init__()
        self._refusing = refusing
        self._retry_after = retry_after
        self._calls = 0

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        self._calls += 1
        if self._calls in self._refusing:
            raise RateLimitedError("too many requests", self._retry_after)
        return super().embed(texts, task, deadline)


def test_a_provider_that_wants_more_than_two_minutes_is_left_to_another_run() -> None:
    pauses = list[float]()
    patience = Patience(pause=lambda seconds, _: pauses.append(seconds))
    for retry_after in (120.0, 120.5):
        embedder = LimitedEmbedder(refusing={1}, retry_after=retry_after)
        if retry_after > 120:
            with pytest.raises(RateLimitedError, match="too many requests; run it again later"):
                EmbedPending(embedder, store_of(1)).embed(None, DEADLINE, patience=patience)
        else:
            assert EmbedPending(embedder, store_of(1)).embed(None, DEADLINE, patience=patience) == 1

    assert pauses == [120.0]


def test_after_the_deadline_no_batch_begins() -> None:
    times = iter([0.0, 1.0, 2.0, 3.0, 3.0])
    deadline = Deadline(lambda: next(times, 3.0), 2.5)

    assert EmbedPending(PlantedEmbedder(), store_of(100)).embed(None, deadline, batch=8) == 4 * 8


@pytest.mark.parametrize(("retry_after", "waited"), [(7.0, 7.0), (None, 10.0)])
def test_a_patient_run_waits_as_long_as_requested_and_goes_on(
    retry_after: float | None, waited: float
) -> None:
    store, pauses = store_of(120), list[tuple[float, str]]()
    patience = Patience(pause=lambda seconds, reason: pauses.append((seconds, reason)))
    embedder = LimitedEmbedder(refusing={2}, retry_after=retry_after)

    assert EmbedPending(embedder, store).embed(None, DEADLINE, patience=patience) == 120
    assert pauses == [(1.0, ""), (waited, "too many requests"), (1.0, "")]


def test_a_limited_provider_stops_a_write_at_once_and_a_patient_run_after_five_tries() -> None:
    pauses: list[float] = []
    patience = Patience(pause=lambda seconds, _: pauses.append(seconds))

    for tries in (None, patience):
        embedder = LimitedEmbedder(refusing=set(range(1, 100)), retry_after=1.0)
        with pytest.raises(RateLimitedError):
            EmbedPending(embedder, store_of(1)).embed(None, DEADLINE, patience=tries)
    assert pauses == [1.0] * 4


def test_all_are_embedded_again_by_number_and_each_batch_is_noted_once_it_is_stored() -> None:
    store, embedder, noted = store_of(BATCH + 1), PlantedEmbedder(), list[int]()
    EmbedPending(embedder, store).embed(None, DEADLINE)
    everything = store.texts(BATCH + 1)
    embedder.asked.clear()

    assert EmbedPending(embedder, store).embed_again(0, noted.append, DEADLINE) == BATCH + 1
    assert embedder.asked == [(text.text, "document") for text in everything]
    assert noted == [everything[BATCH - 1].number, everything[BATCH].number]


def test_embedding_again_goes_on_after_a_failure_and_drops_no_vector() -> None:
    store, noted = store_of(BATCH + 1), [0]
    EmbedPending(PlantedEmbedder(), store).embed(None, DEADLINE)
    failing = UnreliableEmbedder(PlantedEmbedder(), failing=[2])

    with pytest.raises(EmbedderUnavailableError):
        EmbedPending(failing, store).embed_again(0, noted.append, DEADLINE)

    assert store.count(LEARNINGS) == BATCH + 1
    assert (
        EmbedPending(PlantedEmbedder(), store).embed_again(noted[-1], noted.append, DEADLINE) == 1
    )
