"""A server that does not answer in a session: processes answer, and doctor says why."""

import json
import os

import pytest

from hardwon.adapters.server_mark import ServerMark
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, entry

PROMPT = "Where should the release image of the shop be signed?"
REPLY = "We decided: sign the image once, in the build."
SLOW = {"type": "hook_cancelled", "command": "mine/hardwon_hook", "hookEvent": "UserPromptSubmit"}
GONE = {"type": "hook_non_blocking_error", "stderr": "MCP server 'mine' not connected"}
LINES = {
    "hook_cancelled": "MCP server 'mine' gave no answer in time: hardwon-hook answers until it does",
    "hook_non_blocking_error": "MCP server 'mine' not connected: hardwon-hook answers until it does",
}


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables |= {
        "HARDWON_EMBEDDING_PROVIDER": "off",
        "HARDWON_CAPTURE_ENABLED": "true",
        "CLAUDE_PID": str(os.getpid()),
    }
    empty_world.remember(entry("Herd", "The herd is locked before it is counted."))
    return empty_world


def is_marked(world: World) -> bool:
    return (world.store / f"answering-{os.getpid()}").exists()


def turn(world: World, *hooks: dict[str, str]) -> str:
    """End a turn whose prompt no process was told, and return its warning."""
    conversation = Conversation(world)
    conversation.write(PROMPT, REPLY)
    with conversation.transcript.open("a", encoding="utf-8") as file:
        for hook in hooks:
            file.write(json.dumps({"type": "attachment", "attachment": hook}) + "\n")
    ServerMark(str(world.store), os.getpid()).set()
    run = conversation.hook("Stop", last_assistant_message=REPLY, stop_hook_active=False)
    assert (run.code, run.stdout) == (0, "")
    return run.stderr


@pytest.mark.parametrize("hook", [SLOW, GONE], ids=["slow", "gone"])
def test_after_a_turn_without_an_answer_processes_return_and_doctor_says_why(
    world: World, hook: dict[str, str]
) -> None:
    line = LINES[hook["type"]]
    assert (turn(world), is_marked(world)) == ("", True)
    assert (turn(world, hook), is_marked(world)) == (f"Warning: {line}\n", False)
    assert turn(world, hook) == ""  # told once
    assert hardwon(world, "doctor").stdout.count(line) == 1


@pytest.mark.parametrize("process", ["", "x", "-1", "99999999999999999999"])
def test_without_a_known_client_it_is_told_all_the_same(world: World, process: str) -> None:
    world.variables["CLAUDE_PID"] = process
    assert turn(world, GONE) == f"Warning: {LINES[GONE['type']]}\n"
    assert is_marked(world)


def test_a_prompt_that_no_hook_was_told_is_captured_from_the_transcript(world: World) -> None:
    turn(world, SLOW)
    Conversation(world).hook("SessionEnd", reason="other")
    Worker(str(world.store), str(world.project)).run()

    texts = [file.read_text() for file in (world.project / "memory").rglob("*.md")]
    assert any(PROMPT in text for text in texts)
