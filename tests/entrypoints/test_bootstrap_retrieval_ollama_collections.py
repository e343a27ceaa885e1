"""Ollama with three models, of which some are missing: one figure at every entry point, and an offer to download each."""

import contextlib
import json
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.adapters.providers.stub_server import Answer, StubProviders
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visit
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import LONGEST_RUN, hardwon, start
from tests.entrypoints.provider_process import Scene
from tests.entrypoints.sessions import entry

WIDTHS = {"nomic-embed-text": 768, "all-minilm": 384, "mxbai-embed-large": 1024}
NO_SPACE = "no space left on device"


@pytest.fixture
def scene(scene: Scene, stub: StubProviders) -> Scene:
    """Return a scene with a learning, a document, two sessions and a decision, and an Ollama without all-minilm."""
    scene.choose("ollama")
    scene.configure(embedding_provider="ollama", keyword_provider="off")
    stub.models = ["nomic-embed-text:latest", "mxbai-embed-large:latest"]
    stub.fault = Ollama(stub)
    scene.world.remember(
        entry("Learning"),
        memory("document", "Document", "Locks of the store.", None).entry,
        memory("session", "First", "Worked on locks.", None).entry,
        memory("session", "Second", "Worked on feeds.", None).entry,
        memory("decision", "Decision", "One lock for the store.", None).entry,
    )
    return scene


class Ollama:
    """Embeds by the models it has, each as wide as it is, and downloads others; *refused* ones can't be."""

    def __init__(self, stub: StubProviders, refused: str = "") -> None:
        self._stub = stub
        self._refused = refused

    def __call__(self, answer: Answer) -> None:
        request = self._stub.requests[-1]
        model = request.body["model"] if request.body else ""
        if request.path == "/api/pull":
            answer.raw = "".join(f"{json.dumps(event)}\n" for event in self._pulled(model)).encode()
        elif request.path == "/api/embed" and f"{model}:latest" not in self._stub.models:
            answer.status, answer.body = (
                404,
                {"error": f'model "{model}" not found, try pulling it first'},
            )
        elif request.path == "/api/embed":
            answer.body["embeddings"] = [
                vector[: WIDTHS[model]] for vector in answer.body["embeddings"]
            ]

    def _pulled(self, model: str) -> Iterator[dict[str, object]]:
        if model == self._refused:
            yield {"error": NO_SPACE}
            return
        self._stub.models.append(f"{model}:latest")
        yield {"status": "pulling a1b2", "total": 4_000, "completed": 1_000}
        yield {"status": "success"}


@pytest.fixture(autouse=True)
def wide_vectors(stub: StubProviders) -> None:
    stub.dimensions = max(WIDTHS.values())


class AtTerminal(NamedTuple):
    """Exit code and screen of a program that had a terminal for all its streams."""

    code: int
    screen: str

    @property
    def offered(self) -> list[str]:
        """The models that were offered, in order."""
        return re.findall(r"Ollama has no model '([^']+)'\. Download it\?", self.screen)


def at_a_terminal(world: World, *arguments: str, typed: str) -> AtTerminal:
    """Run `hardwon` in a pseudo-terminal where *typed* is typed."""
    world.variables |= {"TERM": "xterm", "COLUMNS": "200"}
    ours, theirs = os.openpty()
    screen = bytearray()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, ours)
        os.write(ours, typed.encode())
        name = os.ttyname(theirs)
        process = start(world, "hardwon", *arguments, redirections=f"<{name} >{name} 2>{name}")
        reader = threading.Thread(target=read_all, args=(ours, screen), daemon=True)
        reader.start()
        code = process.wait(LONGEST_RUN)
        os.close(theirs)
        reader.join()
        process.communicate()
    return AtTerminal(code, screen.decode())


def read_all(terminal: int, into: bytearray) -> None:
    """Read until the other side of the *terminal* is closed."""
    with contextlib.suppress(OSError):
        while read := os.read(terminal, 4096):
            into += read


def pulled(scene: Scene) -> list[str]:
    """Return the models that Ollama was told to download."""
    return [request.body["model"] for request in scene.requests() if request.path == "/api/pull"]


def figures(scene: Scene, visit: Visit) -> dict[str, int]:
    """Return how many vectors are missing, as each door tells it."""
    [vectors] = [
        found["detail"]
        for found in hardwon(scene.world, "doctor", "--json").document["findings"]
        if found["name"] == "vectors"
    ]
    [in_words] = re.findall(r"(\d+) missing\.$", hardwon(scene.world, "index").stdout.strip())
    return {
        "embed": hardwon(scene.world, "embed", "--json").document["pending"],
        "index": hardwon(scene.world, "index", "--json").document["pending"],
        "index in words": int(in_words),
        "stats": hardwon(scene.world, "stats", "--json").document["embedding"]["pending"],
        "doctor": int(vectors.split(", ")[-1].removesuffix(" missing")),
        "memory_stats": visit(scene.world).answer("memory_stats")["embedding"]["pending"],
    }


