"""Hook events answered by the running server as by a process."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import anyio
import attrs
import pytest

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.server_mark import PREFIX, guard
from hardwon.adapters.sqlite.capture_journal import SqliteCaptureJournal
from hardwon.entrypoints.hook.prompt import PromptStart
from hardwon.entrypoints.mcp.hook_events import NOTHING_TO_SAY, HookEvents, request_of
from hardwon.ports.agents import HOOK_TOOL
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, RawClient, Visit
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry
from tests.machine import LONGEST_WAIT
from tests.tool_transcripts import MISSING, Recording

ERROR = "ModuleNotFoundError: No module named 'yaml'"
STALE = f"`{ERROR}` on CI: the cached venv is stale, bump the key of its cache."
HERD = "The herd is locked before it is counted."
CHUNKS = (
    "A multi-byte character can straddle two chunks, and `chunk.decode()` of feed.read then fails:"
    " codecs.getincrementaldecoder keeps the unfinished bytes."
)
CODE = 'while chunk := feed.read(65536):\n    print(chunk.decode("utf-8"), end="")\n'


def event(world: World, name: str, tool: str, given: object, **fields: object) -> dict[str, Any]:
    """Return an event with objects as JSON text, as Claude Code sends it."""
    return {
        "hook_event_name": name,
        "session_id": "one",
        "transcript_path": "",
        "cwd": str(world.project),
        "agent_id": "",
        "tool_name": tool,
        "tool_input": json.dumps(given),
        "tool_response": {"stdout": "", "stderr": ""},
        **fields,
    }


def failure(world: World, **fields: object) -> dict[str, Any]:
    failed = {
        "error": f"Exit code 1\nTraceback (most recent call last):\n{ERROR}",
        "is_interrupt": "false",
        **fields,
    }
    return event(world, "PostToolUseFailure", "Bash", {"command": "pytest -q"}, **failed)


def opened(world: World, **fields: object) -> dict[str, Any]:
    path = str(world.project / "src/herd/zebra_quux.py")
    return event(world, "PostToolUse", "Read", {"file_path": path}, **fields)


def edited(world: World) -> dict[str, Any]:
    given = {"file_path": str(world.project / "feed.py"), "old_string": "", "new_string": CODE}
    return event(world, "PostToolUse", "Edit", given)


def asked(world: World, **fields: object) -> dict[str, Any]:
    prompt = f"Why does CI say {ERROR} although the venv is cached?"
    common = ("hook_event_name", "session_id", "transcript_path", "cwd")
    given = {name: event(world, "UserPromptSubmit", "", {})[name] for name in common}
    return {**given, "prompt": prompt, "source": "", **fields}


def piped(world: World) -> dict[str, Any]:
    output = {"stdout": f"Traceback (most recent call last):\n{ERROR}", "stderr": ""}
    command = {"command": "pytest -q | tail -3"}
    return event(world, "PostToolUse", "Bash", command, tool_response=output)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = World(tmp_path_factory.mktemp("events"), contextlib.ExitStack())
    world.remember(
        entry("Stale venv", STALE),
        attrs.evolve(entry("Herd", HERD), references=("src/herd/zebra_quux.py:7",)),
        entry("Decode chunks incrementally", CHUNKS),
        *(entry(f"Filler {n}", f"filler number {n}") for n in range(60)),
    )
    return world.store


@pytest.fixture
def world(world: World, filled: Path) -> World:
    shutil.copytree(filled, world.store)
    return world


def context(answer: dict[str, Any]) -> str:
    """Return the text for the model in the answer of the tool."""
    [block] = answer["content"]
    assert not answer["isError"]
    assert "structuredContent" not in answer
    output = json.loads(block["text"]).get("hookSpecificOutput", {})
    return str(output.get("additionalContext", ""))


@pytest.mark.parametrize(
    ("make", "lesson"),
    [(failure, STALE), (piped, STALE), (opened, HERD), (edited, CHUNKS), (asked, STALE)],
)
def test_a_moment_is_answered_as_by_a_process_once(
    world: World, visit: Visit, make: Any, lesson: str
) -> None:
    first, second = (context(visit(world).call(HOOK_TOOL, **make(world))) for _ in range(2))
    of_process = world.hook(payload={**make(world), "session_id": "two"})

    assert lesson in first
    assert len(first) <= 1_200 + 300 * (make is asked)
    assert first == (
        of_process.stdout
        if make is asked
        else json.loads(of_process.stdout)["hookSpecificOutput"]["additionalContext"]
    )
    assert second == ""
    assert world.query("SELECT count(*) FROM receipt WHERE session_id = 'one'") == [(1,)]


def test_one_session_gets_a_lesson_once_by_both_ways_and_a_subagent_for_itself(
    world: World, visit: Visit
) -> None:
    world.hook(payload=failure(world))

    assert context(visit(world).call(HOOK_TOOL, **failure(world))) == ""
    assert STALE in context(visit(world).call(HOOK_TOOL, **failure(world, agent_id="a10f")))


def test_objects_may_come_as_objects(world: World, visit: Visit) -> None:
    given = {"command": "pytest -q"}

    assert STALE in context(visit(world).call(HOOK_TOOL, **failure(world, tool_input=given)))


SESSION = "01a21634-7c6f-77c1-acaa-ca062e90e947"
SUBAGENT = "01a21634-8160-7dd1-9e8c-f0c552d8a96f"


def of_codex(world: World, rollout: str, **fields: object) -> dict[str, Any]:
    """Return an event as Codex sends it, without the agent's id."""
    return {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "transcript_path": f"{world.project}/rollout-2026-11-26T04-54-28-{rollout}.jsonl",
        "cwd": str(world.project),
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "tool_response": f"Traceback (most recent call last):\n{ERROR}\n",
        **fields,
    }


