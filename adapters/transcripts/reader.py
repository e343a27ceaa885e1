"""An exchange while its lines are read."""

import contextlib
import datetime as dt
import json
import re
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from hardwon.adapters.transcripts.claude_code import utterance_in_claude_code
from hardwon.adapters.transcripts.codex import utterance_in_codex, utterance_in_plain
from hardwon.adapters.transcripts.said import Line, Question, Utterance, answers_to, lines_from
from hardwon.domain.model.conversation.session import ENDS_OF_QUESTION, Answered, Exchange
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.redaction import REDACTED, Cleaning
from hardwon.ports.transcripts import STANDARD_INPUT, Transcribed, Transcripts

LONGEST_TEXT = 100_000
"""In characters: so much of a prompt or a reply is kept. More is a log, which no file of a project should hold."""

LOOKED_AT = 10 * LONGEST_TEXT
"""So much of it is cleaned: much may go from it."""

CUT = "\n\n[…]"


class Growing:
    """An exchange of which more may come."""

    def __init__(self, utterance: Utterance, begins_at: int, at: dt.datetime) -> None:
        self._begins_at, self._at = begins_at, at
        self._session_id, self._branch = utterance.session_id, utterance.branch
        self._needs_reply = utterance.needs_reply
        self._prompt = utterance.prompt or ""
        self._replies: list[str] = []
        self._room = LOOKED_AT
        self._asked: dict[str, tuple[Question, ...]] = {}
        self._answers: list[Answered] = []

    def add(self, utterance: Utterance) -> None:
        """Take in more of it."""
        for reply in utterance.replies:
            if self._room > 0:
                self._replies.append(reply)
                self._room -= len(reply)
        self._asked |= utterance.asked
        for result in utterance.results:
            self._answers += answers_to(self._asked.pop(result.tool_use_id, ()), result)

    def kept(self, cleaning: Cleaning, *, is_over: bool) -> Iterator[Transcribed]:
        """Yield the exchange as it is now; nothing when nothing of it is to be kept."""
        user = _kept(self._prompt, cleaning)
        assistant = _kept("\n\n".join(self._replies), cleaning)
        answers = tuple(self._clean_answers(cleaning))
        is_prompted = bool(user) and not self._needs_reply
        if is_prompted or assistant or answers:
            exchange = Exchange(user, assistant, self._at, answers)
            yield Transcribed(exchange, self._begins_at, is_over, self._session_id, self._branch)

    def _clean_answers(self, cleaning: Cleaning) -> Iterator[Answered]:
        for question, *texts in ((answered.question, answered.answer, *answered.options) for answered in self._answers):
            asked = _kept(question, cleaning)
            answer, *options = (_clean_beside(asked, _kept(text, cleaning), cleaning) for text in texts)
            if answer:
                yield Answered(asked, answer, tuple(options))


def _clean_beside(question: str, answer: str, cleaning: Cleaning) -> str:
    """Return *answer* without what only its *question*, such as `Which password?`, tells to be a secret."""
    for before in (f"{question.rstrip(ENDS_OF_QUESTION)}: ", f"{question} "):
        joined = f"{before}{answer}"
        if question and answer and (clean := cleaning(joined)) != joined:
            answer = clean[len(before) :] if clean.startswith(before) else REDACTED
    return answer


def _kept(text: str, cleaning: Cleaning) -> str:
    """Return the beginning of *text* that is kept, cut where no secret is cut in two."""
    clean = cleaning.beginning(text, LOOKED_AT)
    return clean if len(clean) <= LONGEST_TEXT else clean[:LONGEST_TEXT].rstrip() + CUT


_TICK = dt.timedelta(milliseconds=1)
_LATEST = dt.datetime.max.replace(tzinfo=dt.UTC) - _TICK

_MAY_COUNT = re.compile(rb'"type"\s*:\s*"(?:user|assistant|response_item)"|"(?:user|assistant)"\s*:')
"""Found in every line with an utterance; most lines have none, and parsing all would take most of the time."""


class JsonlTranscripts(Transcripts):
    """
    Transcripts of one JSON object a line: Claude Code's, Codex's rollouts, and plain exchanges.

    The format of a line is seen from the line.

    Attributes:
        cleaning: Applied to all texts.
        boundaries: Slash commands that are kept with their arguments.

    """

    def __init__(self, cleaning: Cleaning, boundaries: tuple[str, ...]) -> None:
        self.cleaning = cleaning
        self.boundaries = boundaries

    def read(self, path: str, position: int = 0) -> Iterator[Transcribed]:
        try:
            with _opened(path) as file:
                yield from self._exchanges(file, path, position)
        except OSError as error:
            raise UnreadableFileError(f"{path!r}: {error.strerror or error}") from error

    def _exchanges(self, file: BinaryIO, path: str, position: int) -> Iterator[Transcribed]:
        growing, last, undated = None, None, 0
        for line, utterance in self._utterances(file, path, position):
            last = _dated(utterance, last or (utterance.at or self._moment_before(path, line.begins_at)))
            if last is None:
                undated += 1
                continue
            if growing is None or utterance.prompt is not None:
                if growing:
                    yield from growing.kept(self.cleaning, is_over=True)
                growing = Growing(utterance, line.begins_at, last)
            growing.add(utterance)
        if growing:
            yield from growing.kept(self.cleaning, is_over=False)
        elif undated:
            raise UnreadableFileError(f"{path!r}: none of its exchanges has a timestamp, such as 2026-11-21T09:30:00Z")

    def _utterances(self, file: BinaryIO, path: str, position: int) -> Iterator[tuple[Line, Utterance]]:
        is_empty, is_transcript = True, False
        for line in lines_from(file, position):
            is_empty = is_empty and not line.data.strip()
            is_transcript = is_transcript or line.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
            if utterance := self._understood(line.data):
                yield line, utterance
        if not (is_empty or is_transcript):
            raise UnreadableFileError(f"{path!r}: no line of it is a JSON object, so it is no transcript")

    def _understood(self, data: bytes) -> Utterance | None:
        """Return the utterance of a line; None without one, or when it can't be read."""
        document = _document(data) if _MAY_COUNT.search(data) else {}
        match document.get("type"):
            case "user" | "assistant":
                return utterance_in_claude_code(document, self.boundaries)
            case "response_item":
                return utterance_in_codex(document)
            case None:
                return utterance_in_plain(document)
            case _:
                return None

    def _moment_before(self, path: str, position: int) -> dt.datetime | None:
        """Return the last moment before *position*, which dates an exchange without its own."""
        last = None
        with contextlib.suppress(OSError), _opened(path) as file:
            if not file.seekable():
                return None
            for line in lines_from(file, 0):
                if line.begins_at >= position:
                    break
                utterance = self._understood(line.data)
                last = _dated(utterance, last) if utterance else last
        return last


def _dated(utterance: Utterance, last: dt.datetime | None) -> dt.datetime | None:
    """Return the moment of an utterance after *last*; an exchange without its own is a millisecond later."""
    begins_undated = utterance.at is None and utterance.prompt is not None
    return min(last, _LATEST) + _TICK if last and begins_undated else utterance.at or last


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _opened(path: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if path != STANDARD_INPUT:
        return open(path, "rb")
    if sys.stdin is None:
        raise UnreadableFileError("standard input is closed")
    return contextlib.nullcontext(sys.stdin.buffer)
