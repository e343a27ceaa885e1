"""
A transcript's lines, one after the other, whatever its size.

Questions that the agent asks by a tool, and what the user answers.

One line of a transcript, whatever host wrote it.
"""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from hardwon.adapters.transcripts.records import objects_in, text_or
from hardwon.domain.model.conversation.session import Answered

LONGEST_LINE = 8_000_000
"""In bytes. A longer one holds some tool's result; nobody says that much."""

_PIECE = 65_536


class Line(NamedTuple):
    """
    A line as it stands in the file.

    Attributes:
        begins_at: In bytes from the file's beginning.
        data: Its bytes; without an end when it is still being written.

    """

    begins_at: int
    data: bytes


def lines_from(file: BinaryIO, position: int) -> Iterator[Line]:
    """
    Yield the lines of *file* from the one that begins at *position* on; those longer than 8 MB are left out.

    Where no line begins at *position*, the file is another one by now: all of it is read. So is what can't be rewound.
    """
    begins_at = position if _begins_a_line(file, position) else 0
    while data := file.readline(LONGEST_LINE):
        if len(data) < LONGEST_LINE or data.endswith(b"\n"):
            yield Line(begins_at, data)
            begins_at += len(data)
        else:
            begins_at += len(data) + _skip_to_the_end(file)


def _begins_a_line(file: BinaryIO, position: int) -> bool:
    """Return whether a line begins at *position* of *file*, which stands there then, else at its beginning."""
    if not file.seekable():
        return False
    file.seek(max(0, position - 1))
    if position > 0 and file.read(1) == b"\n" and file.read(1):
        file.seek(position)
        return True
    file.seek(0)
    return False


def _skip_to_the_end(file: BinaryIO) -> int:
    """Read on to the end of the line; return how many bytes that were."""
    skipped = 0
    while piece := file.readline(_PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


EARLIEST_SECONDS = 1e8
EARLIEST_MILLISECONDS = 1e11


class Question(NamedTuple):
    """
    A question of the agent, asked by a tool.

    Attributes:
        text: The question.
        options: The answers offered.

    """

    text: str
    options: tuple[str, ...] = ()


class Result(NamedTuple):
    """
    The result of a tool.

    Attributes:
        tool_use_id: Its call.
        content: The result as the agent got it.
        details: The result as the host recorded it.

    """

    tool_use_id: str
    content: Any
    details: Any


class Utterance(NamedTuple):
    """
    The part of a line that counts.

    Attributes:
        at: When, in UTC; None where the line does not state it.
        session_id: The session, empty where the line does not state it.
        branch: The git branch, likewise.
        prompt: The user's prompt, which begins an exchange; None where one goes on.
        needs_reply: Whether the prompt counts only with a reply.
        replies: The texts of the agent.
        asked: Its questions, by the id of the tool's call.
        results: The results of tools.

    """

    at: dt.datetime | None
    session_id: str = ""
    branch: str = ""
    prompt: str | None = None
    needs_reply: bool = False
    replies: tuple[str, ...] = ()
    asked: Mapping[str, tuple[Question, ...]] = {}
    results: tuple[Result, ...] = ()


def moment(value: Any) -> dt.datetime | None:
    """
    Return the moment that *value* is, None when it is none.

    A text is ISO 8601, in UTC where it names no zone; a number is Unix time, in seconds or, as JavaScript
    has it, in milliseconds.
    """
    try:
        if isinstance(value, (int, float)) and value >= EARLIEST_SECONDS:
            return dt.datetime.fromtimestamp(value / (1 if value < EARLIEST_MILLISECONDS else 1000), dt.UTC)
        if not isinstance(value, str):
            return None
        when = dt.datetime.fromisoformat(value.strip())
        return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return None


ASKING_TOOL = "AskUserQuestion"
LONGEST_RESULT = 100_000
"""In characters: more is not looked through for an answer."""


def questions_of(given: Any) -> tuple[Question, ...]:
    """Return what the tool was called with to ask."""
    asked = objects_in(given.get("questions")) if isinstance(given, dict) else []
    return tuple(
        Question(
            item["question"], tuple(filter(None, (text_or(o.get("label")) for o in objects_in(item.get("options")))))
        )
        for item in asked
        if text_or(item.get("question")).strip()
    )


def answers_to(questions: tuple[Question, ...], result: Result) -> Iterator[Answered]:
    """Yield those of *questions* that the user answered: what nobody answers decides nothing."""
    answers = result.details.get("answers") if isinstance(result.details, dict) else None
    told = _told(result.content)
    for question in questions:
        answer = _chosen(answers, question.text) or _quoted(told, question.text)
        if answer.strip():
            yield Answered(question.text, answer, question.options)


def _chosen(answers: Any, question: str) -> str:
    answer = answers.get(question) if isinstance(answers, Mapping) else None
    return ", ".join(map(text_or, answer)) if isinstance(answer, list) else text_or(answer)


def _told(content: Any) -> str:
    texts = [content] if isinstance(content, str) else [text_or(part.get("text")) for part in objects_in(content)]
    return "\n".join(texts)[:LONGEST_RESULT]


def _quoted(told: str, question: str) -> str:
    """Return the answer where the agent was told `"question"="answer"`."""
    _, found, rest = told.partition(f'"{question}"="')
    answer = re.search(r'(.*?)"(?=, "|[.\s]|\Z)', rest, re.DOTALL) if found else None
    return answer[1] if answer else ""
