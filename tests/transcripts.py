"""Claude Code transcripts of any length, and the exchanges to capture from them."""

import datetime as dt
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hardwon.adapters.transcripts.reader import JsonlTranscripts
from hardwon.domain.model.conversation.session import Answered, Exchange
from hardwon.domain.model.injection.neutral_text import FRAME_END, FRAME_START
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.ports.transcripts import TranscribedExchange

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


SECRET = "AKIA" + "IOSFODNN7EXAMPLE"
"""Put together here, so that no scanner mistakes this file for a leak."""

NEVER_KEPT = (
    SECRET,
    "Injected lesson",
    "hidden thought",
    "private word",
    "sidechain",
    "tool noise",
    "<command-",
    "/home/me",
)
"""No exchange of a transcript made here has any of these."""

SUBJECTS = (
    (
        "the feed parser",
        "src/feeds/parser.py",
        "guess the encoding from the first bytes",
        "read it from the header",
    ),
    ("the job queue", "src/jobs/queue.py", "lock one row a worker", "poll the whole table"),
    (
        "the login page",
        "src/web/login.py",
        "keep sessions in a signed cookie",
        "keep them in memory",
    ),
    ("the deployment", "deploy/compose.yaml", "build one image a commit", "build on the server"),
    (
        "the search index",
        "src/search/index.py",
        "rank by reciprocal fusion",
        "rank by the raw cosine",
    ),
)
TURNS_ABOUT_ONE = 7
BROKEN_LINES = (
    "",
    "{",
    "[1, 2]",
    '"user"',
    "null",
    '{"type": "user"}',
    '{"type": "user", "message": null}',
    "\0\0\0",
)


class Subject(NamedTuple):
    """The subject of a few turns."""

    name: str
    file: str
    way: str
    other: str


class MadeTranscript(NamedTuple):
    """
    A transcript.

    Attributes:
        text: All of the file.
        exchanges: The exchanges to be captured from it, in order.

    """

    text: str
    exchanges: list[Exchange]


