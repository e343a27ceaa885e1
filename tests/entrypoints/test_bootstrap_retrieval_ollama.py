"""Specifics of Ollama: its host, its models by name, and their download, which only a person can allow."""

import contextlib
import json
import os

import pytest

from tests.adapters.providers.kinds import raw
from tests.adapters.providers.stub_server import Answer
from tests.entrypoints.programs import finish, start, write
from tests.entrypoints.provider_process import Scene, texts
from tests.fakes.doors import Ran


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.choose("ollama")
    return scene


def embed_at_a_terminal(scene: Scene, answer: bytes) -> Ran:
    """Run `hardwon embed` with a terminal to read from, where *answer* is typed."""
    ours, theirs = os.openpty()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, ours)
        stack.callback(os.close, theirs)
        os.write(ours, answer)
        return finish(start(scene.world, "hardwon", "embed", redirections=f"<{os.ttyname(theirs)}"))


def refuse_until_pulled(scene: Scene) -> None:
    """Let Ollama have no model before it was told to download it."""
    missing = raw(json.dumps({"models": []}).encode())
    scene.stub.fault = lambda answer: (
        missing(answer) if scene.stub.requests[-1].path == "/api/tags" else None
    )


def test_the_host_may_be_written_in_ollamas_forms(scene: Scene) -> None:
    scene.world.variables["OLLAMA_HOST"] = f"127.0.0.1:{scene.stub.port}"
    done = write(scene.world)

    assert (done.code, done.stderr) == (0, "")
    assert [request.path for request in scene.requests()] == ["/api/embed"]


def test_the_model_may_be_named_in_the_environment_by_its_present_and_its_older_variable(
    scene: Scene,
) -> None:
    scene.stub.dimensions = 1024
    scene.world.variables["HARDWON_EMBEDDING_MODEL"] = "mxbai-embed-large"
    write(scene.world)
    assert [request.body["model"] for request in scene.requests()] == ["mxbai-embed-large"]
    assert scene.world.query("SELECT length(embedding) FROM entries") == [(1024 * 4,)]

    scene.stub.dimensions = 384
    del scene.world.variables["HARDWON_EMBEDDING_MODEL"]
    scene.world.variables["TLC_EMBED_MODEL"] = "all-minilm"
    write(scene.world)
    assert [request.body["model"] for request in scene.requests()] == ["all-minilm"]


def test_a_text_is_cut_to_what_the_model_takes(scene: Scene) -> None:
    write(scene.world, description="A number without its unit. " * 2_000)
    [text] = texts(scene.requests())

    assert len(text) < 2048 * 4.4
    assert scene.vectors() == {"ollama": 1}


def test_a_model_that_is_missing_is_downloaded_after_a_yes(scene: Scene) -> None:
    scene.remember(1)
    refuse_until_pulled(scene)
    done = embed_at_a_terminal(scene, b"y\n")

    assert "Ollama has no model 'nomic-embed-text'. Download it?" in done.stderr
    assert [request.path for request in scene.requests()] == [
        "/api/tags",
        "/api/pull",
        "/api/embed",
    ]
    assert done.code == 0
    assert done.stdout.endswith("1 vector made, 0 missing.\n")


def test_a_no_downloads_nothing(scene: Scene) -> None:
    scene.remember(1)
    refuse_until_pulled(scene)
    embed_at_a_terminal(scene, b"n\n")

    assert "/api/pull" not in [request.path for request in scene.requests()]


def test_a_model_that_is_there_is_not_asked_about(scene: Scene) -> None:
    scene.remember(1)
    done = embed_at_a_terminal(scene, b"")

    assert "Download" not in done.stderr
    assert [request.path for request in scene.requests()] == ["/api/tags", "/api/embed"]


def test_a_download_that_breaks_off_is_reported(scene: Scene) -> None:
    scene.remember(1)

    def break_off(answer: Answer) -> None:
        bodies = {"/api/tags": {"models": []}, "/api/pull": {"error": "no space left"}}
        answer.body = bodies.get(scene.stub.requests[-1].path, answer.body)

    scene.stub.fault = break_off
    done = embed_at_a_terminal(scene, b"y\n")

    assert done.code == 2
    assert "could not download the model: no space left" in done.stderr
    assert "Traceback" not in done.stderr
