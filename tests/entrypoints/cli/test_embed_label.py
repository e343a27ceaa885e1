"""`hardwon label` gives entries the keyword labels that they lack."""

import json
from collections.abc import Callable

import pytest

from tests.adapters.providers.kinds import Fault, raw, status
from tests.adapters.providers.stub_server import Answer
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import VALID, hardwon, write
from tests.entrypoints.provider_process import KEY, Scene, diagnostic
from tests.fakes.doors import Ran

BARE = {"keywords": [], "reasoning": "Feet and metres met."}
HAIKU, OLLAMA = "/v1/messages", "/api/chat"
LABELS = ["retry-budget", "sqlite"]  # what the stub gives


@pytest.fixture
def scene(scene: Scene, empty_world: World) -> Scene:
    """Return a scene with one entry without labels, and a key for Haiku."""
    scene.configure(embedding_provider="off")
    write(empty_world, **BARE)
    scene.give_key("anthropic")
    assert scene.requests() == []
    return scene


def labels(world: World) -> list[list[str]]:
    """Return every entry's labels, in the order they were written."""
    return [
        json.loads(text)
        for (text,) in world.query("SELECT keywords FROM entry_text ORDER BY entry_seq")
    ]


def paths(scene: Scene) -> list[str]:
    return [request.path for request in scene.requests()]


def at(scene: Scene, path: str, fault: Fault) -> Fault:
    """Return *fault* for requests to *path* only."""
    return lambda answer: fault(answer) if scene.stub.requests[-1].path == path else None


def answering(text: str) -> Fault:
    """Let Haiku answer *text*."""
    return raw(json.dumps({"content": [{"type": "text", "text": text}]}).encode())


def assert_no_labels(scene: Scene, done: Ran) -> None:
    assert done.code == 0
    assert done.stdout == "0 entries labelled, 1 without labels.\n"
    [warning] = done.stderr.splitlines()
    assert warning.startswith("Warning: 1 entry got no labels: ")
    assert KEY[:8] not in warning
    assert labels(scene.world) == [[]]
    scene.stub.fault = None
    assert "fts5=1" in diagnostic(scene.world.hook())


def test_labels_are_stored_and_an_entry_is_found_by_them_alone(scene: Scene) -> None:
    before = scene.world.query("SELECT id, updated_at, observation_count FROM entries")
    done = hardwon(scene.world, "label")

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == "1 entry labelled, 0 without labels.\n"
    assert labels(scene.world) == [LABELS]
    assert paths(scene) == [HAIKU]
    assert scene.world.query(
        "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'retry'"
    ) == [(1,)]
    assert scene.world.query("SELECT id, updated_at, observation_count FROM entries") == before


def test_the_hook_finds_an_entry_by_its_labels(scene: Scene) -> None:
    scene.world.write_feature(
        "008-retries",
        {"slug": "sqlite", "status": "active", "lastCompletedPhase": "design"},
        spec="# Spec\n\nRetry budget of sqlite.\n",
    )
    (scene.world.project / "docs/features/007-csv-reader/.meta.json").unlink()
    assert "fts5=0" in diagnostic(scene.world.hook())
    hardwon(scene.world, "label")

    assert "fts5=1" in diagnostic(scene.world.hook())


def test_the_request_carries_the_entry_and_the_rules(scene: Scene) -> None:
    hardwon(scene.world, "label")
    [request] = scene.requests()
    [message] = request.body["messages"]
    prompt = message["content"]

    assert request.headers["x-api-key"] == KEY
    assert request.body["model"] == "claude-haiku-4-5"
    for part in (VALID["name"], VALID["description"], VALID["category"], BARE["reasoning"]):
        assert str(part) in prompt
    for rule in (
        "3-10 keyword labels from this knowledge-bank entry",
        "ONLY a JSON array of lowercase strings",
        '["fts5", "sqlite", "content-hash", "parser-error"]',
        "Minimum 3 labels, maximum 10",
        "tool names, patterns, file types, techniques",
        "1-3 words a label, lowercase, joined by hyphens",
        "generic words",
    ):
        assert rule in prompt


FAILURES: dict[str, Fault] = {
    "500": status(500),
    "401": status(401, {"error": {"message": KEY}}),
    "no list": answering("?"),
}


@pytest.mark.parametrize("fault", FAILURES.values(), ids=FAILURES)
def test_ollama_is_asked_when_haiku_fails(scene: Scene, fault: Fault) -> None:
    scene.stub.fault = at(scene, HAIKU, fault)
    done = hardwon(scene.world, "label")

    assert (done.code, done.stderr) == (0, "")
    assert paths(scene) == [HAIKU, OLLAMA]
    assert labels(scene.world) == [LABELS]


def test_without_a_key_only_ollama_is_asked(scene: Scene) -> None:
    scene.take_key("anthropic")
    hardwon(scene.world, "label")

    assert paths(scene) == [OLLAMA]
    assert labels(scene.world) == [LABELS]


