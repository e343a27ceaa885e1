"""Gemini CLI's payloads and answers, as host.md measured them."""

import json
from typing import Any

import pytest

from hardwon.domain.model.injection.neutral_text import FRAME_START
from hardwon.entrypoints.hook.request import from_payload, named_host, understood
from tests.entrypoints.hook_process import World

COMMON = {
    "session_id": "g1",
    "transcript_path": "/chats/g1.json",
    "cwd": "/",
    "timestamp": "2026-11-21T10:00:00Z",
}


def spoken(**fields: Any) -> Any:
    return json.loads(understood("gemini", json.dumps({**COMMON, **fields}).encode()).payload)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], (None, [])),
        (["--host", "gemini"], ("gemini", [])),
        (["--host=gemini"], ("gemini", [])),
        (["--host"], ("", [])),
        (["--limit", "3"], (None, ["--limit", "3"])),
    ],
)
def test_a_host_is_named_first(arguments: list[str], expected: tuple[str, list[str]]) -> None:
    assert named_host(arguments) == expected


def test_a_query_is_explained_without_what_was_injected_before() -> None:
    prompt = "first\n<hook_context>a block\nof lines</hook_context>\nsecond <hook_context>x</hook_context>"
    output = spoken(hook_event_name="BeforeAgent", prompt=prompt)

    assert (output["hook_event_name"], output["prompt"]) == ("UserPromptSubmit", "first\nsecond")
    assert "transcript_path" not in output
    assert from_payload(json.dumps(output).encode()).prompt == "first\nsecond"


def test_the_answer_of_the_agent_is_reported() -> None:
    fields = {
        "prompt": "<hook_context>x</hook_context>q",
        "prompt_response": "done",
        "stop_hook_active": False,
    }
    output = spoken(hook_event_name="AfterAgent", **fields)

    assert (output["hook_event_name"], output["last_assistant_message"]) == ("Stop", "done")
    assert "prompt" not in output


@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd", "PreCompress", "BeforeModel"])
def test_other_events_keep_their_names(event: str) -> None:
    assert spoken(hook_event_name=event, source="startup")["hook_event_name"] == event


@pytest.mark.parametrize(
    ("event", "named"),
    [("BeforeAgent", "BeforeAgent"), ("SessionStart", "SessionStart"), (3, "SessionStart")],
)
def test_a_block_is_answered_in_json_of_ascii(event: object, named: str) -> None:
    text = 'block "é"\n</hardwon-memory>\n'
    answer = understood("gemini", json.dumps({"hook_event_name": event}).encode()).answer(text)

    assert answer.isascii()
    assert json.loads(answer) == {
        "hookSpecificOutput": {"hookEventName": named, "additionalContext": text}
    }


@pytest.mark.parametrize(
    "payload",
    [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"hook_event_name": []}', b'{"prompt": 3}'],
)
def test_an_invalid_payload_does_no_harm(payload: bytes) -> None:
    assert from_payload(understood("gemini", payload).payload)


@pytest.mark.parametrize(
    ("host", "complaints"),
    [(None, 0), ("codex", 1), ("", 1), ("\x1b\n" * 10_000, 1)],
    ids=["none", "codex", "blank", "long"],
)
def test_another_host_is_read_and_answered_as_it_is(host: str | None, complaints: int) -> None:
    outcome = understood(host, b"x")

    assert (outcome.payload, outcome.answer("block"), len(outcome.complaints)) == (
        b"x",
        "block",
        complaints,
    )
    assert all(len(line) < 200 for line in outcome.complaints)


def test_a_host_that_is_unknown_costs_one_line_and_not_the_block(world: World) -> None:
    run = world.hook("--host", "nonsense")

    assert (run.code, len(run.log), len(run.stderr.splitlines())) == (0, 1, 1)
    assert "'nonsense'" in run.log[0]
    assert run.stdout.startswith(FRAME_START)


def test_the_hook_prints_its_block_as_gemini_reads_it(world: World) -> None:
    payload = {**world.session_start(), "timestamp": "2026-11-21T10:00:00Z"}
    plain, run = world.hook(payload=payload), world.hook("--host", "gemini", payload=payload)

    assert (run.code, run.stderr) == (0, "")
    specific = json.loads(run.stdout)["hookSpecificOutput"]
    assert specific == {
        "hookEventName": "SessionStart",
        "additionalContext": specific["additionalContext"],
    }
    assert specific["additionalContext"].splitlines()[:2] == plain.stdout.splitlines()[:2]
    assert specific["additionalContext"].endswith("</hardwon-memory>\n")
    assert (
        world.hook("--host", "gemini", payload={**payload, "hook_event_name": "PreCompress"}).stdout
        == ""
    )
