"""Lines of a transcript, the utterance that a line holds, and answers to questions that the agent asked by a tool."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from hardwon.adapters.transcripts.records import objects_in, text_or, texts_in
from hardwon.domain.model.conversation.session import Answered

MAX_LINE_BYTES = 8_000_000
"""In bytes. A longer line holds a tool's result."""

_PIECE = 65_536


class Line(NamedTuple):
    """
    A line of a file.

    Attributes:
        begins_at: In bytes from the file's beginning.
        data: Its bytes; without an end when it is still being written.

    """

    begins_at: int
    data: bytes


def lines_from(file: BinaryIO, position: int) -> Iterator[Line]:
    """
    Yield the lines of *file* from *position* on, without those longer than 8 MB.

    Where no line begins at *position*, the file was replaced: all of it is read. A stream that can't seek is read from where it is.
    """
    begins_at = position if _begins_a_line(file, position) else 0
    while data := file.readline(MAX_LINE_BYTES):
        if len(data) < MAX_LINE_BYTES or data.endswith(b"\n"):
            yield Line(begins_at, data)
            begins_at += len(data)
        else:
            begins_at += len(data) + _skip_to_the_end(file)


def _begins_a_line(file: BinaryIO, position: int) -> bool:
    """Seek *position* and return True where a line begins there; else seek the beginning."""
    if not file.seekable():
        return False
    file.seek(max(0, position - 1))
    if position > 0 and file.read(1) == b"\n" and file.read(1):
        file.seek(position)
        return True
    file.seek(0)
    return False


def _skip_to_the_end(file: BinaryIO) -> int:
    """Read to the end of the line; return the number of bytes read."""
    skipped = 0
    while piece := file.readline(_PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


MIN_SECONDS = 1e8
MIN_MILLISECONDS = 1e11


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
    The texts of a line that belong to the conversation.

    Attributes:
        at: In UTC; None where the line has no timestamp.
        session_id: Empty where the line has none.
        branch: The git branch, likewise.
        forked_from: The session that a fork copied the line from; empty where it was said in this one.
        prompt: The user's prompt, which begins an exchange; None where the exchange goes on.
        needs_reply: Whether the prompt counts only with a reply.
        replies: The texts of the agent.
        asked: Its questions, by the id of the tool's call.
        results: The results of tools.

    """

    at: dt.datetime | None
    session_id: str = ""
    branch: str = ""
    forked_from: str = ""
    prompt: str | None = None
    needs_reply: bool = False
    replies: tuple[str, ...] = ()
    asked: Mapping[str, tuple[Question, ...]] = {}
    results: tuple[Result, ...] = ()


def parsed_timestamp(value: Any) -> dt.datetime | None:
    """
    Parse a timestamp; None when *value* is none.

    A text is ISO 8601, in UTC where it names no zone; a number is Unix time, in seconds or, as JavaScript
    has it, in milliseconds.
    """
    try:
        if isinstance(value, (int, float)) and value >= MIN_SECONDS:
            return dt.datetime.fromtimestamp(value / (1 if value < MIN_MILLISECONDS else 1000), dt.UTC)
        if not isinstance(value, str):
            return None
        when = dt.datetime.fromisoformat(value.strip())
        return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return None


ASKING_TOOL = "AskUserQuestion"
MAX_RESULT = 100_000
"""In characters: an answer is searched in this much of a result."""


def questions_of(given: Any) -> tuple[Question, ...]:
    """Parse the questions in the input of the asking tool."""
    asked = objects_in(given.get("questions")) if isinstance(given, dict) else []
    return tuple(
        Question(
            item["question"], tuple(filter(None, (text_or(o.get("label")) for o in objects_in(item.get("options")))))
        )
        for item in asked
        if text_or(item.get("question")).strip()
    )


def answers_to(questions: tuple[Question, ...], result: Result) -> Iterator[Answered]:
    """Yield those of *questions* that *result* answers."""
    answers = result.details.get("answers") if isinstance(result.details, dict) else None
    text = "\n".join(texts_in(result.content))[:MAX_RESULT]
    for question in questions:
        answer = _chosen(answers, question.text) or _quoted(text, question.text)
        if answer.strip():
            yield Answered(question.text, answer, question.options)


def _chosen(answers: Any, question: str) -> str:
    answer = answers.get(question) if isinstance(answers, Mapping) else None
    return ", ".join(map(text_or, answer)) if isinstance(answer, list) else text_or(answer)


def _quoted(text: str, question: str) -> str:
    """Return the answer where *text* has `"question"="answer"`."""
    _, found, rest = text.partition(f'"{question}"="')
    answer = re.search(r'(.*?)"(?=, "|[.\s]|\Z)', rest, re.DOTALL) if found else None
    return answer[1] if answer else ""
