"""
Hosts that play real sessions against the command of a hook, event by event, as they were measured.

The messages of a host, their order, their environment and the time at which the transcript exists
are written down in this module and nowhere else; the caller chooses the command.
"""

import datetime as dt
import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from tests.entrypoints.hook_process import World

SHARED_MACHINE = 4.0
"""So many times a host's own patience a hook is given here, where others work beside the tests."""

UNHURRIED_SECONDS = 600.0


Command: TypeAlias = Callable[[str], Sequence[str]]
"""The command configured in the client for an event; empty for an event without a hook."""


class Outcome(NamedTuple):
    """
    The result of one run of the command.

    Attributes:
        event: The event it was run for.
        code: Its exit code; None when the host lost patience and killed it.
        context: The text that would reach the model.

    """

    event: str
    code: int | None
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

    patience: ClassVar[Mapping[str, float]] = {}
    """Seconds after which the client kills the command, by event."""

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
        """Run the command as the client does: in the project, with its environment, for so long."""
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
        code: int | None
        try:
            out, err = process.communicate(
                payload, SHARED_MACHINE * self.patience.get(event, UNHURRIED_SECONDS)
            )
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
        self.outcomes.append(outcome := Outcome(event, code, out.decode(), err.decode()))
        if code == 0 and outcome.stdout:
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

    patience: ClassVar[Mapping[str, float]] = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}

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

    patience: ClassVar[Mapping[str, float]] = {"SessionEnd": 3.0}

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
