"""`hardwon remember`: a text or the current conversation is kept permanently and found."""

import os
from typing import Any

import pytest

from hardwon.adapters.sqlite.capture_journal import CaptureLock
from hardwon.domain.model.errors import StorageError
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.entrypoints.capture import Remembering
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.sessions import Conversation, statuses, written
from tests.strategies import DAY

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
RULE = "The staging database is read-only on Fridays."


@pytest.fixture
def world(empty_world: World) -> World:
    """Return an empty project whose questions are answered by keyword."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def sections(world: World) -> list[str]:
    return [line for line in written(world).splitlines() if line.startswith("<!-- ANCHOR:")]


def conversations(world: World) -> list[dict[str, Any]]:
    """Return the store's entries of conversations."""
    entries: list[dict[str, Any]] = hardwon(world, "list", "--in", "conversations", "--json").items
    return entries


def test_a_text_becomes_a_permanent_conversation_that_is_found(world: World) -> None:
    done = hardwon(world, "remember", f"{RULE} Not on Mondays.", "--json")
    [file] = done.document["files"]
    entry = conversations(world)[0]
    answer = hardwon(
        world, "recall", "--in", "conversations", "--json", "staging database on Fridays"
    ).items[0]

    assert file.startswith(f"{world.project.resolve()}/memory/conversations/")
    assert "permanent: true" in written(world)
    assert "[PERMANENT] The staging database" in written(world)
    assert (entry["permanent"], entry["kind"], entry["file_path"]) == (True, "conversation", file)
    assert (answer["id"], answer["permanent"]) == (entry["id"], True)
    assert "read-only on Fridays" in done.document["summary"]


def test_a_kept_conversation_is_confirmed_by_its_summary(world: World) -> None:
    done = hardwon(world, "remember", RULE)

    assert done.code == 0
    assert done.stdout.splitlines()[0] == f"Remembered permanently: {RULE}"
    assert done.stdout.splitlines()[1].startswith("Saved: ")


def test_no_clean_up_takes_it_away(world: World) -> None:
    hardwon(world, "remember", RULE)
    entry = conversations(world)[0]
    assert hardwon(world, "update", entry["id"], "--tier", "temporary").code == 0
    with world.opened(embedding_provider="off") as memory:
        assert retire_expired(memory.repository, memory.clock.now() + 1_000 * DAY) == ()

    assert hardwon(world, "recall", RULE, "--json").items[0]["id"] == entry["id"]


@pytest.mark.parametrize(
    "text", ["", " \n", "<private>all of it</private>"], ids=["empty", "blank", "private"]
)
def test_a_text_that_says_nothing_is_refused(world: World, text: str) -> None:
    done = hardwon(world, "remember", text)

    assert (done.code, done.stdout) == (1, "")
    assert "nothing to remember" in done.stderr
    assert written(world) == ""


def test_a_piped_text_is_kept_without_its_secrets(world: World) -> None:
    done = run(
        world,
        "hardwon",
        "remember",
        "-",
        stdin=f"Deploy with {KEY} from {world.project}/deploy.sh".encode(),
    )

    assert done.code == 0
    assert "Deploy with [REDACTED] from deploy.sh" in written(world)
    assert KEY not in written(world)


def test_without_a_text_the_conversation_of_the_session_is_kept(world: World) -> None:
    for session_id, minute in (("other", "We decided on tabs."), ("mine", "We decided on spaces.")):
        Conversation(world, session_id).say("What indents the parser?", minute)
    world.variables["CLAUDE_CODE_SESSION_ID"] = "other"
    by_name = hardwon(world, "remember")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "never heard of"
    newest = hardwon(world, "remember")

    assert (by_name.code, newest.code) == (0, 0), by_name.stderr + newest.stderr
    assert by_name.stdout.startswith("Remembered permanently: ")
    text = written(world)
    assert "We decided on tabs." in text
    assert "We decided on spaces." in text
    assert [status.waiting for status in statuses(world).values()] == [0, 0]
    assert len(sections(world)) == 2
    assert {entry["permanent"] for entry in conversations(world)} == {True}


def test_remembering_twice_keeps_it_once(world: World) -> None:
    Conversation(world).say("What indents the parser?", "We decided on spaces.")
    for _ in range(2):
        assert hardwon(world, "remember").code == 0

    assert len(sections(world)) == 1


def test_the_turn_that_asks_for_it_is_left_for_later(world: World) -> None:
    conversation = Conversation(world)
    conversation.say("What indents the parser?", "We decided on spaces.")
    conversation.note("prompt", "/hardwon:remember")
    assert hardwon(world, "remember").code == 0

    assert "/hardwon:remember" not in written(world)
    assert statuses(world)["first"].waiting == 1


def test_with_nothing_captured_the_error_says_what_to_do(world: World) -> None:
    elsewhere = Conversation(world)
    here, world.project = world.project, world.folder / "elsewhere"
    world.project.mkdir()
    elsewhere.say("What indents the parser?", "We decided on spaces.")
    world.project = here
    done = hardwon(world, "remember")

    assert (done.code, done.stdout) == (1, "")
    assert "hardwon remember 'TEXT'" in done.stderr


def test_utterances_stay_in_their_project(world: World) -> None:
    here = world.project
    conversation = Conversation(world, "mine")
    conversation.say("What indents the parser?", "We decided on spaces.")
    world.project = world.folder / "elsewhere"
    world.project.mkdir()
    conversation.say("And the reader?", "Spaces too.")
    refused = hardwon(world, "remember")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "mine"
    done = hardwon(world, "remember")
    elsewhere, world.project = written(world), here

    assert (refused.code, done.code, elsewhere) == (1, 0, "")
    assert "We decided on spaces." in written(world)
    assert "Spaces too." in written(world)


def test_a_capture_at_work_is_waited_for_but_not_for_ever(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.entrypoints.capture.PATIENCE_SECONDS", 0.0)
    Conversation(world).say("What indents the parser?", "We decided on spaces.")
    lock = CaptureLock(str(world.store))
    assert lock.acquire(0.0)

    with (
        world.opened(embedding_provider="off") as memory,
        pytest.raises(StorageError, match="try again"),
    ):
        Remembering(memory=memory, project_root=str(world.project)).session({})
    lock.release()
    assert statuses(world)["first"].waiting == 2


def test_without_its_provider_it_is_kept_and_found_by_word(world: World) -> None:
    world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "ollama", "OLLAMA_HOST": "http://127.0.0.1:9"}
    done = hardwon(world, "remember", RULE)
    found = hardwon(world, "recall", "--in", "conversations", "staging database on Fridays")

    assert (done.code, found.code) == (0, 0)
    assert "Warning: " in done.stderr
    assert "(permanent)" in found.stdout


def test_bytes_that_are_no_text_are_refused(world: World) -> None:
    done = hardwon(world, "remember", os.fsdecode(b"gr\xf6\xdfe is kept"))

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "the text is not UTF-8" in done.stderr
    assert not (world.project / "memory").exists()
