"""Injection at moments of action: the hook on a store that is searched by word."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.entrypoints.hook_process import Run, World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry
from tests.tool_transcripts import Recording

ERROR = "ModuleNotFoundError: No module named 'yaml'"
LESSON = f"`{ERROR}` on CI: the cached venv is stale, bump the key of its cache."
HERD = "The herd is locked before it is counted."
SILENT = (0, "", "")


def failure(world: World, **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "one",
        "cwd": str(world.project),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "error": f"Exit code 1\nTraceback (most recent call last):\n{ERROR}",
        "is_interrupt": False,
        **fields,
    }


def after(world: World, payload: object) -> Run:
    return world.hook(payload=payload)


def outcome(run: Run) -> tuple[int, str, str]:
    return run.code, run.stdout, run.stderr


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = World(tmp_path_factory.mktemp("moment"), contextlib.ExitStack())
    world.remember(
        entry("Stale venv", LESSON),
        attrs.evolve(entry("Herd", HERD), references=("src/herd/zebra_quux.py:7",)),
        *(entry(f"Filler {n}", f"filler number {n}") for n in range(60)),
    )
    return world.store


@pytest.fixture
def world(empty_world: World, filled: Path) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    shutil.copytree(filled, empty_world.store)
    return empty_world


def test_the_lesson_comes_as_the_hosts_json_once_a_session_and_agent(world: World) -> None:
    first, second = after(world, failure(world)), after(world, failure(world))
    subagent = after(world, failure(world, agent_id="a10f", agent_type="reviewer"))

    answer = json.loads(first.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PostToolUseFailure"
    assert LESSON in answer["additionalContext"]
    assert len(answer["additionalContext"]) <= 1_200
    assert outcome(second) == SILENT
    assert json.loads(subagent.stdout)["hookSpecificOutput"] == answer
    assert world.query("SELECT event, query, signature, agent FROM receipt ORDER BY number") == [
        ("failure", "pytest -q", ERROR, ""),
        ("failure", "pytest -q", ERROR, "a10f"),
    ]


def given(path: Path, *runs: Run) -> None:
    """Write a transcript of Claude Code that shows what *runs* of the hook printed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [json.loads(run.stdout)["hookSpecificOutput"]["additionalContext"] for run in runs]
    line = {"type": "attachment", "attachment": {"type": "hook_additional_context"}}
    line["attachment"]["content"] = texts  # type: ignore[index]
    path.write_text(f"{json.dumps(line)}\n")


def test_the_transcript_of_each_agent_decides_for_it(world: World) -> None:
    path = world.project / "one.jsonl"
    transcript = {"transcript_path": str(path)}
    agents = ("", "a10f", "b20e", "../c30d")
    own, seen, *_ = [after(world, failure(world, **transcript, agent_id=agent)) for agent in agents]
    given(path, own)
    given(path.with_suffix("") / "subagents" / "agent-a10f.jsonl", seen)
    given(path.with_suffix("") / "subagents" / "agent-b20e.jsonl")
    stop = failure(world, hook_event_name="Stop", last_assistant_message="Done.", **transcript)
    after(world, stop)

    assert world.query("SELECT agent, delivery FROM receipt ORDER BY number") == [
        ("", "delivered"),
        ("a10f", "delivered"),
        ("b20e", "missed"),
        ("../c30d", "printed"),
    ]


def test_the_transcript_of_a_subagent_of_codex_is_in_the_folder_of_the_sessions(
    world: World,
) -> None:
    path = world.project / "rollout-2026-11-26T04-08-12-one.jsonl"
    transcript = {"transcript_path": str(path)}
    own, seen = (
        after(world, failure(world, **transcript, agent_id=agent)) for agent in ("", "a10f")
    )
    given(path, own)
    given(world.project / "rollout-2026-11-26T04-08-13-a10f.jsonl", seen)
    after(world, failure(world, hook_event_name="Stop", last_assistant_message="x", **transcript))

    assert world.query("SELECT delivery FROM receipt") == [("delivered",), ("delivered",)]


