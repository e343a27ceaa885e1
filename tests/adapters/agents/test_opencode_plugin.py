"""The plugin for opencode, in a host that plays events to it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.agents.targets import plugin_text
from tests.machine import LONGEST_WAIT

NODE = shutil.which("node")
HOST = Path(__file__).with_name("fake_opencode.mjs")
RECORDER = """#!{python} -IS
import json, sys
payload = sys.stdin.read()
open({log!r}, "a").write(payload + "\\n")
event = json.loads(payload)["hook_event_name"]
lesson = {{"hookSpecificOutput": {{"hookEventName": event, "additionalContext": "a lesson"}}}}
print(json.dumps(lesson) if event in ("PostToolUseFailure", "SubagentStart") else "block of " + event)
"""

pytestmark = pytest.mark.skipif(
    NODE is None, reason="node, which opencode's plugins run on, is not on PATH"
)


def play(folder: Path, hook: str) -> Any:
    plugin = folder / "hardwon.mjs"
    plugin.write_text(plugin_text(hook), encoding="utf-8")
    done = subprocess.run(
        [str(NODE), str(HOST), str(plugin), str(folder)],
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_session_is_passed_to_the_hook_and_its_blocks_reach_the_system_prompt(
    tmp_path: Path,
) -> None:
    hook, log = tmp_path / "hardwon-hook", tmp_path / "log"
    hook.write_text(RECORDER.format(python=sys.executable, log=str(log)))
    hook.chmod(0o755)

    calls = play(tmp_path, str(hook))

    assert calls == {
        "plugins": 1,
        "first": ["the host's own", "block of SessionStart", "block of UserPromptSubmit"],
        "tools": ["printed\n\na lesson", "printed", "printed", "printed\n\na lesson"],
        "child": ["the host's own", "a lesson"],
        "none": ["the host's own"],
    }
    payloads = [json.loads(line) for line in log.read_text().splitlines()]
    assert {payload.pop("cwd") for payload in payloads} == {str(tmp_path)}
    of_resumed = [payload for payload in payloads if payload["session_id"] == "resumed"]
    of_first = [payload for payload in payloads if payload.pop("session_id") == "s1"]
    named = {
        "SessionStart": "source",
        "UserPromptSubmit": "prompt",
        "Stop": "last_assistant_message",
        "SubagentStart": "agent_id",
    }
    sent = sorted(
        (event["hook_event_name"], event.get(named.get(event["hook_event_name"], ""), ""))
        for event in of_first
    )
    assert sent == [
        ("PostToolUseFailure", ""),
        ("PostToolUseFailure", ""),
        ("PreCompact", ""),
        ("SessionEnd", ""),
        ("SessionStart", "compact"),
        ("SessionStart", "startup"),
        ("Stop", "the answer"),
        ("SubagentStart", "child"),
        ("SubagentStart", "grandchild"),
        ("UserPromptSubmit", "question"),
    ]
    assert [
        (event["agent_type"], event["prompt"])
        for event in of_first
        if event["hook_event_name"] == "SubagentStart"
    ] == [("general", "of a subagent"), ("general", "of its subagent")]
    failed = [event for event in of_first if event["hook_event_name"] == "PostToolUseFailure"]
    assert [event.pop("agent_id", "") for event in failed] == ["", "child"]
    assert (
        failed[0]
        == failed[1]
        == {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "bash",
            "tool_input": {"command": "make"},
            "tool_response": {"output": "printed"},
        }
    )
    assert [payload["source"] for payload in of_resumed if "source" in payload] == ["startup"]
    assert {payload.get("prompt") for payload in of_resumed} == {None, "later"}


def test_a_missing_or_failing_hook_is_ignored(tmp_path: Path) -> None:
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\necho no\nexit 3\n")
    failing.chmod(0o755)
    for hook in (str(tmp_path / "gone"), str(failing)):
        played = play(tmp_path, hook)
        assert played["first"] == ["the host's own"]
        assert played["tools"] == ["printed"] * 4
