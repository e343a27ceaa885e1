"""Read a transcript's exchanges in order, without secrets, in constant memory."""

import codecs
import contextlib
import datetime as dt
import re
import sys
from collections.abc import Iterator
from typing import BinaryIO

from hardwon.adapters.transcripts.action_log import ActionLog
from hardwon.adapters.transcripts.records import object_in
from hardwon.adapters.transcripts.utterances import (
    ToolQuestion,
    TranscriptLine,
    Utterance,
    answers_to,
    lines_from,
    utterance_in_claude_code,
    utterance_in_codex,
    utterance_in_plain,
)
from hardwon.domain.model.conversation.session import ENDS_OF_QUESTION, Answered, Exchange
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.pause import Pause, is_off_record
from hardwon.domain.model.redaction import REDACTED, Cleaning
from hardwon.ports.override import override
from hardwon.ports.transcripts import STANDARD_INPUT, TranscribedExchange, Transcripts

LONGEST_TEXT = 100_000
"""
Characters of a prompt or a reply that are kept.

A longer one is a log.
"""

MAX_CLEANED = 10 * LONGEST_TEXT
"""Characters that are cleaned before the cut: cleaning may remove many."""

CUT = "\n\n[…]"


class _OpenExchange:
    def __init__(
        self, utterance: Utterance, begins_at: int, at: dt.datetime, cleaning: Cleaning
    ) -> None:
        self._begins_at, self._at = begins_at, at
        self._session_id, self._branch = utterance.session_id, utterance.branch
        self._needs_reply = utterance.needs_reply
        self._prompt = utterance.prompt or ""
        self._replies: list[str] = []
        self._room = MAX_CLEANED
        self._asked: dict[str, tuple[ToolQuestion, ...]] = {}
        self._answers: list[Answered] = []
        self._cleaning = cleaning
        self._log = ActionLog(cleaning)

    def add(self, utterance: Utterance) -> None:
        for reply in utterance.replies:
            if self._room > 0:
                self._replies.append(reply)
                self._room -= len(reply)
        self._asked |= utterance.asked
        for result in utterance.results:
            self._answers += answers_to(self._asked.pop(result.tool_use_id, ()), result)
        self._log.add(utterance)

    def transcribed(self, *, is_over: bool) -> Iterator[TranscribedExchange]:
        cleaning = self._cleaning
        user = _beginning(self._prompt, cleaning)
        assistant = _beginning("\n\n".join(self._replies), cleaning)
        answers = tuple(self._clean_answers(cleaning))
        is_prompted = bool(user) and not self._needs_reply
        if is_prompted or assistant or answers:
            exchange = Exchange(user=user, assistant=assistant, at=self._at, answers=answers)
            yield TranscribedExchange(
                exchange=exchange,
                begins_at=self._begins_at,
                is_over=is_over,
                session_id=self._session_id,
                branch=self._branch,
                actions=tuple(self._log.actions),
            )

    def _clean_answers(self, cleaning: Cleaning) -> Iterator[Answered]:
        for question, *texts in (
            (answered.question, answered.answer, *answered.options) for answered in self._answers
        ):
            asked = _beginning(question, cleaning)
            answer, *options = (
                _clean_beside(asked, _beginning(text, cleaning), cleaning) for text in texts
            )
            if answer:
                yield Answered(asked, answer, tuple(options))


def _clean_beside(question: str, answer: str, cleaning: Cleaning) -> str:
    """Remove secrets that only the *question* reveals, such as `Which password?`."""
    for before in (f"{question.rstrip(ENDS_OF_QUESTION)}: ", f"{question} "):
        joined = f"{before}{answer}"
        if question and answer and (clean := cleaning(joined)) != joined:
            answer = clean[len(before) :] if clean.startswith(before) else REDACTED
    return answer


def _beginning(text: str, cleaning: Cleaning) -> str:
    """Clean *text*, then cut it, so that no secret is cut in two."""
    clean = cleaning.beginning(text, MAX_CLEANED)
    return clean if len(clean) <= LONGEST_TEXT else clean[:LONGEST_TEXT].rstrip() + CUT


_TICK = dt.timedelta(milliseconds=1)
_LATEST = dt.datetime.max.replace(tzinfo=dt.UTC) - _TICK

_HAS_UTTERANCE = re.compile(
    rb'"type"\s*:\s*"(?:user|assistant|response_item|queued_command)"|"(?:user|assistant)"\s*:'
)
"""
Matches every line with an utterance.

Parsing all other lines would take most of the time.
"""