def make_transcript(lines: int = 2_000, seed: int = 0) -> MadeTranscript:
    """Return a transcript of at least that many lines, the same for the same *seed*; every kind of turn comes in turn."""
    written, exchanges, chance = TranscriptLines(), list[Exchange](), random.Random(seed)
    _start(written)
    while len(written.lines) < lines:
        turn = len(exchanges)
        subject = Subject(*SUBJECTS[turn // TURNS_ABOUT_ONE % len(SUBJECTS)])
        exchanges.append(TURNS[turn % len(TURNS)](written, subject, turn))
        for _ in range(chance.randrange(4)):
            chance.choice(NOISES)(written)
    return MadeTranscript("\n".join(written.lines) + "\n", exchanges)


def _start(written: TranscriptLines) -> None:
    written.bare("mode", mode="normal")
    written.attachment("hook_additional_context", [INJECTED])
    written.attachment("prompt_snapshot", f"system prompt\n{INJECTED}")


def _plain(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    prompt = f"Please look at {subject.name} ({turn}): which way do we go?"
    at = written.user(prompt, promptId=f"prompt-{turn}")
    reply = (
        f"We decided to {subject.way} instead of trying to {subject.other}, because it is simpler."
    )
    written.assistant({"type": "thinking", "thinking": "a hidden thought"}, text_block(reply))
    return Exchange(prompt, reply, at)


def _with_tools(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    at = written.user(
        [
            text_block(f"Fix {PROJECT_ROOT}/{subject.file} ({turn})"),
            text_block("and run the tests."),
        ]
    )
    written.assistant(text_block("I read the file first."))
    written.tool_result(
        written.tool_use("Read", file_path=f"{PROJECT_ROOT}/{subject.file}"), "tool noise " * 40
    )
    reply = (
        f"Done: {PROJECT_ROOT}/{subject.file} does {subject.way} now.",
        "Watch out: the tests are flaky.",
    )
    written.assistant(*map(text_block, reply))
    user = f"Fix {subject.file} ({turn})\n\nand run the tests."
    return Exchange(
        user,
        f"I read the file first.\n\nDone: {subject.file} does {subject.way} now.\n\n{reply[1]}",
        at,
    )


def _asked(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    at = written.user(f"Start on {subject.name}, turn {turn}; ask me what is open.")
    question = f"Which way for {subject.name}?"
    options = subject.way, subject.other
    asked = {
        "question": question,
        "header": "Way",
        "options": [{"label": option, "description": ""} for option in options],
    }
    tool_use_id = written.tool_use("AskUserQuestion", questions=[asked])
    text = f'User has answered your questions: "{question}"="{subject.way}". You can now continue.'
    result = {"questions": [asked], "answers": {question: subject.way}}
    written.tool_result(
        tool_use_id, text, **({"toolUseResult": result} if turn // len(TURNS) % 2 else {})
    )
    written.assistant(text_block(f"Then I {subject.way}."))
    answered = Answered(question, subject.way, options)
    return Exchange(
        f"Start on {subject.name}, turn {turn}; ask me what is open.",
        f"Then I {subject.way}.",
        at,
        (answered,),
    )


def _secret(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    at = written.user(
        f"Use {SECRET} for {subject.name} ({turn}). <private>A private word.</private>"
    )
    reminder = "<system-reminder>tool noise</system-reminder>"
    written.assistant(text_block(f"I never write {SECRET} down.\n{INJECTED}{reminder}"))
    return Exchange(
        f"Use [REDACTED] for {subject.name} ({turn}).", "I never write [REDACTED] down.", at
    )


def _boundary(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    at = written.command("/tlc:plan", f"{subject.name} ({turn})")
    written.user([text_block("The expanded command: tool noise.")], isMeta=True)
    written.assistant(text_block(f"The plan: {subject.way}."))
    return Exchange(f"/tlc:plan {subject.name} ({turn})", f"The plan: {subject.way}.", at)


def _interrupted(written: TranscriptLines, subject: Subject, turn: int) -> Exchange:
    at = written.user(f"No, do not touch {subject.name} ({turn}).")
    written.user([text_block("[Request interrupted by user]")])
    return Exchange(f"No, do not touch {subject.name} ({turn}).", "", at)


def _built_in(written: TranscriptLines) -> None:
    written.command("/model", "opus")
    written.user("<local-command-stdout>Set model: tool noise</local-command-stdout>")


def _sidechain(written: TranscriptLines) -> None:
    written.user("Look for a sidechain.", isSidechain=True)
    written.assistant(text_block("Found the sidechain."), isSidechain=True)


def _compaction(written: TranscriptLines) -> None:
    written.line(
        "system",
        subtype="compact_boundary",
        compactMetadata={"trigger": "manual", "preTokens": 9_000},
    )
    written.user(
        "This session is continued: tool noise.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )


def _request(written: TranscriptLines) -> None:
    content = [{"type": "text", "text": f"Please look. {INJECTED}"}]
    written.bare("api-request", request={"messages": [{"role": "user", "content": content}]})
    written.bare("queue-operation", operation="enqueue", content="tool noise")


def _attachment(written: TranscriptLines) -> None:
    written.attachment("hook_additional_context", [INJECTED])
    written.line("system", subtype="stop_hook_summary", content="tool noise")


def _broken(written: TranscriptLines) -> None:
    written.broken(BROKEN_LINES[len(written.lines) % len(BROKEN_LINES)])


TURNS: tuple[Callable[[TranscriptLines, Subject, int], Exchange], ...] = (
    *(_plain, _with_tools, _asked, _secret, _boundary, _interrupted),
)
NOISES: tuple[Callable[[TranscriptLines], None], ...] = (
    *(_built_in, _sidechain, _compaction, _request, _attachment, _broken),
)
__all__ = ["PROJECT_ROOT", "SESSION", "make_transcript"]


READER = JsonlTranscripts(Cleaning(PROJECT_ROOT, HOME), BOUNDARY_COMMANDS)
WHEN = "2026-11-21T09:30:00Z"
GOOD = json.dumps({"user": "A prompt", "assistant": "A reply", "timestamp": WHEN}).encode()


def read(folder: Path, data: bytes, position: int = 0) -> list[TranscribedExchange]:
    """Return what is read of *data* as a file in *folder*."""
    file = folder / "transcript.jsonl"
    file.write_bytes(data)
    return list(READER.read(str(file), position))


def prompts(transcribed: list[TranscribedExchange]) -> list[str]:
    """Return what the user said."""
    return [turn.exchange.user for turn in transcribed]


def plain(**fields: Any) -> bytes:
    """Return a line of a plain exchange."""
    return json.dumps(
        {"user": "Another", "assistant": "Reply", "timestamp": WHEN, **fields}
    ).encode()
