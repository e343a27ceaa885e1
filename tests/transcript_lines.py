"""Lines as Claude Code writes them into a session's transcript, numbered and dated one after the other."""

import datetime as dt
import json
from typing import Any

from hardwon.domain.model.injection.neutral_text import FRAME_END, FRAME_START

PROJECT_ROOT = "/home/me/proj"
HOME = "/home/me"
SESSION = "4e1079b4-1075-4398-9c17-024ebe214a8d"
BEGINNING = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)
INJECTED = f"{FRAME_START}\n### Patterns\n- **Injected lesson**: memory put this in, it is never captured.\n{FRAME_END}"


class TranscriptLines:
    """
    A transcript while it is written.

    Attributes:
        lines: The lines written so far.
        now: When the next line is written.

    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = BEGINNING

    def line(self, kind: str, **fields: Any) -> dt.datetime:
        """Write a line of that kind and return its timestamp."""
        timestamp, number = self.now, len(self.lines)
        shared = {
            "parentUuid": f"uuid-{number - 1}" if number else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": PROJECT_ROOT,
            "sessionId": SESSION,
            "version": "2.1.330",
            "gitBranch": "main",
            "type": kind,
            "uuid": f"uuid-{number}",
            "timestamp": timestamp.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self.lines.append(json.dumps({**shared, **fields}))
        self.now += SECOND
        return timestamp

    def user(self, content: Any, **fields: Any) -> dt.datetime:
        """Write a line of the user's role: a prompt, a tool's result, something of the host's."""
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: dict[str, Any], **fields: Any) -> dt.datetime:
        """Write blocks of one message, each in a line of its own."""
        message = {
            "id": f"msg-{len(self.lines)}",
            "role": "assistant",
            "model": "a-model",
            "usage": {"input_tokens": 9},
        }
        timestamps = [
            self.line("assistant", message={**message, "content": [block]}, **fields)
            for block in blocks
        ]
        return timestamps[0]

    def tool_use(self, name: str, **given: Any) -> str:
        """Write the call of a tool; return its id."""
        tool_use_id = f"toolu_{len(self.lines)}"
        self.assistant({"type": "tool_use", "id": tool_use_id, "name": name, "input": given})
        return tool_use_id

    def tool_result(self, tool_use_id: str, text: str, **fields: Any) -> None:
        """Write what a tool answered."""
        self.user([{"type": "tool_result", "tool_use_id": tool_use_id, "content": text}], **fields)

    def command(self, name: str, arguments: str = "") -> dt.datetime:
        """Write a slash command as the host wraps it."""
        return self.user(
            f"<command-name>{name}</command-name>\n            <command-message>{name[1:]}</command-message>\n"
            f"            <command-args>{arguments}</command-args>"
        )

    def attachment(self, kind: str, content: Any) -> None:
        """Write what the host adds to a request."""
        self.line("attachment", attachment={"type": kind, "content": content})

    def bare(self, kind: str, **fields: Any) -> None:
        """Write a line of bookkeeping, which has neither time nor place."""
        self.lines.append(json.dumps({"type": kind, "sessionId": SESSION, **fields}))

    def broken(self, line: str) -> None:
        """Write a line that is none of the host's."""
        self.lines.append(line)


def text_block(text: str) -> dict[str, Any]:
    """Return *text* as a block of a message."""
    return {"type": "text", "text": text}