_IS_RECORD = re.compile(rb'\s*\{.*"(?:type|user|assistant)"\s*:', re.DOTALL)
"""Matches each line of a transcript, also those without an utterance."""


class JsonlTranscripts(Transcripts):
    """
    Transcripts of one JSON object a line.

    They are Claude Code's, Codex's rollouts, and plain exchanges.

    Attributes:
        cleaning: Removes secrets from all texts.
        boundaries: Slash commands that are kept with their arguments.
        pauses: Utterances during them are left out, and answers to such prompts.
    """

    def __init__(
        self, cleaning: Cleaning, boundaries: tuple[str, ...], pauses: tuple[Pause, ...] = ()
    ) -> None:
        self.cleaning = cleaning
        self.boundaries = boundaries
        self.pauses = pauses

    @override
    def read(self, path: str, position: int = 0) -> Iterator[TranscribedExchange]:
        try:
            with _opened(path) as file:
                yield from self._exchanges(file, path, position)
        except OSError as error:
            raise UnreadableFileError(f"{path!r}: {error.strerror or error}") from error

    def _exchanges(self, file: BinaryIO, path: str, position: int) -> Iterator[TranscribedExchange]:
        growing, last, undated, is_paused = None, None, 0, False
        for line, utterance in self._utterances(file, path, position):
            last = _dated(
                utterance, last or (utterance.at or self._timestamp_before(path, line.begins_at))
            )
            if last is None:
                undated += 1
                continue
            is_left_out = is_off_record(
                self.pauses, utterance.forked_from or utterance.session_id, last
            )
            if utterance.prompt is not None:
                if growing:
                    yield from growing.transcribed(is_over=True)
                growing, is_paused = None, is_left_out
            if not (is_paused or is_left_out):
                growing = growing or _OpenExchange(
                    utterance, line.begins_at, at=last, cleaning=self.cleaning
                )
                growing.add(utterance)
        if growing:
            yield from growing.transcribed(is_over=False)
        elif undated:
            raise UnreadableFileError(
                f"{path!r}: none of its exchanges has a timestamp, such as 2026-11-21T09:30:00Z"
            )

    def _utterances(
        self, file: BinaryIO, path: str, position: int
    ) -> Iterator[tuple[TranscriptLine, Utterance]]:
        is_empty, is_transcript = True, False
        for line in lines_from(file, position):
            is_empty = is_empty and not line.data.strip()
            is_transcript = is_transcript or _is_record(line.data.removeprefix(codecs.BOM_UTF8))
            if utterance := self._utterance(line.data):
                yield line, utterance
        if not (is_empty or is_transcript):
            raise UnreadableFileError(
                f"{path!r}: no line of it is a record of a transcript; hardwon import reads the"
                " exports of chats"
            )

    def _utterance(self, data: bytes) -> Utterance | None:
        document = object_in(data) if _HAS_UTTERANCE.search(data) else {}
        match document.get("type"):
            case "user" | "assistant" | "attachment":
                return utterance_in_claude_code(document, self.boundaries)
            case "response_item":
                return utterance_in_codex(document)
            case None:
                return utterance_in_plain(document)
            case _:
                return None

    def _timestamp_before(self, path: str, position: int) -> dt.datetime | None:
        last = None
        with contextlib.suppress(OSError), _opened(path) as file:
            if not file.seekable():
                return None
            for line in lines_from(file, 0):
                if line.begins_at >= position:
                    break
                utterance = self._utterance(line.data)
                last = _dated(utterance, last) if utterance else last
        return last


def _is_record(line: bytes) -> bool:
    """Return whether *line* is one of a transcript, perhaps half-written."""
    is_unfinished = line.lstrip().startswith(b"{") and not line.endswith(b"\n")
    return bool(_IS_RECORD.match(line)) or (is_unfinished and not object_in(line))


def _dated(utterance: Utterance, last: dt.datetime | None) -> dt.datetime | None:
    begins_undated = utterance.at is None and utterance.prompt is not None
    return min(last, _LATEST) + _TICK if last and begins_undated else utterance.at or last


def _opened(path: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if path != STANDARD_INPUT:
        return open(path, "rb")
    if sys.stdin is None:
        raise UnreadableFileError("standard input is closed")
    return contextlib.nullcontext(sys.stdin.buffer)
