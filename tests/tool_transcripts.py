"""Recorded transcripts with tool calls, as Claude Code and Codex write them."""

import json
from itertools import count
from typing import Any, Literal

Host = Literal["claude", "codex"]
HOSTS: tuple[Host, ...] = ("claude", "codex")

MISSING = (
    "Traceback (most recent call last):\n"
    '  File "src/feeds.py", line 3, in <module>\n'
    "    import yaml\n"
    "ModuleNotFoundError: No module named 'yaml'"
)
"""The output of a run that fails."""

SIGNATURE = "ModuleNotFoundError: No module named 'yaml'"
CAUSE = "The tests fail because PyYAML is only in the dev extra, which this machine does not have."
TESTS = "cd {root} && python -m pytest -q tests 2>&1 | tail -20"
INSTALL = "pip install -e '.[dev]'"


class Recording:
    """
    A transcript that grows by what a person and an agent do.

    Args:
        host: The program that writes it.
        session_id: Its session.
        root: The project's folder.
        day: The day of November 2026 on which it was made.
    """

    def __init__(
        self, host: Host = "claude", session_id: str = "s-1", root: str = "/p", day: int = 20
    ) -> None:
        self.host, self.session_id, self.root = host, session_id, root
        self.lines: list[str] = []
        self._day, self._clock, self._ids = day, count(), count(1)
        if host == "codex":
            self._line("session_meta", {"id": session_id, "cwd": root})

    @property
    def text(self) -> str:
        """The file."""
        return "".join(f"{line}\n" for line in self.lines)

    def asks(self, prompt: str) -> "Recording":
        """A person writes."""
        return self._wrote("user", prompt)

    def replies(self, reply: str) -> "Recording":
        """The agent writes."""
        return self._wrote("assistant", reply)

    def runs(self, command: str, output: str = "", code: int = 0) -> "Recording":
        """The agent runs a command to its end."""
        command = command.replace("{root}", self.root)
        if self.host == "codex":
            result = json.dumps({"output": output, "metadata": {"exit_code": code}})
            return self._called("shell", {"command": ["bash", "-lc", command]}, result)
        shown = f"Exit code {code}\n{output}" if code else output
        return self._called("Bash", {"command": command}, shown, is_error=code != 0)

    def ends(self, command: str, code: int) -> "Recording":
        """Codex writes that a command ended, before its hooks run."""
        words = ["/bin/bash", "-lc", command.replace("{root}", self.root)]
        item = {"type": "CommandExecution", "command": words, "exit_code": code}
        return self._line("event_msg", {"type": "item_completed", "item": item})

    def edits(self, path: str) -> "Recording":
        """The agent changes a file."""
        if self.host == "codex":
            patch = f"*** Begin Patch\n*** Update File: {path}\n-old\n+new\n*** End Patch"
            return self._called("apply_patch", patch, "Success")
        given = {"file_path": f"{self.root}/{path}", "old_string": "old", "new_string": "new"}
        return self._called("Edit", given, "The file was updated.")

    def writes(self, path: str) -> "Recording":
        """The agent makes a file."""
        if self.host == "codex":
            patch = f"*** Begin Patch\n*** Add File: {path}\n+new\n*** End Patch"
            return self._called("apply_patch", patch, "Success")
        return self._called(
            "Write", {"file_path": f"{self.root}/{path}", "content": "new"}, "Made."
        )

    def _wrote(self, role: str, text: str) -> "Recording":
        if self.host == "codex":
            kind = "input_text" if role == "user" else "output_text"
            content: Any = [{"type": kind, "text": text}]
            return self._line(
                "response_item", {"type": "message", "role": role, "content": content}
            )
        return self._line(role, text if role == "user" else [{"type": "text", "text": text}])

    def _called(
        self, tool: str, given: object, output: str, *, is_error: bool = False
    ) -> "Recording":
        name = f"call_{next(self._ids)}"
        if self.host == "codex":
            custom = "custom_tool_" if isinstance(given, str) else "function_"
            sent = {"input": given} if isinstance(given, str) else {"arguments": json.dumps(given)}
            self._line(
                "response_item", {"type": f"{custom}call", "name": tool, "call_id": name, **sent}
            )
            result = {"type": f"{custom}call_output", "call_id": name, "output": output}
            return self._line("response_item", result)
        self._line("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}])
        block = {
            "type": "tool_result",
            "tool_use_id": name,
            "content": output,
            "is_error": is_error,
        }
        return self._line("user", [block])

    def _line(self, kind: str, content: object) -> "Recording":
        second = next(self._clock)
        stamp = f"2026-11-{self._day:02}T09:{second // 60:02}:{second % 60:02}Z"
        line: dict[str, object] = {"timestamp": stamp, "type": kind}
        if self.host == "codex":
            line |= {"payload": content}
        else:
            line |= {"sessionId": self.session_id, "cwd": self.root}
            line |= {"message": {"role": kind, "content": content}}
        self.lines.append(json.dumps(line))
        return self


def repaired(recording: Recording, *, cause: str = CAUSE, output: str = MISSING) -> Recording:
    """Record a session whose tests fail three times, and pass after an installation."""
    recording.asks("The import of the shop's feed must read the new settings file.")
    recording.replies("I run the tests first.")
    for _ in range(3):
        recording.runs(TESTS, output, 1)
    recording.replies(f"{cause} I install it.").edits("pyproject.toml").runs(INSTALL, "Installed")
    return recording.runs(TESTS, "12 passed in 0.3s").replies("All tests pass now.")
