"""Each provider makes the vectors of entries and of the queries of the hook."""

from array import array

import pytest

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap_retrieval import build_embedder
from tests.adapters.providers.stub_server import Recorded, vector_of
from tests.entrypoints.programs import COMPLETE, VALID, hardwon, write
from tests.entrypoints.provider_process import KEY, MODELS, Scene, diagnostic, texts

DOCUMENT = f"{VALID['name']}\n{VALID['description']}\n{COMPLETE['reasoning']}"


def document_body(provider: str, model: str, text: str) -> object:
    """Return the body that *provider*'s documentation wants for one document."""
    dimensions = MODELS[provider].dimensions
    match provider:
        case "gemini":
            asked = {
                "model": f"models/{model}",
                "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_DOCUMENT",
                "outputDimensionality": dimensions,
            }
            return {"requests": [asked]}
        case "ollama":
            return {"model": model, "input": [f"search_document: {text}"], "truncate": True}
        case "openai":
            return {
                "input": [text],
                "model": model,
                "encoding_format": "float",
                "dimensions": dimensions,
            }
        case _:
            task = {"input_type": "document", "output_dimension": dimensions, "truncation": True}
            return {"input": [text], "model": model, **task}


def is_for_a_query(request: Recorded) -> bool:
    """Return whether the provider receives the purpose of the text, where its API has one."""
    body = request.body
    return (
        body.get("taskType") == "RETRIEVAL_QUERY"
        or body.get("input_type") == "query"
        or (request.path == "/api/embed" and body["input"][0].startswith("search_query: "))
        or (request.headers["authorization"] == f"Bearer {KEY}" and "input_type" not in body)
    )


@pytest.mark.parametrize("provider", MODELS)
def test_a_written_entry_is_embedded_as_a_document_and_searched_for_as_a_query(
    scene: Scene, provider: str
) -> None:
    scene.choose(provider)
    model, dimensions = MODELS[provider]

    done = write(scene.world)
    [written] = scene.requests()
    run = scene.world.hook()
    [asked] = scene.requests()

    assert (done.code, done.stderr) == (0, "")
    assert written.body == document_body(provider, model, DOCUMENT)
    assert diagnostic(run).startswith(
        "*Memory: 1 entries from 1 | semantic: active (vector=1, fts5=1) |"
    )
    assert diagnostic(run).endswith(f"| model: {model}*")
    assert (run.stderr, run.log) == ("", ())
    assert is_for_a_query(asked)
    [query] = texts([asked])
    assert query.removeprefix("search_query: ").startswith(
        "csv reader. Read the number with its unit from partner feeds"
    )
    assert model in f"{asked.path} {asked.body}"
    assert "SEMANTIC_SIMILARITY" not in f"{written.body} {asked.body}"
    assert scene.vectors() == {provider: 1}
    assert scene.metadata()["embedding_dimensions"] == str(dimensions)
    vector = array("f", scene.world.query("SELECT embedding FROM entries")[0][0])
    assert len(vector) == dimensions
    assert sum(value * value for value in vector) == pytest.approx(1.0, abs=1e-5)


NAMED = {
    "gemini": "gemini-embedding-2",
    "ollama": "mxbai-embed-large",
    "openai": "text-embedding-3-large",
    "voyage": "voyage-3.5",
}


@pytest.mark.parametrize(("provider", "model"), NAMED.items(), ids=NAMED)
def test_the_model_that_is_named_makes_both_vectors(
    scene: Scene, provider: str, model: str
) -> None:
    scene.choose(provider, embedding_model=model)
    scene.stub.dimensions = 1024
    write(scene.world)
    run = scene.world.hook()
    requests = scene.requests()

    assert len(requests) == 2
    assert all(model in f"{request.path} {request.body}" for request in requests)
    assert diagnostic(run).endswith(f"| model: {model}*")
    assert "vector=1" in diagnostic(run)
    assert scene.metadata()["embedding_model"] == model


def test_a_model_of_unknown_width_needs_its_dimensions(scene: Scene) -> None:
    scene.choose("openai", embedding_model="of-our-own", embedding_dimensions="32")
    scene.stub.dimensions = 32
    run = write(scene.world)
    assert (run.code, run.stderr, scene.vectors()) == (0, "", {"openai": 1})

    scene.choose("openai", embedding_model="of-our-own")
    run = write(scene.world)
    assert run.code == 0
    assert run.stderr.startswith(
        "Warning: no vector search: the dimensions of the model 'of-our-own' are not known"
    )
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("provider", MODELS)
def test_many_texts_keep_their_order(scene: Scene, provider: str) -> None:
    scene.choose(provider)
    scene.remember(20)
    done = hardwon(scene.world, "embed")
    sent = texts(scene.requests())

    assert (done.code, done.stdout) == (0, "20 vectors made, 0 missing.\n")
    assert len(sent) == len(set(sent)) == 20
    for text, blob in scene.world.query("SELECT name, embedding FROM entries"):
        [whole] = [
            item for item in sent if item.removeprefix("search_document: ").startswith(f"{text}\n")
        ]
        raw = vector_of(whole, 8)
        length = sum(value * value for value in raw) ** 0.5
        assert array("f", blob)[:8].tolist() == pytest.approx(
            [value / length for value in raw], abs=1e-6
        )


def test_the_hook_asks_once_for_a_store_of_many_entries(scene: Scene) -> None:
    scene.choose("ollama")
    scene.remember(40)
    hardwon(scene.world, "embed")
    scene.requests()
    run = scene.world.hook()

    assert "vector=40" in diagnostic(run)
    assert len(scene.requests()) == 1


def test_the_key_travels_in_a_header_and_nowhere_else(scene: Scene) -> None:
    scene.choose("voyage")
    write(scene.world)
    scene.world.hook()

    for request in scene.requests():
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in f"{request.path} {request.body}"
    assert scene.holds(KEY) == []


def test_a_process_has_one_embedded_model() -> None:
    models = [
        build_embedder("local", Settings(global_store=""), environ) for environ in ({}, {"A": "b"})
    ]

    assert models[0] is models[1]
