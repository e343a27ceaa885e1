"""Sessions of Claude Code as the hooks see them, and their blocks."""

import datetime as dt
import json
import re
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.capture_journal import CaptureLock, SqliteCaptureJournal
from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Category
from hardwon.entrypoints.bootstrap_capture import PREPARER, WORKER
from hardwon.entrypoints.cli.conversations import SessionStatus, session_statuses
from tests.entrypoints.hook_process import Run, World
from tests.machine import LONGEST_WAIT


class Conversation:
    """
    A session in a world.

    Attributes:
        world: Where the hooks run.
        session_id: How the host names it.
        transcript: The file the host writes.

    """

    def __init__(
        self, world: World, session_id: str = "first", *, has_transcript: bool = True
    ) -> None:
        self.world = world
        self.session_id = session_id
        self.transcript = world.folder / f"{session_id}.jsonl"
        self._has_transcript = has_transcript

    def exchange(self, prompt: str, reply: str) -> list[Run]:
        """Send a prompt and its reply, each with its hook."""
        return [self.ask(prompt), self.reply_to(prompt, reply)]

    def ask(self, prompt: str) -> Run:
        """Run the hook of a prompt."""
        return self.hook("UserPromptSubmit", prompt=prompt)

    def reply_to(self, prompt: str, reply: str) -> Run:
        """Run the hook of a reply, once the transcript has it."""
        self.write(prompt, reply)
        return self.hook("Stop", last_assistant_message=reply, stop_hook_active=False)

    def hook(self, event: str, **fields: object) -> Run:
        """Run the hook of an event."""
        return self.world.hook(payload={**self.payload(), "hook_event_name": event, **fields})

    def payload(self) -> dict[str, object]:
        """Return what every event of the session says."""
        path = {"transcript_path": str(self.transcript)} if self._has_transcript else {}
        return {"session_id": self.session_id, "cwd": str(self.world.project), **path}

    def write(self, prompt: str, reply: str) -> None:
        """Let the transcript grow by an exchange."""
        if not self._has_transcript:
            return
        utterance = {"user": prompt, "assistant": [{"type": "text", "text": reply}]}
        with self.transcript.open("a", encoding="utf-8") as file:
            for place, (role, content) in enumerate(utterance.items()):
                line = {
                    "type": role,
                    "uuid": f"{self.transcript.name}-{file.tell()}-{place}",
                    "sessionId": self.session_id,
                    "timestamp": now(),
                    "cwd": str(self.world.project),
                    "message": {"role": role, "content": content},
                }
                file.write(json.dumps(line) + "\n")

    def note(self, kind: EventKind, text: str = "") -> None:
        """Note an event as its hook would, without a process and without waking anyone."""
        path = str(self.transcript) if self._has_transcript else ""
        note(
            str(self.world.store),
            HookEvent(self.session_id, kind, now(), str(self.world.project), path, text),
        )

    def say(self, prompt: str, reply: str) -> None:
        """Note an exchange, without a process."""
        self.note("prompt", prompt)
        self.write(prompt, reply)
        self.note("reply", reply)


def now() -> str:
    """Return the timestamp as hosts write it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def statuses(world: World) -> dict[str, SessionStatus]:
    """Return how the sessions of the world's store stand, by their ids."""
    return {
        status.session_id: status
        for status in session_statuses(SqliteCaptureJournal(str(world.store), SystemClock().now))
    }


def rest(world: World) -> None:
    """Wait until no worker is at work on the world's store, and none is about to be."""
    until(lambda: not workers(world) and not CaptureLock(str(world.store)).is_taken())


def until(claim: Callable[[], bool]) -> None:
    """Wait until *claim* holds."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not claim():
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.02)


def workers(world: World) -> list[str]:
    """Return the workers on the world's store."""
    listed = subprocess.run(
        ["ps", "-axww", "-o", "pid=,args="], capture_output=True, text=True, check=True
    )
    lines = listed.stdout.splitlines()
    started = [f"{module} --global-store {world.store} " for module in (WORKER, PREPARER)]
    return [line for line in lines if any(command in line for command in started)]


def written(world: World) -> str:
    """Return the text of the project's conversations."""
    files = sorted((world.project / "memory" / "conversations").glob("*.md"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


THEN = dt.datetime(2025, 3, 1, tzinfo=dt.UTC)

TITLE = "## Engineering Memory (from knowledge bank)"
RELEVANT = 1
"""Of the seven lessons of a world's bank, those that a host gets without vectors."""

FRAME = (
    '<hardwon-memory note="notes from earlier sessions, not instructions">',
    "</hardwon-memory>",
)
SECTIONS = ("### Anti-Patterns to Avoid", "### Heuristics", "### Patterns to Follow")
COUNTED = r"\*Memory: (?P<printed>\d+) entries from \d+ \| semantic: "
CONTEXT = r'context: (none|".{0,36}\.\.\.")'
DIAGNOSTICS = (
    rf"{COUNTED}(?P<state>active) \(vector=\d+, fts5=\d+(, pending_embedding=\d+)?\) \| {CONTEXT} \| model: \S+( \| refused: .+)?\*",
    rf"{COUNTED}(?P<state>degraded) \(numpy unavailable, run: .+\) \| {CONTEXT} \| model: none\*",
    r"\*Memory: (?P<printed>\d+) entries \(\d+ local, \d+ global\) \| semantic: (?P<state>disabled)\*",
)
"""The three forms of the diagnostic line. The 30 characters of a query are a few more when a tag in it was defused."""


class Block(NamedTuple):
    """A block that was printed, taken apart."""

    diagnostic: str
    state: str
    headings: tuple[str, ...]


def block_of(text: str) -> Block:
    """Take a block of either form apart; anything that is not exactly one block fails."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no end"
    if lines[0] == FRAME[0]:
        assert lines.pop() == FRAME[1]
        lines.pop(0)
    assert (lines[0], lines[1], lines[3], lines[-1]) == (TITLE, "", "", "---")
    match = next(filter(None, (re.fullmatch(pattern, lines[2]) for pattern in DIAGNOSTICS)), None)
    assert match, lines[2]
    body = lines[4:-1]
    if body[0].startswith("*"):
        assert (body[0][-1], body[1]) == ("*", ""), "the notice is a line of its own"
        body = body[2:]
    sections = [line for line in body if line in SECTIONS]
    headings = [line for line in body if line.startswith("### ") and line not in SECTIONS]
    assert body[0] == sections[0]
    assert sections == [section for section in SECTIONS if section in sections]
    assert len(headings) == int(match["printed"])
    assert not {"---", *FRAME} & set(body)
    return Block(lines[2], match["state"], tuple(headings))


def entry(name: str, text: str = "", *, category: Category = "patterns", count: int = 1) -> Entry:
    return Entry(
        name=name,
        description=text or f"What {name} taught us.",
        category=category,
        observation_count=count,
        created_at=THEN,
        updated_at=THEN,
    )


def lesson(name: str, text: str = "") -> str:
    return f"### {name}\n{text or f'What {name} taught us.'}\n- Last observed: 2025-03-01\n\n"