def test_every_entry_point_reports_the_same_number_of_missing_vectors(
    scene: Scene, visit: Visit
) -> None:
    hardwon(scene.world, "embed")

    output = figures(scene, visit)
    assert output == dict.fromkeys(output, 2)


def test_embed_prints_the_figure_before_anything_was_made(scene: Scene, visit: Visit) -> None:
    scene.stub.models = []

    output = figures(scene, visit)
    assert output == dict.fromkeys(output, 5)


def test_every_model_in_use_is_named_with_what_it_made(scene: Scene, visit: Visit) -> None:
    hardwon(scene.world, "embed")
    embedding = hardwon(scene.world, "stats", "--json").document["embedding"]
    findings = hardwon(scene.world, "doctor", "--json").document["findings"]
    details = {found["name"]: found["detail"] for found in findings}

    assert (embedding["model"], embedding["embedded"]) == (
        "nomic-embed-text, all-minilm, mxbai-embed-large",
        3,
    )
    assert "run `ollama pull all-minilm`" in embedding["trouble"]
    assert (
        details["vectors"]
        == "2 by nomic-embed-text, 0 by all-minilm, 1 by mxbai-embed-large, 2 missing"
    )
    assert details["search"] == "by meaning with ollama nomic-embed-text, and by word"
    [missing] = [found for found in findings if not found["ok"]]
    assert "run `ollama pull all-minilm`" in missing["detail"]
    message = visit(scene.world).answer("memory_stats")["message"]
    assert "5 memories, 3 embedded, 2 waiting" in message


def test_search_is_reported_with_a_model_that_answers(scene: Scene) -> None:
    scene.stub.models = ["mxbai-embed-large:latest"]
    hardwon(scene.world, "embed")
    findings = hardwon(scene.world, "doctor", "--json").document["findings"]

    [search] = [found["detail"] for found in findings if found["name"] == "search"]
    assert search == "by meaning with ollama mxbai-embed-large, and by word"


@pytest.mark.parametrize("command", ["embed", "index"])
def test_the_model_that_is_missing_is_offered_and_downloaded(scene: Scene, command: str) -> None:
    ran = at_a_terminal(scene.world, command, typed="y\n")

    assert (ran.code, ran.offered) == (0, ["all-minilm"])
    assert "all-minilm: success" in ran.screen  # the last word of the progress bar
    assert "5 vectors made, 0 missing." in ran.screen
    assert pulled(scene) == ["all-minilm"]


@pytest.mark.parametrize("command", ["embed", "index"])
def test_each_missing_model_is_offered_by_its_name(scene: Scene, command: str) -> None:
    scene.stub.models = []
    ran = at_a_terminal(scene.world, command, typed="n\ny\nn\n")

    assert ran.offered == list(WIDTHS)
    assert pulled(scene) == ["all-minilm"]
    assert "2 vectors made, 3 missing." in ran.screen


@pytest.mark.parametrize("command", ["embed", "index"])
def test_a_download_that_fails_does_not_block_others(scene: Scene, command: str) -> None:
    scene.stub.models = ["mxbai-embed-large:latest"]
    scene.stub.fault = Ollama(scene.stub, refused="nomic-embed-text")
    ran = at_a_terminal(scene.world, command, typed="y\ny\n")

    assert pulled(scene) == ["nomic-embed-text", "all-minilm"]
    assert NO_SPACE in ran.screen
    assert "Traceback" not in ran.screen
    assert "3 vectors made, 2 missing." in ran.screen
    assert ran.code == (2 if command == "embed" else 0)


def test_a_model_without_entries_is_not_offered(scene: Scene) -> None:
    scene.world.query("DELETE FROM entry WHERE kind = 'session'")
    ran = at_a_terminal(scene.world, "embed", typed="")

    assert (ran.code, ran.offered, pulled(scene)) == (0, [], [])


def test_without_ollama_nothing_is_offered(scene: Scene) -> None:
    scene.take_down()
    ran = at_a_terminal(scene.world, "index", typed="")

    assert (ran.code, ran.offered) == (0, [])
    assert "start it with `ollama serve`" in ran.screen


def test_without_a_terminal_nothing_is_asked(scene: Scene) -> None:
    done = hardwon(scene.world, "index")

    assert (done.code, "Download" in done.stderr) == (0, False)
    assert Counter(request.path for request in scene.requests())["/api/tags"] == 0


def test_re_embedding_all_needs_every_model_first(scene: Scene) -> None:
    scene.stub.models.append("all-minilm:latest")
    hardwon(scene.world, "embed")
    scene.stub.models.remove("all-minilm:latest")
    done = hardwon(scene.world, "embed", "--all")

    assert done.code == 2
    assert "run `ollama pull all-minilm`" in done.stderr
    assert scene.vectors() == {"ollama": 5}