def test_values_that_were_filled_in_as_text_get_their_type() -> None:
    command = {"command": "true"}
    filled_in = {
        "hook_event_name": "PostToolUse",
        "cwd": os.sep,
        "is_interrupt": "true",
        "tool_input": json.dumps(command),
        "tool_response": {"stdout": "true", "interrupted": "false", "backgroundTaskId": ""},
        "error": "false",
    }
    request = request_of(filled_in)

    assert request
    assert request.payload == {
        **filled_in,
        "agent_id": "",
        "is_interrupt": True,
        "tool_input": command,
        "tool_response": {"stdout": "true", "interrupted": False, "backgroundTaskId": ""},
    }


def test_a_subagent_of_codex_is_known_by_its_transcript(world: World, visit: Visit) -> None:
    answers = [
        context(visit(world).call(HOOK_TOOL, **of_codex(world, rollout)))
        for rollout in (SESSION, SUBAGENT, SESSION, SUBAGENT)
    ]

    assert [STALE in answer for answer in answers] == [True, True, False, False]
    assert world.query("SELECT agent FROM receipt ORDER BY number") == [("",), (SUBAGENT,)]


def test_a_patch_of_codex_opens_its_file(world: World, visit: Visit) -> None:
    patch = {"command": "*** Begin Patch\n*** Update File: src/herd/zebra_quux.py\n@@\n"}
    patched = of_codex(
        world, SESSION, tool_name="apply_patch", tool_input=patch, tool_response="ok"
    )

    assert HERD in context(visit(world).call(HOOK_TOOL, **patched))


def test_a_call_that_the_user_interrupted_is_no_failure(world: World, visit: Visit) -> None:
    assert context(visit(world).call(HOOK_TOOL, **failure(world, is_interrupt="true"))) == ""


