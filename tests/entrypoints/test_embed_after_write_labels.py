"""Imported entries get their keyword labels by later writes, fifty each, without holding these up."""

import contextlib
import json
import time
from collections.abc import Callable

import pytest

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints import embed_after_write
from hardwon.entrypoints.bootstrap import open_memory
from tests.adapters.providers.kinds import raw, status
from tests.adapters.providers.stub_server import Answer
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visit
from tests.entrypoints.programs import bank, hardwon, run, upsert, write
from tests.entrypoints.provider_process import Scene, texts
from tests.machine import LONGEST_WAIT

HAIKU, OLLAMA = "/v1/messages", "/api/chat"
IMPORTED = 60
BATCH = 50
LABELS = ["retry-budget", "sqlite"]  # what the stub gives


@pytest.fixture
def scene(scene: Scene, empty_world: World) -> Scene:
    """Return a scene whose bank of 60 lessons the hook has imported, with a key for Haiku."""
    scene.configure(embedding_provider="off")
    scene.give_key("anthropic")
    empty_world.write_bank("patterns", bank(*(f"Lesson {number}" for number in range(IMPORTED))))
    scene.world.hook()
    assert scene.requests() == []
    assert unlabelled(empty_world) == IMPORTED
    return scene


def unlabelled(world: World) -> int:
    """Return how many imported entries have no keywords."""
    sql = "SELECT count(*) FROM entry JOIN entry_text ON entry_seq = seq WHERE source = 'import' AND keywords = '[]'"
    return int(world.query(sql)[0][0])


def label_requests(scene: Scene) -> list[str]:
    """Return the paths of the requests for labels since this was called last."""
    return [request.path for request in scene.requests() if request.path in {HAIKU, OLLAMA}]


def test_after_two_writes_the_imported_entries_have_keywords(scene: Scene) -> None:
    first = write(scene.world)
    assert (first.code, first.stderr) == (0, "")
    assert unlabelled(scene.world) == IMPORTED - BATCH
    assert label_requests(scene) == [HAIKU] * BATCH

    write(scene.world)
    assert unlabelled(scene.world) == 0
    assert label_requests(scene) == [HAIKU] * (IMPORTED - BATCH)
    stored = scene.world.query("SELECT DISTINCT keywords FROM entries WHERE source = 'import'")
    assert [json.loads(keywords) for (keywords,) in stored] == [LABELS]

    write(scene.world)
    assert label_requests(scene) == []


def test_labels_come_with_the_batches_of_vectors_and_no_vector_is_made_twice(scene: Scene) -> None:
    scene.configure(embedding_provider="ollama")
    write(scene.world)
    write(scene.world)
    requests = scene.requests()
    embedded = texts([request for request in requests if request.path == "/api/embed"])

    assert (scene.vectors(), unlabelled(scene.world)) == ({"ollama": IMPORTED + 1}, 0)
    assert len(embedded) == len(set(embedded)) == IMPORTED + 1


def test_a_lesson_that_was_written_without_labels_stays_so(scene: Scene) -> None:
    for _ in range(3):
        write(scene.world, keywords=[])

    assert unlabelled(scene.world) == 0
    assert scene.world.query("SELECT keywords FROM entries WHERE source != 'import'") == [("[]",)]


def save(world: World) -> None:
    assert hardwon(world, "save", "--description", "Worked on feeds.").code == 0


def index(world: World) -> None:
    assert hardwon(world, "index").code == 0


def update(world: World) -> None:
    [(entry_id,)] = world.query("SELECT id FROM entries LIMIT 1")
    assert hardwon(world, "update", entry_id, "--tag", "feeds").code == 0


def remember(world: World) -> None:
    assert hardwon(world, "remember", "Feeds come at noon.").code == 0


def capture(world: World) -> None:
    line = {
        "user": "When do feeds come?",
        "assistant": "At noon.",
        "timestamp": "2026-05-01T10:00:00Z",
    }
    assert run(world, "hardwon", "capture", stdin=json.dumps(line).encode()).code == 0


