"""Claude Code transcripts of any length, with all that such files hold, and the exchanges to be captured from them."""

import random
from collections.abc import Callable
from typing import NamedTuple

from hardwon.domain.model.conversation.session import Answered, Exchange
from tests.transcript_lines import INJECTED, PROJECT_ROOT, SESSION, TranscriptLines, text_block

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