@pytest.mark.parametrize(
    ("source", "is_again"), [("compact", True), ("clear", True), ("resume", False)]
)
def test_without_blocks_too_a_lesson_comes_again_in_an_emptied_window(
    world: World, source: str, *, is_again: bool
) -> None:
    world.variables["HARDWON_INJECTION_LIMIT"] = "0"
    after(world, failure(world))
    start = {**failure(world), "hook_event_name": "SessionStart", "source": source}

    assert outcome(after(world, start)) == SILENT
    assert (LESSON in after(world, failure(world)).stdout) is is_again


def test_a_command_that_passes_imports_no_search(world: World) -> None:
    passed = {"stdout": "12 passed", "stderr": "", "interrupted": False}
    run, modules = world.launch(
        payload=failure(world, hook_event_name="PostToolUse", tool_response=passed, error=None)
    )

    assert outcome(run) == SILENT
    assert "hardwon.entrypoints.moments" in modules
    assert not {f"hardwon.domain.use_cases.{name}" for name in ("retrieve", "rank")} & modules


def test_a_failure_that_a_pipe_hid_is_answered(world: World) -> None:
    hidden = failure(
        world,
        hook_event_name="PostToolUse",
        tool_input={"command": "pytest -q | tail -3"},
        tool_response={"stdout": f"Traceback (most recent call last):\n{ERROR}", "stderr": ""},
        error=None,
    )

    assert LESSON in after(world, hidden).stdout


def test_of_an_output_only_the_signature_is_kept(world: World) -> None:
    output = f"Exit code 1\nloading ledger of Jonas Feldgrau\n{ERROR}\nJonas Feldgrau aborted"
    command = "cd /srv/feldgrau && LEDGER=feldgrau pytest -q | tee feldgrau.log"
    answered = after(world, failure(world, error=output, tool_input={"command": command}))
    kept = b"".join(path.read_bytes() for path in world.store.rglob("*") if path.is_file())

    assert LESSON in answered.stdout
    assert ERROR.encode() in kept
    assert b"feldgrau" not in kept.lower()


def test_why_tells_the_moment_and_proves_it(world: World) -> None:
    after(world, failure(world))
    explained, proved = hardwon(world, "why", "one"), hardwon(world, "why", "one", "--verify")

    assert "failed command in" in explained.stdout
    assert "command  pytest -q" in explained.stdout
    assert f"error    {ERROR}" in explained.stdout
    assert "wins: probability" in explained.stdout
    assert (proved.code, proved.stdout.rstrip().endswith("verified")) == (0, True)
    [document] = hardwon(world, "why", "one", "--json").items
    assert (document["event"], document["signature"]) == ("failure", ERROR)