def write_retro(world: World) -> None:
    lesson = {
        "text": "Feeds come at noon.",
        "provenance": "Three late imports",
        "confidence": "high",
        "keywords": ["a"],
    }
    answer = json.dumps({"act": {"patterns": [lesson]}}).encode()
    done = run(world, "hardwon", "retro", "write", "-", stdin=answer)
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("change", [save, index, update, remember, capture, write_retro])
def test_every_command_that_writes_labels_a_batch(
    scene: Scene, change: Callable[[World], None]
) -> None:
    change(scene.world)

    assert unlabelled(scene.world) == IMPORTED - BATCH


@pytest.mark.parametrize("command", ["save", "remember"])
def test_no_embed_asks_no_labeler_either(scene: Scene, command: str) -> None:
    given = {"save": ["--description", "Told."], "remember": ["Told."]}[command]
    assert hardwon(scene.world, command, *given, "--no-embed").code == 0

    assert label_requests(scene) == []


def test_store_memory_labels_imports_in_the_background(scene: Scene, visit: Visit) -> None:
    client = visit(scene.world)
    client.store(description="A number without its unit is misread.")
    wait_until(lambda: unlabelled(scene.world) == IMPORTED - BATCH)
    client.store(description="A moment without its zone is misread.")
    wait_until(lambda: unlabelled(scene.world) == 0)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("provider", ["off", "claude"])
def test_no_provider_is_asked_where_labels_are_off(scene: Scene, provider: str) -> None:
    scene.configure(embedding_provider="off", keyword_provider=provider)
    write(scene.world)

    assert scene.requests() == []
    assert unlabelled(scene.world) == IMPORTED


def test_a_write_ends_its_batch_when_no_labeler_answers(scene: Scene) -> None:
    scene.stub.fault = status(500)
    done = write(scene.world)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Stored: ")
    assert label_requests(scene) == [HAIKU, OLLAMA]
    assert unlabelled(scene.world) == IMPORTED


def test_a_labeler_that_hangs_holds_a_write_up_once(scene: Scene) -> None:
    scene.configure(embedding_provider="off", keyword_provider="haiku")
    scene.stub.hangs_before = True
    done = run(scene.world, "hardwon-writer", *upsert())

    assert (done.code, done.stderr) == (0, "")
    assert label_requests(scene) == [HAIKU]


def test_a_slow_labeler_holds_a_write_up_for_a_bounded_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in scene.world.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(embed_after_write, "LABEL_SECONDS", 2.0)
    scene.stub.fault = lambda _: time.sleep(0.5)
    settings = Settings(
        global_store=str(scene.world.store), embedding_provider="off", keyword_provider="haiku"
    )
    memory = open_memory(settings, lambda _: None)
    with contextlib.closing(memory):
        embed_after_write.label_imports(memory.store, memory.settings)

    assert 1 <= IMPORTED - unlabelled(scene.world) <= 4


def test_an_entry_that_a_labeler_finds_no_words_for_does_not_block_others(scene: Scene) -> None:
    asked = list[str]()

    def speechless_at_first(answer: Answer) -> None:
        asked.append(scene.stub.requests[-1].path)
        if len(asked) <= 2:  # Haiku and Ollama, for the first entry
            raw(b'{"content": [{"type": "text", "text": "I would rather not."}]}')(answer)

    scene.stub.fault = speechless_at_first
    write(scene.world)

    assert asked[:3] == [HAIKU, OLLAMA, HAIKU]
    assert unlabelled(scene.world) == IMPORTED - BATCH + 1


def test_entries_that_labelers_find_no_words_for_do_not_keep_the_others_from_their_turn(
    scene: Scene,
) -> None:
    tried_first = "SELECT name FROM entries ORDER BY updated_at DESC, id LIMIT 10"
    failing = [f"{name}\n" for (name,) in scene.world.query(tried_first)]

    def speechless(answer: Answer) -> None:
        if any(name in prompt_of(scene) for name in failing):
            raw(b'{"content": [{"type": "text", "text": "I would rather not."}]}')(answer)

    scene.stub.fault = speechless
    for failed in (5, 10):
        write(scene.world)
        assert label_requests(scene) == [HAIKU, OLLAMA] * 5, failed

    write(scene.world)
    assert label_requests(scene) == [HAIKU] * BATCH
    assert unlabelled(scene.world) == len(failing)


def prompt_of(scene: Scene) -> str:
    """Return what the last request asked."""
    return str(scene.stub.requests[-1].body["messages"][-1]["content"])