@pytest.mark.parametrize(("provider", "path"), [("haiku", HAIKU), ("ollama", OLLAMA)])
def test_a_labeler_that_is_named_is_the_only_one(scene: Scene, provider: str, path: str) -> None:
    scene.configure(embedding_provider="off", keyword_provider=provider, keyword_model="of-our-own")
    scene.stub.fault = status(500)
    done = hardwon(scene.world, "label")
    [request] = scene.requests()

    assert (request.path, request.body["model"]) == (path, "of-our-own")
    assert_no_labels(scene, done)


def break_everything(scene: Scene) -> None:
    scene.stub.fault = status(500)


ALL_FAIL: dict[str, Callable[[Scene], None]] = {"500": break_everything, "down": Scene.take_down}


@pytest.mark.parametrize("problem", ALL_FAIL.values(), ids=ALL_FAIL)
def test_when_everyone_fails_the_entry_stays_as_it_was(
    scene: Scene, problem: Callable[[Scene], None]
) -> None:
    problem(scene)
    done = hardwon(scene.world, "label")

    assert "Anthropic at 127.0.0.1" in done.stderr
    assert "Ollama at 127.0.0.1" in done.stderr
    assert_no_labels(scene, done)


def test_a_labeler_that_hangs_is_left_behind(scene: Scene) -> None:
    scene.configure(embedding_provider="off", keyword_provider="haiku")
    scene.stub.hangs_before = True
    done = hardwon(scene.world, "label")

    assert_no_labels(scene, done)


def test_labels_that_break_the_rules_are_dropped_one_by_one(scene: Scene) -> None:
    scene.stub.fault = answering(
        'Here: ["ok-label", "bad\\"x", "Two Words", "software", "C++", "fts5"]'
    )
    hardwon(scene.world, "label")

    [kept] = labels(scene.world)
    assert {"ok-label", "fts5"} <= set(kept)
    assert all(set(label) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for label in kept)
    assert "software" not in kept


@pytest.mark.parametrize("provider", ["off", "claude"])
def test_without_a_labeler_the_setting_is_named(scene: Scene, provider: str) -> None:
    scene.configure(embedding_provider="off", keyword_provider=provider)
    done = hardwon(scene.world, "label")

    assert (done.code, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert f"memory_keyword_provider: it is {provider!r}, which asks nobody" in line
    assert (paths(scene), labels(scene.world)) == ([], [[]])


def test_the_writer_asks_for_no_labels(scene: Scene) -> None:
    done = write(
        scene.world,
        name="Second",
        description="Written with a labeler in reach.",
        keywords=[],
        reasoning="",
    )

    assert done.code == 0
    assert labels(scene.world) == [[], []]
    assert paths(scene) == []


def test_running_again_labels_only_the_rest(scene: Scene) -> None:
    for number in range(2):
        write(
            scene.world,
            name=f"Other {number}",
            description=f"Something else, number {number}.",
            **BARE,
        )
    write(scene.world, name="Labelled", description="It came with its labels.")
    scene.requests()

    first = hardwon(scene.world, "label", "--limit", "1", "--json")
    assert first.document == {"labelled": 1, "failed": 0, "without_labels": 2}
    assert len(scene.requests()) == 1
    second = hardwon(scene.world, "label", "--json")
    assert second.document == {"labelled": 2, "failed": 0, "without_labels": 0}
    assert len(scene.requests()) == 2
    third = hardwon(scene.world, "label")
    assert (third.code, third.stdout, paths(scene)) == (
        0,
        "0 entries labelled, 0 without labels.\n",
        [],
    )
    assert labels(scene.world) == [LABELS, LABELS, LABELS, ["unit", "number", "reading"]]


def test_one_entry_that_fails_does_not_hold_up_the_next(scene: Scene) -> None:
    write(scene.world, name="Other", description="Something else.", **BARE)
    scene.configure(embedding_provider="off", keyword_provider="haiku")

    def fail_for_other(answer: Answer) -> None:
        if "Something else" in str(scene.stub.requests[-1].body):
            status(500)(answer)

    scene.stub.fault = fail_for_other
    done = hardwon(scene.world, "label")

    assert (done.code, labels(scene.world)) == (0, [LABELS, []])
    assert done.stdout == "1 entry labelled, 1 without labels.\n"
    assert done.stderr.startswith("Warning: 1 entry got no labels: Anthropic at 127.0.0.1")


def test_no_secret_is_sent_to_a_labeler(scene: Scene) -> None:
    access_key = "AKIAIOSFODNN7EXAMPLE"
    write(scene.world, name="Secret", description=f"Found {access_key} in a log.", **BARE)
    hardwon(scene.world, "label")
    prompts = "".join(str(request.body) for request in scene.requests())

    assert "[REDACTED]" in prompts
    assert access_key not in prompts
    assert scene.holds(access_key) == []


def test_labels_leave_the_vector_as_it_is(scene: Scene) -> None:
    scene.configure(embedding_provider="ollama")
    write(scene.world, **BARE)
    before = scene.world.query("SELECT embedding FROM entries")
    hardwon(scene.world, "label")

    assert labels(scene.world) == [LABELS]
    assert scene.world.query("SELECT embedding FROM entries") == before
    assert before != [(None,)]