def opened(world: World, path: str = "src/herd/zebra_quux.py", **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "one",
        "cwd": str(world.project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": str(world.project / path)},
        "tool_response": {"type": "text", "file": {"filePath": path, "content": "x = 1"}},
        **fields,
    }


def test_the_lesson_of_an_opened_file_comes_once_a_session(world: World) -> None:
    runs = [after(world, opened(world)) for _ in range(2)]

    answer = json.loads(runs[0].stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PostToolUse"
    assert HERD in answer["additionalContext"]
    assert len(answer["additionalContext"]) <= 1_200
    assert outcome(runs[1]) == SILENT
    assert outcome(after(world, opened(world, "src/herd/quux.py"))) == SILENT
    assert world.query("SELECT event, query FROM receipt") == [("file", "src/herd/zebra_quux.py")]
    proved = hardwon(world, "why", "one", "--verify")
    assert (proved.code, proved.stdout.rstrip().endswith("verified")) == (0, True)
    assert "opened file in" in hardwon(world, "why", "one").stdout


@pytest.mark.parametrize("setting", ["MOMENTS_ENABLED", "INJECTION_ENABLED", "SEMANTIC_ENABLED"])
def test_a_setting_switches_it_off(world: World, setting: str) -> None:
    world.variables[f"HARDWON_{setting}"] = "false"

    assert outcome(after(world, failure(world))) == SILENT


def test_a_pause_silences_it(world: World) -> None:
    assert hardwon(world, "pause").code == 0
    assert outcome(after(world, failure(world))) == SILENT


@pytest.mark.parametrize(
    "fields",
    [
        {"error": ""},
        {"error": 7},
        {"error": "\x00\x1b[31m" * 9_000},
        {"error": "E " * 200_000},
        {"tool_input": {"command": f"python - <<'E'\n{'x' * 100_000}\nE"}, "error": "x"},
        {"tool_name": "Unknown"},
        {"tool_name": None},
        {
            "hook_event_name": "PostToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": "a\0b"},
        },
        {
            "hook_event_name": "PostToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": "/x" * 9_000},
        },
        {"session_id": None, "error": "Exit code 139"},
        {"error": "Exit code 1\n\ud800 Fehler: Datei nicht gefunden"},
    ],
    ids=range(11),
)
def test_bad_input_says_nothing(world: World, fields: dict[str, Any]) -> None:
    assert outcome(after(world, failure(world, **fields))) == SILENT
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


TASK = f"Find out why CI says `{ERROR}` when it runs pytest"


def of_subagent(world: World, event: str, agent: str = "a10f", **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "one",
        "cwd": str(world.project),
        "hook_event_name": event,
        "agent_id": agent,
        "agent_type": "general-purpose",
        **fields,
    }


def transcript_with(world: World, *calls: tuple[str, str, str]) -> dict[str, str]:
    """Write the transcript of Claude Code as a subagent starts."""
    path = world.folder / "one.jsonl"
    lines = []
    for name, task, agent in calls:
        given = {"subagent_type": "general-purpose", "prompt": task}
        call = {"type": "tool_use", "id": name, "name": "Agent", "input": given}
        lines.append({"type": "assistant", "message": {"content": [call]}})
        result = {"type": "tool_result", "tool_use_id": name}
        if agent:
            message = {"content": [result]}
            lines.append({"type": "user", "message": message, "toolUseResult": {"agentId": agent}})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return {"transcript_path": str(path)}