def test_a_command_that_passes_at_last_is_asked_about(world: World, visit: Visit) -> None:
    path = world.folder / "one.jsonl"
    made = Recording(root=str(world.project)).asks("Fix it.")
    path.write_text(made.runs("pytest -q", MISSING, 1).runs("pytest -q", MISSING, 1).text)
    result = json.dumps({"stdout": "12 passed", "stderr": "", "interrupted": False})
    more = {"transcript_path": str(path), "tool_response": result}
    passed = event(world, "PostToolUse", "Bash", {"command": "pytest -q"}, **more)

    first, second = (context(visit(world).call(HOOK_TOOL, **passed)) for _ in range(2))
    of_process = world.hook(payload={**passed, "session_id": "two"})

    assert "`pytest -q` passes now, after it failed 2 times" in first
    assert second == ""
    assert json.loads(of_process.stdout)["hookSpecificOutput"]["additionalContext"] == first


@pytest.mark.parametrize("setting", ["MOMENTS_ENABLED", "INJECTION_ENABLED", "SEMANTIC_ENABLED"])
def test_a_setting_switches_it_off(world: World, visit: Visit, setting: str) -> None:
    world.variables[f"HARDWON_{setting}"] = "false"

    assert context(visit(world).call(HOOK_TOOL, **failure(world))) == ""


@pytest.mark.parametrize("session", [(), ("--for", "1h")])
def test_a_pause_silences_it_without_a_refusal(
    world: World, visit: Visit, session: tuple[str, ...]
) -> None:
    hardwon(world, "pause", *session)

    assert context(visit(world).call(HOOK_TOOL, **failure(world))) == ""
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_the_project_is_that_of_the_event_not_of_the_server(
    world: World, connect: Connect, tmp_path: Path
) -> None:
    client = connect(world, "--no-scan", "--project-root", str(tmp_path))

    assert HERD in context(client.call(HOOK_TOOL, **opened(world)))
    assert world.query("SELECT query FROM receipt") == [("src/herd/zebra_quux.py",)]


def test_one_connection_answers_many_events_and_ends_with_the_server(
    world: World, connect: Connect
) -> None:
    client = connect(world, "--no-scan")
    answers = [context(client.call(HOOK_TOOL, **make(world))) for make in (opened, failure, edited)]
    pause = hardwon(world, "pause")
    paused = context(client.call(HOOK_TOOL, **failure(world, session_id="two")))
    hardwon(world, "resume")
    resumed = context(client.call(HOOK_TOOL, **failure(world, session_id="two")))
    ran = client.end()

    assert pause.code == 0
    assert [bool(answer) for answer in (*answers, paused, resumed)] == [True] * 3 + [False, True]
    assert (ran.code, ran.stderr) == (0, "")


def test_a_prompt_is_captured_once_by_its_server(world: World, visit: Visit) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    visit(world).call(HOOK_TOOL, **asked(world))
    visit(world).call(HOOK_TOOL, **asked(world, source="system"))

    [noted] = SqliteCaptureJournal(str(world.store), SystemClock().now).events("one")
    assert (noted.kind, ERROR in noted.text) == ("prompt", True)


def register_hooks(world: World) -> None:
    settings = Path(world.variables["HOME"]) / ".codex" / "hooks.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"tool": HOOK_TOOL}]}}))


def marks(world: World) -> list[str]:
    return [path.name for path in world.store.glob(f"{PREFIX}*")]


def test_a_server_has_a_mark_while_it_runs_and_after_each_answer(
    world: World, connect: Connect
) -> None:
    connect(world, "--no-scan")
    assert marks(world) == []  # no hook of its client calls it
    register_hooks(world)
    client = connect(world, "--no-scan")
    [mark] = marks(world)
    assert mark.removeprefix(PREFIX).isdecimal()
    (world.store / mark).unlink()
    client.call(HOOK_TOOL, **asked(world))
    assert marks(world) == [mark]

    client.end()
    assert marks(world) == []


def test_a_lesson_that_another_process_stored_meanwhile_is_found(
    world: World, connect: Connect
) -> None:
    client = connect(world, "--no-scan")
    missing = failure(world, error="Exit code 1\nModuleNotFoundError: No module named 'lxml'")
    before = context(client.call(HOOK_TOOL, **missing))
    world.remember(entry("lxml", "`ModuleNotFoundError: No module named 'lxml'`: apt libxml2."))

    after = context(client.call(HOOK_TOOL, **missing))
    assert (before, "apt libxml2" in after) == ("", True)


