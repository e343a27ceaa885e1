"""The contract of every embedder: the embedded one and those on the network."""

import math

import pytest

from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, cosine, unit
from hardwon.domain.model.errors import EmbedderUnavailableError, UnusableVectorError
from hardwon.ports.models import Embedder, Task
from tests.adapters.providers.kinds import KINDS
from tests.adapters.providers.stub_server import StubProviders

LOCAL = MiniLmEmbedder()

TEXTS = [
    "sqlite locks under load",
    "retry with jitter",
    "café ☕ 日本語",
    'a "quoted"\nline',
    "\ud800 half an emoji",
]

TASKS: list[Task] = ["document", "query"]


@pytest.fixture(params=["MiniLM", *KINDS])
def embedder(request: pytest.FixtureRequest, stub: StubProviders) -> Embedder:
    if request.param == "MiniLM":
        return LOCAL
    if request.param == "OpenAI":
        stub.dimensions = 1536
    return KINDS[request.param](stub.url, None)


def units(embedder: Embedder, vectors: list[Vector]) -> list[Vector]:
    return [unit(vector, embedder.space.dimensions) for vector in vectors]


@pytest.mark.parametrize("task", TASKS)
def test_every_text_gets_a_float32_vector_of_the_space(
    embedder: Embedder, task: Task, no_deadline: Deadline
) -> None:
    vectors = embedder.embed(TEXTS, task, no_deadline)
    assert [(vector.typecode, len(vector)) for vector in vectors] == [
        ("f", embedder.space.dimensions)
    ] * len(TEXTS)
    assert all(math.isfinite(value) for vector in vectors for value in vector)


@pytest.mark.parametrize("task", TASKS)
def test_vectors_come_in_the_order_of_their_texts(
    embedder: Embedder, task: Task, no_deadline: Deadline
) -> None:
    together = units(embedder, embedder.embed(TEXTS, task, no_deadline))
    separate = units(embedder, [embedder.embed([text], task, no_deadline)[0] for text in TEXTS])
    assert [
        cosine(single, other) for single, other in zip(together, separate, strict=True)
    ] == pytest.approx([1.0] * 5, abs=1e-5)
    assert len({tuple(vector) for vector in together}) == len(TEXTS)


def test_more_texts_than_one_request_takes_are_all_embedded(
    embedder: Embedder, no_deadline: Deadline
) -> None:
    texts = [f"lesson {number}" for number in range(203)]
    vectors = units(embedder, embedder.embed(texts, "document", no_deadline))
    [last] = units(embedder, embedder.embed(texts[-1:], "document", no_deadline))
    assert len(vectors) == 203
    assert cosine(vectors[-1], last) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("task", TASKS)
def test_no_texts_give_no_vectors_even_after_the_deadline(embedder: Embedder, task: Task) -> None:
    assert embedder.embed([], task, Deadline(lambda: 1.0, 0.0)) == []


def test_a_blank_text_never_breaks_anything_but_itself(
    embedder: Embedder, no_deadline: Deadline
) -> None:
    for blank in ("", " \n\t"):
        try:
            assert len(embedder.embed([blank], "query", no_deadline)) == 1
        except UnusableVectorError as error:
            assert str(error) == "a blank text has no vector"  # noqa: PT017  # either is allowed


@pytest.mark.parametrize("task", TASKS)
def test_after_the_deadline_nothing_is_asked(
    embedder: Embedder, task: Task, stub: StubProviders
) -> None:
    with pytest.raises(EmbedderUnavailableError, match="time"):
        embedder.embed(["a"], task, Deadline(lambda: 1.0, 1.0))
    assert stub.requests == []


def test_calls_do_not_remember_each_other(embedder: Embedder, no_deadline: Deadline) -> None:
    first = embedder.embed(["a"], "query", no_deadline)
    embedder.embed(["b"], "document", no_deadline)
    assert embedder.embed(["a"], "query", no_deadline) == first


def test_the_space_is_the_same_whenever_it_is_asked(
    embedder: Embedder, no_deadline: Deadline
) -> None:
    before = embedder.space
    embedder.embed(["a"], "query", no_deadline)
    assert embedder.space == before
