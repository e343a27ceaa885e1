"""Whole sessions, from the first event to the last, as Claude Code and Codex play them."""

import copy
import datetime as dt
import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from hardwon.domain.model.injection.entry_text import MAX_UNITS, units
from hardwon.domain.model.injection.neutral_text import TAG
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import FRAME, TITLE, rest, statuses, until, written
from tests.machine import LONGEST_WAIT

Command: TypeAlias = Callable[[str], Sequence[str]]
"""The command configured in the client for an event; empty for an event without a hook."""


class Outcome(NamedTuple):
    """
    The result of one run of the command.

    Attributes:
        event: The event it was run for.
        code: Its exit code.
        context: The text that would reach the model.

    """

    event: str
    code: int
    stdout: str
    stderr: str

    @property
    def context(self) -> str:
        """The text of `additionalContext`, or of plain standard output."""
        if not self.stdout.startswith("{"):
            return self.stdout
        return str(json.loads(self.stdout)["hookSpecificOutput"]["additionalContext"])


class ScriptedHost:
    """
    One session of a client.

    Args:
        world: Its project, home and store.
        command: The commands configured in the client, by event.
        session_id: How the client names the session.

    Attributes:
        outcomes: The results of all runs, in order.
        given: The texts of hooks that reached the model.

    """

    def __init__(self, world: World, command: Command, session_id: str) -> None:
        self.world = world
        self.session_id = session_id
        self.outcomes: list[Outcome] = []
        self.given: list[str] = []
        self._held: list[str] = []
        self._command = command
        self._turns = 0

    def start(self, source: str = "startup", **fields: object) -> Outcome:
        """Begin the session, or go on with it."""
        return self.fire("SessionStart", source=source, **fields)

    def ask(self, prompt: str) -> Outcome:
        """Submit a prompt; the transcript has it only once the hook is through."""
        self._turns += 1
        outcome = self.fire("UserPromptSubmit", prompt=prompt, **self.turn())
        self.write("user", prompt)
        return outcome

    def reply(self, text: str) -> Outcome:
        """Let the agent end its turn; by then the transcript has what it said."""
        self.write("assistant", text)
        return self.fire("Stop", stop_hook_active=False, last_assistant_message=text, **self.turn())

    def compact(self) -> list[Outcome]:
        """Compact the session, in the order of events in which clients do it."""
        before = self.fire("PreCompact", trigger="manual", custom_instructions=None)
        second = self.start("compact", **self.of_compaction())
        return [
            before,
            second,
            self.fire("PostCompact", trigger="manual", compact_summary="Summary: we talked."),
        ]

    def end(self, reason: str = "other") -> Outcome:
        """End the session."""
        return self.fire("SessionEnd", reason=reason)

    def fire(self, event: str, **fields: object) -> Outcome:
        """Run the command for an event."""
        return self.send(
            event, json.dumps({**self.shared(), "hook_event_name": event, **fields}).encode()
        )

    def send(self, event: str, payload: bytes) -> Outcome:
        """Run the command as the client does: in the project, with its environment."""
        if not (command := self._command(event)):
            return Outcome(event, 0, "", "")
        process = subprocess.Popen(
            command,
            cwd=self.world.project,
            env={**self.world.patient, **self.environment(event)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = process.communicate(payload, LONGEST_WAIT)
        outcome = Outcome(event, process.returncode, out.decode(), err.decode())
        self.outcomes.append(outcome)
        if outcome.code == 0 and outcome.stdout:
            self._held.append(outcome.context)
        return outcome

    @property
    def transcript(self) -> Path:
        """Where the client writes the session down; the folder comes with the first line."""
        raise NotImplementedError

    def shared(self) -> dict[str, object]:
        """Return what every event of the session says."""
        return {
            "session_id": self.session_id,
            "transcript_path": str(self.transcript),
            "cwd": str(self.world.project),
        }

    def turn(self) -> dict[str, object]:
        """Return what the events of a turn say."""
        raise NotImplementedError

    def of_compaction(self) -> dict[str, object]:
        """Return what a session start after a compaction says more."""
        return {}

    def environment(self, event: str) -> dict[str, str]:
        """Return what the client sets for the command of an event."""
        raise NotImplementedError

    def lines(self, role: str, text: str) -> dict[str, Any]:
        """Return the transcript's line of what was said."""
        raise NotImplementedError

    def line_given(self, text: str) -> dict[str, Any]:
        """Return the transcript's line of what a hook gave the model."""
        raise NotImplementedError

    def write(self, role: str, text: str) -> None:
        """Let the transcript grow, by what hooks gave the model before too."""
        lines = [*map(self.line_given, self._held), self.lines(role, text)]
        self.given += self._held
        self._held.clear()
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


class ClaudeCode(ScriptedHost):
    """Claude Code 2.1.330."""

    @property
    def transcript(self) -> Path:
        folder = str(self.world.project).replace("/", "-")
        return (
            Path(self.world.variables["HOME"])
            / ".claude"
            / "projects"
            / folder
            / f"{self.session_id}.jsonl"
        )

    def turn(self) -> dict[str, object]:
        return {"prompt_id": f"prompt-{self._turns}", "permission_mode": "default"}

    def of_compaction(self) -> dict[str, object]:
        return {"model": "a-model"}

    def environment(self, event: str) -> dict[str, str]:
        root = self.world.folder / "plugin"
        data = (
            Path(self.world.variables["HOME"]) / ".claude" / "plugins" / "data" / "hardwon-hardwon"
        )
        data.mkdir(parents=True, exist_ok=True)
        shared = {
            "CLAUDE_PROJECT_DIR": str(self.world.project),
            "CLAUDE_PLUGIN_ROOT": str(root),
            "CLAUDE_PLUGIN_DATA": str(data),
            "CLAUDE_CODE_SESSION_ID": self.session_id,
            "CLAUDE_CODE_ENTRYPOINT": "sdk-cli",
            "CLAUDE_PID": str(os.getpid()),
        }
        if event == "SessionStart":
            return {**shared, "CLAUDE_ENV_FILE": str(self.world.folder / "exports")}
        return (
            {**shared, "CLAUDE_EFFORT": "medium"}
            if event in {"UserPromptSubmit", "Stop"}
            else shared
        )

    def lines(self, role: str, text: str) -> dict[str, Any]:
        content = text if role == "user" else [{"type": "text", "text": text}]
        return {
            "type": role,
            "uuid": f"{self.session_id}-{self._turns}-{role}",
            "parentUuid": None,
            "sessionId": self.session_id,
            "timestamp": _now(),
            "cwd": str(self.world.project),
            "isSidechain": False,
            "version": "2.1.330",
            "message": {"role": role, "content": content},
        }

    def line_given(self, text: str) -> dict[str, Any]:
        given = {"type": "hook_success", "content": text.strip(), "stdout": text, "exitCode": 0}
        return {
            "type": "attachment",
            "sessionId": self.session_id,
            "timestamp": _now(),
            "attachment": given,
        }


class Codex(ScriptedHost):
    """Codex 0.169.0."""

    @property
    def transcript(self) -> Path:
        name = f"rollout-2026-11-21T09-00-00-{self.session_id}.jsonl"
        return (
            Path(self.world.variables["HOME"]) / ".codex" / "sessions" / "2026" / "11" / "21" / name
        )

    def shared(self) -> dict[str, object]:
        return {**super().shared(), "model": "a-model", "permission_mode": "default"}

    def turn(self) -> dict[str, object]:
        return {"turn_id": f"turn-{self._turns}"}

    def environment(self, event: str) -> dict[str, str]:
        del event
        root, data = (
            str(self.world.folder / "plugin"),
            str(Path(self.world.variables["HOME"]) / ".codex" / "data"),
        )
        return {
            "CLAUDE_PLUGIN_ROOT": root,
            "CLAUDE_PLUGIN_DATA": data,
            "PLUGIN_ROOT": root,
            "PLUGIN_DATA": data,
        }

    def lines(self, role: str, text: str) -> dict[str, Any]:
        block = {"type": "input_text" if role == "user" else "output_text", "text": text}
        message = {"type": "message", "role": role, "content": [block]}
        return {
            "timestamp": _now(),
            "ordinal": self._turns,
            "type": "response_item",
            "payload": message,
        }

    def line_given(self, text: str) -> dict[str, Any]:
        message = {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": text.strip()}],
        }
        return {
            "timestamp": _now(),
            "ordinal": self._turns,
            "type": "response_item",
            "payload": message,
        }


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


PLUGIN = Path(__file__).parents[3] / "plugin"
MAX_PROMPT_UNITS = 1_500
LESSON = "Pin the parser's version"
BANK = f"### Pattern: {LESSON}\nA parser that updates itself between two runs reads the same feed in two ways.\n"
QUESTION = "Our feed was read in two ways: did the parser update itself between two runs, should we pin its version?"
GARBAGE = [b"\xff\xfe{", b'{"hook_event_name": "Nonsense"}']


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a project with one lesson, in which conversations are kept and nothing is embedded."""
    empty_world.variables |= {
        "HARDWON_CAPTURE_ENABLED": "true",
        "HARDWON_EMBEDDING_PROVIDER": "off",
    }
    empty_world.write_bank("patterns", BANK)
    return empty_world


def by_itself(_: str) -> Sequence[str]:
    """Return the hook alone."""
    return [str(BIN / "hardwon-hook")]


def by_the_plugin(world: World) -> Command:
    """Return what Claude Code makes of the plugin's hooks."""
    world.variables["UV_TOOL_BIN_DIR"] = str(BIN)
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_bytes())["hooks"]

    def command(event: str) -> Sequence[str]:
        if event not in hooks:
            return []
        [hook] = hooks[event][0]["hooks"]
        return [hook["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)), *hook["args"]]

    return command


def by_init(world: World) -> Command:
    """Return what Codex makes of the hooks that `hardwon init` wrote, into another home and for another store."""
    desk = copy.copy(world)
    home = world.folder / "desk"
    desk.variables = {**world.variables, "HOME": str(home), "HARDWON_STORE": str(home / "store")}
    desk.project = home / "project"
    desk.project.mkdir(parents=True)
    assert hardwon(desk, "init", "--agent", "codex", "--yes").code == 0
    hooks = json.loads((home / ".codex" / "hooks.json").read_bytes())["hooks"]
    return lambda event: (
        ["/bin/sh", "-c", hooks[event][0]["hooks"][0]["command"]] if event in hooks else []
    )


WAYS: Mapping[str, tuple[type[ScriptedHost], Callable[[World], Command]]] = {
    "Claude Code, by the plugin": (ClaudeCode, by_the_plugin),
    "Codex, as init set it up": (Codex, by_init),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_session_from_its_start_to_its_end(world: World, way: str) -> None:
    client, output = WAYS[way]
    command = output(world)
    first = client(world, command, "first")
    assert not first.transcript.exists()
    first.start()
    _talk(first, "Which way does the importer go?", "We decided on way 1.")
    _talk(first, QUESTION, f"Yes: {LESSON}.")
    first.compact()
    first.end("clear")
    second = client(world, command, "second")
    second.start("clear")
    _talk(second, "And the exporter?", "We decided on way 2.")
    second.end()
    rest(world)
    resumed = second.start("resume", seconds_since_last_response=9)
    second.end()
    rest(world)

    assert (resumed.code, resumed.stdout, resumed.stderr) == (0, "", "")
    outcomes = [item for item in (*first.outcomes, *second.outcomes) if item is not resumed]
    _assert_every_event_went_well(outcomes)
    _assert_utterances_are_kept(world)
    _assert_all_that_arrived_is_counted(world, [first, second])
    _assert_nothing_lies_elsewhere(world, [first, second])


def test_interleaved_sessions_are_kept_apart_and_garbage_between_them_is_ignored(
    world: World,
) -> None:
    left, right = ClaudeCode(world, by_itself, "left"), Codex(world, by_itself, "right")
    left.ask("What does the left one ask?")
    right.ask("What does the right one ask?")
    garbled = [right.send("garbage", payload) for payload in GARBAGE]
    right.reply("The right answer.")
    left.reply("The left answer.")
    for host in (left, right):
        host.end()
    rest(world)

    assert {(item.code, item.stdout, "Traceback" in item.stderr) for item in garbled} == {
        (0, "", False)
    }
    _assert_every_event_went_well(
        [item for item in (*left.outcomes, *right.outcomes) if item not in garbled]
    )
    stands = statuses(world)
    assert {name: (stands[name].exchanges, stands[name].waiting) for name in ("left", "right")} == {
        "left": (1, 0),
        "right": (1, 0),
    }
    utterance = written(world)
    assert all(utterance.count(f"The {side} answer.") > 0 for side in ("left", "right"))


def test_utterances_before_a_kill_of_the_host_are_kept_by_the_next_session(world: World) -> None:
    killed = Codex(world, by_itself, "killed")
    _talk(killed, "Which way does the importer go?", "We decided on way 1.")
    assert written(world) == ""

    following = Codex(world, by_itself, "next")
    _assert_every_event_went_well([following.start()])
    until(lambda: "way 1." in written(world))
    rest(world)


def test_a_prompt_brings_up_the_lesson_it_needs_once_a_session(world: World) -> None:
    others = (
        f"### Pattern: Other {number}\nAbout thing {number}.\n- Observation count: 9\n"
        for number in range(60)
    )
    world.write_bank("patterns", BANK + "".join(others))
    world.variables["HARDWON_INJECTION_LIMIT"] = "3"
    host = ClaudeCode(world, by_itself, "first")
    shown = [host.start(), host.ask(QUESTION), host.ask(QUESTION)]
    rest(world)

    assert [LESSON in item.context for item in shown] == [False, True, False]


def _talk(host: ScriptedHost, prompt: str, reply: str) -> None:
    host.ask(prompt)
    host.reply(reply)


def _assert_every_event_went_well(outcomes: Sequence[Outcome]) -> None:
    for item in outcomes:
        assert (item.code, item.stderr) == (0, ""), item
        if item.event == "SessionStart":
            _assert_one_framed_block(item.context)
        elif item.event == "UserPromptSubmit":
            _assert_little_is_brought_up(item.context)
        else:
            assert item.stdout == "", item


def _assert_one_framed_block(text: str) -> None:
    lines = text.splitlines()
    assert (lines[0], lines[1], lines[-2], lines[-1]) == (FRAME[0], TITLE, "---", FRAME[1])
    assert text.count(f"<{TAG}") == text.count(f"</{TAG}>") == lines.count("---") == 1
    assert lines.count(f"### Pattern: {LESSON}") == 1
    assert units(text) <= MAX_UNITS


def _assert_little_is_brought_up(text: str) -> None:
    assert units(text) <= MAX_PROMPT_UNITS
    if text:
        lines = text.splitlines()
        assert (lines[0], lines[-1]) == FRAME
        assert text.count(f"<{TAG}") == 1


def _assert_utterances_are_kept(world: World) -> None:
    utterance = written(world)
    assert all(text in utterance for text in ("way 1.", "way 2.", QUESTION))
    assert BANK.splitlines()[1] not in utterance, "capture fed on what memory had put in"
    stands = statuses(world)
    assert {name: (item.exchanges, item.waiting) for name, item in stands.items()} == {
        "first": (2, 0),
        "second": (1, 0),
    }


def _assert_all_that_arrived_is_counted(world: World, hosts: Sequence[ScriptedHost]) -> None:
    """After the compaction there was no turn: its block reached no model."""
    printed = sum(
        f"### Pattern: {LESSON}" in item.context for host in hosts for item in host.outcomes
    )
    arrived = sum(f"### Pattern: {LESSON}" in text for host in hosts for text in host.given)
    counted = "SELECT recall_count FROM recall JOIN entry_text USING (entry_seq) WHERE name = ?"
    assert 0 < arrived < printed
    assert world.query(counted, [LESSON]) == [(arrived,)]


def _assert_nothing_lies_elsewhere(world: World, hosts: Sequence[ScriptedHost]) -> None:
    home, transcripts = Path(world.variables["HOME"]), {host.transcript for host in hosts}
    assert {path for path in home.rglob("*") if path.is_file()} == transcripts
    found = {
        path.relative_to(world.project).parts[:2]
        for path in world.project.rglob("*")
        if path.is_file()
    }
    assert {parts for parts in found if parts[0] != "memory"} == {("docs", "knowledge-bank")}
    assert all(
        path.suffix == ".md" for path in (world.project / "memory").rglob("*") if path.is_file()
    )
    assert not world.log.exists()
    assert not (world.folder / "exports").exists()