def test_it_is_not_listed(shared: RawClient) -> None:
    names = [tool["name"] for tool in shared.ask("tools/list")["result"]["tools"]]

    assert HOOK_TOOL not in names
    assert "memory_search" in names


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"hook_event_name": "SessionStart"},
        {"hook_event_name": "UserPromptSubmit", "prompt": 7},
        {"hook_event_name": "UserPromptSubmit", "prompt": f"why {ERROR}?", "source": "system"},
        {"hook_event_name": 7},
        {"cwd": ""},
        {"cwd": None},
        {"cwd": "/nowhere/at/all"},
        {"cwd": "a\0b"},
        {"tool_input": "{"},
        {"tool_input": "[" * 100_000},
        {"tool_name": ""},
        {"error": ""},
        {"error": "x" * 5_000_000},
        {"error": "\x00\x1b[31m" * 9_000},
        {"session_id": 7, "error": "Exit code 139"},
    ],
    ids=range(16),
)
def test_bad_input_says_nothing(world: World, visit: Visit, fields: dict[str, object]) -> None:
    arguments = {**failure(world), "error": "Exit code 1", **fields} if fields else {}
    answer = visit(world).call(HOOK_TOOL, **arguments)

    assert answer == {"content": [{"type": "text", "text": NOTHING_TO_SAY}], "isError": False}
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_a_stopped_server_costs_its_host_nothing_and_records_nothing_given_up(
    world: World, connect: Connect
) -> None:
    register_hooks(world)
    world.may_fork = False  # it would not be the child of this process
    client = connect(world, "--no-scan")
    process = client.process.pid
    os.kill(process, signal.SIGSTOP)
    client.begin_call(HOOK_TOOL, **failure(world, session_id="two"))
    given_up = client.begin_call(HOOK_TOOL, **asked(world))
    beside = subprocess.run(  # the hook beside each call, in a shell of the server's client
        ["/bin/sh", "-c", f"{guard(str(world.store))}echo no server answers"],
        capture_output=True,
        timeout=LONGEST_WAIT,
        check=True,
    )
    params = {"requestId": given_up}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    os.kill(process, signal.SIGCONT)

    assert beside.stdout == b""
    assert STALE in context(client.receive()["result"])
    assert STALE in context(client.call(HOOK_TOOL, **failure(world, session_id="three")))
    assert set(world.query("SELECT session_id FROM receipt")) == {("two",), ("three",)}


def test_a_late_answer_is_neither_given_nor_recorded(
    world: World, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = threading.Event()
    print_at_moment = PromptStart.print_at_moment

    def late(start: PromptStart, *given: Any) -> None:
        stuck.wait()
        print_at_moment(start, *given)

    monkeypatch.setattr("hardwon.entrypoints.mcp.hook_events.PROMPT_SECONDS", 0.05)
    monkeypatch.setattr(PromptStart, "print_at_moment", late)
    threading.Timer(0.3, stuck.set).start()

    assert context(visit(world).call(HOOK_TOOL, **failure(world))) == ""
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_an_answer_that_the_host_gave_up_meanwhile_is_not_recorded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, given_up = threading.Event(), threading.Event()
    print_at_moment = PromptStart.print_at_moment

    def slow(start: PromptStart, *given: Any) -> None:
        begun.set()
        assert given_up.wait(LONGEST_WAIT)
        print_at_moment(start, *given)

    async def give_up() -> None:
        events = HookEvents(str(world.store), lambda _: None)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(events.answer, failure(world))
            assert await anyio.to_thread.run_sync(begun.wait, LONGEST_WAIT)
            tasks.cancel_scope.cancel()
        given_up.set()
        await events.close()

    for name, value in world.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("hardwon.entrypoints.mcp.hook_events.PROMPT_SECONDS", LONGEST_WAIT)
    monkeypatch.setattr(PromptStart, "print_at_moment", slow)
    anyio.run(give_up)
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]