def test_a_subagent_of_claude_code_gets_the_lesson_for_its_task_once(world: World) -> None:
    transcript = transcript_with(world, ("c1", TASK, ""))
    runs = [after(world, of_subagent(world, "SubagentStart", **transcript)) for _ in range(2)]

    answer = json.loads(runs[0].stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SubagentStart"
    assert LESSON in answer["additionalContext"]
    assert outcome(runs[1]) == SILENT
    assert world.query("SELECT event, query, agent FROM receipt") == [("subagent", TASK, "a10f")]


def test_two_subagents_at_once_get_each_its_own_lesson(world: World) -> None:
    count = "Count the herd in zebra_quux.py: is it locked before?"
    transcript = transcript_with(world, ("c1", TASK, "a1"), ("c2", count, "a2"))
    second, first = (
        after(world, of_subagent(world, "SubagentStart", agent, **transcript)).stdout
        for agent in ("a2", "a1")
    )

    assert (LESSON in first, HERD in first) == (True, False)
    assert (LESSON in second, HERD in second) == (False, True)


def test_a_subagent_of_codex_is_answered_at_its_prompt_which_is_not_noted(world: World) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    answered = after(world, of_subagent(world, "UserPromptSubmit", prompt=TASK))
    for event in ("Stop", "SubagentStop", "SessionEnd", "SubagentStart"):
        ended = of_subagent(world, event, last_assistant_message=TASK, stop_hook_active=False)
        assert outcome(after(world, ended)) == SILENT

    answer = json.loads(answered.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert LESSON in answer["additionalContext"]
    assert not (world.store / "capture.db").exists()
    assert world.query("SELECT event, agent FROM receipt") == [("subagent", "a10f")]


@pytest.mark.parametrize("setting", ["MOMENTS_ENABLED", "INJECTION_ENABLED", "SEMANTIC_ENABLED"])
def test_a_setting_switches_subagents_off(world: World, setting: str) -> None:
    world.variables[f"HARDWON_{setting}"] = "false"

    assert outcome(after(world, of_subagent(world, "UserPromptSubmit", prompt=TASK))) == SILENT


def test_a_pause_silences_subagents(world: World) -> None:
    assert hardwon(world, "pause").code == 0
    assert outcome(after(world, of_subagent(world, "UserPromptSubmit", prompt=TASK))) == SILENT


def test_why_tells_the_task_and_proves_it(world: World) -> None:
    after(world, of_subagent(world, "UserPromptSubmit", prompt=TASK))
    explained, proved = hardwon(world, "why", "one"), hardwon(world, "why", "one", "--verify")

    assert "subagent in" in explained.stdout
    assert "session one, agent a10f" in explained.stdout
    assert f"task     {TASK}" in explained.stdout
    assert (proved.code, proved.stdout.rstrip().endswith("verified")) == (0, True)


def edited(world: World) -> dict[str, Any]:
    given = {"file_path": str(world.project / "ci.yml"), "old_string": "", "new_string": ERROR}
    return failure(
        world,
        hook_event_name="PostToolUse",
        tool_name="Edit",
        tool_input={**given, "new_string": f"pip install pyyaml # {ERROR} on CI: venv cache key"},
        error=None,
    )


def test_why_tells_and_proves_every_moment_of_a_session(world: World) -> None:
    payloads = (
        failure(world),
        opened(world),
        of_subagent(world, "UserPromptSubmit", prompt=TASK),
        {**edited(world), "agent_id": "b20e"},
    )
    for payload in payloads:
        assert after(world, payload).stdout
    documents = hardwon(world, "why", "one", "--json").items
    proved = hardwon(world, "why", "one", "--verify")

    assert [
        (item["event"], item["agent"], item["query"], item["signature"]) for item in documents
    ] == [
        ("failure", "", "pytest -q", ERROR),
        ("file", "", "src/herd/zebra_quux.py", ""),
        ("subagent", "a10f", TASK, ""),
        ("edit", "b20e", "ci.yml", ""),
    ]
    assert {item["delivery"] for item in documents} == {"printed"}
    assert [line.endswith(": verified") for line in proved.stdout.splitlines()] == [True] * 4


def test_a_moment_whose_receipt_was_changed_is_not_verified(world: World) -> None:
    after(world, failure(world))
    world.query("UPDATE receipt_entry SET score = score + 1")

    proved = hardwon(world, "why", "one", "--verify")
    assert (proved.code, "its parts do not give its score" in proved.stdout) == (1, True)


@pytest.mark.parametrize(
    ("code", "is_shown"), [(1, True), (3, True), (0, False), (None, False), (137, False)]
)
def test_codex_has_the_exit_code_of_a_command_in_its_transcript(
    world: World, code: int | None, *, is_shown: bool
) -> None:
    made = Recording("codex", root=str(world.project)).asks("Run it.")
    if code is not None:
        made.ends("python tools/seed.py", code)
    path = world.folder / "rollout-one.jsonl"
    path.write_text(made.text, encoding="utf-8")
    payload = failure(
        world,
        hook_event_name="PostToolUse",
        transcript_path=str(path),
        tool_input={"command": "python tools/seed.py"},
        tool_response=ERROR,  # which a command that passes may print
        error=None,
    )

    run = after(world, payload)

    assert (run.code, run.stderr) == (0, "")
    assert (LESSON in run.stdout) is is_shown
    assert (
        not is_shown
        or json.loads(run.stdout)["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    )
