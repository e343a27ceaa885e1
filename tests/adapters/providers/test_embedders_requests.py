"""The exact requests to each provider."""

from typing import Any

import pytest

from hardwon.adapters.providers.embedders import (
    GeminiEmbedder,
    OllamaEmbedder,
    OpenAiEmbedder,
    VoyageEmbedder,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import EmbedderUnavailableError, UnusableVectorError
from hardwon.ports.models import Embedder, Task
from tests.adapters.providers.kinds import KEY, KINDS, WAYS
from tests.adapters.providers.stub_server import StubProviders, vector_of


def sent(
    stub: StubProviders, embedder: Embedder, texts: list[str], task: Task, deadline: Deadline
) -> list[Any]:
    """Return path and body of each request for *texts*, whose vectors must be those of the stub."""
    assert len(embedder.embed(texts, task, deadline)) == len(texts)
    return [(recorded.path, recorded.body) for recorded in stub.requests]


def gemini_document(
    text: str, model: str = "gemini-embedding-001", dimensions: int = 768
) -> dict[str, Any]:
    return {
        "model": f"models/{model}",
        "content": {"parts": [{"text": text}]},
        "taskType": "RETRIEVAL_DOCUMENT",
        "outputDimensionality": dimensions,
    }


def test_gemini_documents_go_in_one_batch(stub: StubProviders, no_deadline: Deadline) -> None:
    embedder = GeminiEmbedder(KEY, base_url=stub.url)
    path = "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    requests = {"requests": [gemini_document("a"), gemini_document("b")]}
    assert sent(stub, embedder, ["a", "b"], "document", no_deadline) == [(path, requests)]
    assert stub.requests[0].headers["x-goog-api-key"] == KEY


def test_a_gemini_query_goes_by_itself(stub: StubProviders, no_deadline: Deadline) -> None:
    embedder = GeminiEmbedder(KEY, base_url=f"{stub.url}/")
    path = "/v1beta/models/gemini-embedding-001:embedContent"
    body = {**gemini_document("a"), "taskType": "RETRIEVAL_QUERY"}
    assert sent(stub, embedder, ["a"], "query", no_deadline) == [(path, body)]
    assert stub.requests[0].headers["x-goog-api-key"] == KEY
    assert stub.requests[0].headers["content-type"] == "application/json"


def test_gemini_takes_another_model_and_width_both_ways(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    embedder = GeminiEmbedder(KEY, "models/gemini-embedding-001-x", 256, stub.url)
    embedder.embed(["a"], "query", no_deadline)
    embedder.embed(["a"], "document", no_deadline)
    query, [document] = stub.requests[0].body, stub.requests[1].body["requests"]
    assert query == {**document, "taskType": "RETRIEVAL_QUERY"}
    assert document == gemini_document("a", "gemini-embedding-001-x", 256)
    assert embedder.space == Space(
        provider="gemini", model="gemini-embedding-001-x", dimensions=256, task_scheme="retrieval"
    )


def test_the_second_generation_of_gemini_reads_its_task_in_the_text(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    embedder = GeminiEmbedder(KEY, "gemini-embedding-2", base_url=stub.url)
    documents = embedder.embed(["a", "b"], "document", no_deadline)
    [query] = embedder.embed(["a"], "query", no_deadline)
    assert [list(vector) for vector in [*documents, query]] == [
        vector_of(text, 768)
        for text in (
            "title: none | text: a",
            "title: none | text: b",
            "task: search result | query: a",
        )
    ]
    assert "taskType" not in str([recorded.body for recorded in stub.requests])
    assert embedder.space.task_scheme == "prefix"


def test_gemini_gets_a_hundred_texts_a_request(stub: StubProviders, no_deadline: Deadline) -> None:
    texts = [f"t{number}" for number in range(201)]
    bodies = [
        body
        for _, body in sent(
            stub, GeminiEmbedder(KEY, base_url=stub.url), texts, "document", no_deadline
        )
    ]
    assert [len(body["requests"]) for body in bodies] == [100, 100, 1]


def test_gemini_is_never_asked_for_similarity(stub: StubProviders, no_deadline: Deadline) -> None:
    embedder = GeminiEmbedder(KEY, base_url=stub.url)
    embedder.embed(["a"], "query", no_deadline)
    embedder.embed(["a"], "document", no_deadline)
    assert "SEMANTIC_SIMILARITY" not in str(stub.requests)


@pytest.mark.parametrize(
    ("model", "task", "expected"),
    [
        ("nomic-embed-text", "document", ("search_document: ", "prefix")),
        ("nomic-embed-text:v1.5", "query", ("search_query: ", "prefix")),
        ("mxbai-embed-large", "document", ("", "prefix")),
        (
            "mxbai-embed-large",
            "query",
            ("Represent this sentence for searching relevant passages: ", "prefix"),
        ),
        ("all-minilm", "document", ("", "none")),
        ("all-minilm", "query", ("", "none")),
    ],
)
def test_ollama_gets_each_models_own_prefix(
    stub: StubProviders, no_deadline: Deadline, model: str, task: Task, expected: tuple[str, str]
) -> None:
    prefix, scheme = expected
    embedder = OllamaEmbedder(model=model, base_url=stub.url)
    stub.dimensions = embedder.space.dimensions
    body = {"model": model, "input": [f"{prefix}a", f"{prefix}b"], "truncate": True}
    assert sent(stub, embedder, ["a", "b"], task, no_deadline) == [("/api/embed", body)]
    assert embedder.space.task_scheme == scheme


def test_openai_gets_the_width_it_shall_make(stub: StubProviders, no_deadline: Deadline) -> None:
    embedder = OpenAiEmbedder(KEY, dimensions=512, base_url=f"{stub.url}/v1/")
    body = {
        "input": ["a"],
        "model": "text-embedding-3-small",
        "encoding_format": "float",
        "dimensions": 512,
    }
    assert sent(stub, embedder, ["a"], "query", no_deadline) == [("/v1/embeddings", body)]
    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_another_server_needs_no_key_and_is_asked_for_no_width(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    embedder = OpenAiEmbedder("", "bge-m3", 768, f"{stub.url}/v1")
    body = {"input": ["a"], "model": "bge-m3", "encoding_format": "float"}
    assert sent(stub, embedder, ["a"], "document", no_deadline) == [("/v1/embeddings", body)]
    assert "authorization" not in stub.requests[0].headers


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [
        ("text-embedding-3-small", 1536),
        ("text-embedding-3-large", 3072),
        ("text-embedding-ada-002", 1536),
    ],
)
def test_the_width_of_openais_models_is_known(model: str, dimensions: int) -> None:
    assert OpenAiEmbedder(KEY, model).space == Space(
        provider="openai", model=model, dimensions=dimensions
    )


@pytest.mark.parametrize(
    "make", [lambda: OpenAiEmbedder(KEY, "bge-m3"), lambda: OllamaEmbedder(model="bge-m3")]
)
def test_the_width_of_an_unknown_model_must_be_given(make: Any) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"'bge-m3' are not known"):
        make()


@pytest.mark.parametrize("task", ["document", "query"])
def test_voyage_gets_the_task(stub: StubProviders, no_deadline: Deadline, task: Task) -> None:
    embedder = VoyageEmbedder(KEY, base_url=f"{stub.url}/v1")
    body = {
        "input": ["a", "b"],
        "model": "voyage-code-3",
        "input_type": task,
        "output_dimension": 1024,
        "truncation": True,
    }
    assert sent(stub, embedder, ["a", "b"], task, no_deadline) == [("/v1/embeddings", body)]
    assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert embedder.space == Space(
        provider="voyage", model="voyage-code-3", dimensions=1024, task_scheme="input_type"
    )


@pytest.mark.parametrize("name", ["OpenAI", "Voyage"])
def test_rows_are_put_in_the_order_of_their_index(
    name: str, stub: StubProviders, no_deadline: Deadline
) -> None:
    stub.dimensions = 1536
    stub.fault = lambda answer: answer.body["data"].reverse()
    embedder = KINDS[name](stub.url, None)
    vectors = embedder.embed(["a", "b", "c"], "document", no_deadline)
    assert [list(vector) for vector in vectors] == [
        vector_of(text, embedder.space.dimensions) for text in "abc"
    ]


@pytest.mark.parametrize("name", KINDS)
def test_a_request_carries_a_bounded_number_of_characters(
    name: str, stub: StubProviders, no_deadline: Deadline
) -> None:
    stub.dimensions = 1536 if name == "OpenAI" else 768
    texts = ["word " * 900] * 30
    embedder = KINDS[name](stub.url, None)
    assert len(embedder.embed(texts, "document", no_deadline)) == 30
    assert all(len(str(recorded.body)) < 110_000 for recorded in stub.requests)
    assert len(stub.requests) >= 2


@pytest.mark.parametrize(("name", "task"), WAYS)
def test_a_blank_text_is_refused_before_any_request(
    name: str, task: Task, stub: StubProviders, no_deadline: Deadline
) -> None:
    with pytest.raises(UnusableVectorError, match="blank"):
        KINDS[name](stub.url, None).embed(["a", " \n"], task, no_deadline)
    assert stub.requests == []


@pytest.mark.parametrize(("name", "task"), WAYS)
def test_a_text_is_cut_at_the_models_limit(
    name: str, task: Task, stub: StubProviders, no_deadline: Deadline
) -> None:
    stub.dimensions = 1536 if name == "OpenAI" else 768
    embedder = KINDS[name](stub.url, None)
    embedder.embed(["日" * 40_000], task, no_deadline)
    assert str(stub.requests[0].body).count("日") == embedder.max_tokens


def test_a_strange_model_name_stays_one_part_of_the_path(
    stub: StubProviders, no_deadline: Deadline
) -> None:
    GeminiEmbedder(KEY, "../x?y=1/z", base_url=stub.url).embed(["a"], "query", no_deadline)
    assert stub.requests[0].path == "/v1beta/models/..%2Fx%3Fy%3D1%2Fz:embedContent"
