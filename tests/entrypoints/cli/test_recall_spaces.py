"""Recall where collections have embedding models of their own: Ollama, when no model is named."""

import contextlib
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.adapters.providers.stub_server import Answer, StubProviders, running_stub
from tests.entrypoints.hook_process import World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene, texts

WIDTHS = {"nomic-embed-text": 768, "all-minilm": 384, "mxbai-embed-large": 1024}
QUESTION = "how do we lock the store"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_stub() as stub, contextlib.ExitStack() as cleanup:
        scene = Scene(World(tmp_path_factory.mktemp("spaces") / "world", cleanup), stub)
        scene.choose("ollama")
        stub.models = [f"{model}:latest" for model in WIDTHS]
        stub.dimensions = max(WIDTHS.values())
        stub.fault = lambda answer: as_wide_as_the_model(stub, answer)
        scene.world.remember(
            memory("document", "Document", "Locks of the store.", None).entry,
            memory("session", "Session", "Worked on locks.", None).entry,
            memory("decision", "Decision", "One lock for the store.", None).entry,
        )
        assert hardwon(scene.world, "embed").code == 0
        assert set(scene.vectors().values()) == {3}
        yield scene


def as_wide_as_the_model(stub: StubProviders, answer: Answer) -> None:
    width = WIDTHS[stub.requests[-1].body["model"]] if stub.requests[-1].body else 0
    if "embeddings" in answer.body:
        answer.body["embeddings"] = [vector[:width] for vector in answer.body["embeddings"]]


def test_a_question_to_all_is_embedded_once_for_each_space_in_use(scene: Scene) -> None:
    scene.requests()

    done = hardwon(scene.world, "recall", QUESTION, "--json")

    requests = [request for request in scene.requests() if request.path == "/api/embed"]
    assert Counter(request.body["model"] for request in requests) == dict.fromkeys(WIDTHS, 1)
    assert all(text.endswith(QUESTION) for text in texts(requests))
    assert {answer["title"] for answer in done.items} == {"Document", "Session", "Decision"}


@pytest.mark.parametrize(
    ("collection", "model"),
    [
        ("sessions", "all-minilm"),
        ("conversations", "mxbai-embed-large"),
        ("documents", "nomic-embed-text"),
    ],
)
def test_a_collection_is_asked_and_counted_in_its_own_space(
    scene: Scene, collection: str, model: str
) -> None:
    scene.requests()

    hardwon(scene.world, "recall", "--in", collection, QUESTION)

    asked = [request.body["model"] for request in scene.requests() if request.path == "/api/embed"]
    assert asked == [model]
    embedding = hardwon(scene.world, "stats", "--in", collection, "--json").document["embedding"]
    assert embedding == {
        "provider": "ollama",
        "model": model,
        "dimensions": WIDTHS[model],
        "embedded": 1,
        "pending": 0,
        "trouble": "",
    }


def test_a_shown_memory_has_the_vector_of_its_own_space(scene: Scene) -> None:
    [decision] = hardwon(scene.world, "list", "--type", "decision", "--json").items

    assert len(hardwon(scene.world, "show", decision["id"], "--json").document["embedding"]) == 1024


def test_the_view_shows_the_vectors_of_conversations_beside_those_of_learnings(
    scene: Scene,
) -> None:
    assert scene.world.query("SELECT type, length(embedding) / 4 FROM memories") == [
        ("decision", 1024)
    ]
