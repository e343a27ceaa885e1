"""
Parse a transcript's lines into utterances and answered questions.

A transcript is one of Claude Code, a Codex rollout, or a list of plain exchanges.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import attrs

from hardwon.adapters.transcripts.records import (
    SYNTHETIC,
    message_in,
    objects_in,
    text_or,
    texts_in,
)
from hardwon.adapters.transcripts.tool_calls import (
    ToolCall,
    ToolEnd,
    call_in_codex,
    calls_in_claude_code,
    end_in_claude_code,
    end_in_codex,
    words_of_refusal,
)
from hardwon.domain.model.conversation.session import Answered
from hardwon.domain.model.host_text import without_host_text

MAX_LINE_BYTES = 8_000_000
"""A longer line holds a tool's result."""

_PIECE = 65_536


class TranscriptLine(NamedTuple):
    """
    A line of a file.

    Attributes:
        begins_at: In bytes from the file's beginning.
    """

    begins_at: int
    data: bytes


def lines_from(file: BinaryIO, position: int) -> Iterator[TranscriptLine]:
    """
    Yield the lines of *file* from *position* on, up to 8 MB each.

    If no line begins at *position*, the file was replaced: all of it is read. A stream that can't
    seek is read from where it is.
    """
    begins_at = position if _begins_a_line(file, position) else 0
    while data := file.readline(MAX_LINE_BYTES):
        if len(data) < MAX_LINE_BYTES or data.endswith(b"\n"):
            yield TranscriptLine(begins_at, data)
            begins_at += len(data)
        else:
            begins_at += len(data) + _skip_to_the_end(file)


def _begins_a_line(file: BinaryIO, position: int) -> bool:
    if not file.seekable():
        return False
    file.seek(max(0, position - 1))
    if position > 0 and file.read(1) == b"\n" and file.read(1):
        file.seek(position)
        return True
    file.seek(0)
    return False


def _skip_to_the_end(file: BinaryIO) -> int:
    skipped = 0
    while piece := file.readline(_PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


_UNIX_TIME = re.compile(r"\d{9,13}(?:\.\d{1,9})?")
MIN_SECONDS = 1e8
MIN_MILLISECONDS = 1e11


class ToolQuestion(NamedTuple):
    """A question that the agent asked by a tool, with its options."""

    text: str
    options: tuple[str, ...] = ()


class ToolResult(NamedTuple):
    """
    The result of a tool.

    Attributes:
        details: As the host recorded it.
        end: How the call ended.
    """

    tool_use_id: str
    content: Any
    details: Any
    end: ToolEnd


@attrs.frozen(kw_only=True)
class Utterance:
    """
    The texts of a line that belong to the conversation.

    Attributes:
        at: In UTC; None if the line has no timestamp.
        forked_from: The session that a fork copied the line from; empty for its own lines.
        prompt: It begins an exchange; None if the exchange goes on.
        needs_reply: Whether the prompt counts only with a reply.
        asked: The agent's questions, by the id of the tool's call.
        calls: The agent's calls of other tools, likewise.
    """

    at: dt.datetime | None
    session_id: str = ""
    branch: str = ""
    forked_from: str = ""
    prompt: str | None = None
    needs_reply: bool = False
    replies: tuple[str, ...] = ()
    asked: Mapping[str, tuple[ToolQuestion, ...]] = {}
    calls: Mapping[str, ToolCall] = {}
    results: tuple[ToolResult, ...] = ()


def parsed_timestamp(value: Any) -> dt.datetime | None:
    """
    Parse a timestamp, and return None if *value* is none.

    A text is ISO 8601, in UTC if it names no zone. A number, also as text, is Unix time, in seconds
    or, as in JavaScript, milliseconds.
    """
    if isinstance(value, str) and (number := _UNIX_TIME.fullmatch(value.strip())):
        value = float(number[0])
    try:
        if isinstance(value, (int, float)) and value >= MIN_SECONDS:
            return dt.datetime.fromtimestamp(
                value / (1 if value < MIN_MILLISECONDS else 1000), dt.UTC
            )
        if not isinstance(value, str):
            return None
        when = dt.datetime.fromisoformat(value.strip())
        return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return None


ASKING_TOOL = "AskUserQuestion"
MAX_RESULT = 100_000
"""Characters of a result that are searched for an answer."""


def questions_of(given: Any) -> tuple[ToolQuestion, ...]:
    """Parse the questions in the input of the asking tool."""
    asked = objects_in(given.get("questions")) if isinstance(given, dict) else []
    return tuple(
        ToolQuestion(
            item["question"],
            tuple(filter(None, (text_or(o.get("label")) for o in objects_in(item.get("options"))))),
        )
        for item in asked
        if text_or(item.get("question")).strip()
    )


def answers_to(questions: tuple[ToolQuestion, ...], result: ToolResult) -> Iterator[Answered]:
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
    _, found, rest = text.partition(f'"{question}"="')
    answer = re.search(r'(.*?)"(?=, "|[.\s]|\Z)', rest, re.DOTALL) if found else None
    return answer[1] if answer else ""


_NOT_UTTERED = (
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isSidechain",
    "isApiErrorMessage",
)
HUMAN = "human"
"""Claude Code's name of the user as the writer of a prompt."""

_INTERRUPTED = "[Request interrupted by user"
_COMMAND = re.compile(r"\s*<command-(?:name|message)>")
_NAME = re.compile(r"<command-name>\s*/?([^<>\s]+)\s*</command-name>")
_INSTRUCTIONS = re.compile(r"\s*(?:<skill\b|# AGENTS\.md instructions)")
_ARGUMENTS, _ARGUMENTS_END = "<command-args>", "</command-args>"


def utterance_in_claude_code(
    line: Mapping[str, Any], boundaries: Collection[str]
) -> Utterance | None:
    """
    Return the utterance in a line of Claude Code, None without one.

    Only commands in *boundaries* keep their arguments.
    """
    message = message_in(line)
    if not isinstance(message, dict) or any(line.get(mark) for mark in _NOT_UTTERED):
        return None
    if _writer(line) not in {"", HUMAN}:
        return None
    origin = line.get("forkedFrom")
    own = Utterance(
        at=parsed_timestamp(line.get("timestamp")),
        session_id=text_or(line.get("sessionId")),
        branch=text_or(line.get("gitBranch")),
        forked_from=text_or(origin.get("sessionId")) if isinstance(origin, dict) else "",
    )
    if line["type"] == "assistant":
        return _from_agent(own, message)
    return _from_user(own, line, content=message.get("content"), boundaries=boundaries)


def _writer(line: Mapping[str, Any]) -> str:
    """Return who wrote a prompt, empty in a *line* of an older Claude Code."""
    origin = line.get("origin")
    return text_or(origin.get("kind")) if isinstance(origin, dict) else ""


def _from_agent(own: Utterance, message: Mapping[str, Any]) -> Utterance | None:
    content = message.get("content")
    if message.get("model") == SYNTHETIC:
        return None
    replies = tuple(_texts(content))
    asked = {
        text_or(block.get("id")): questions_of(block.get("input"))
        for block in objects_in(content)
        if block.get("type") == "tool_use" and block.get("name") == ASKING_TOOL
    }
    calls = dict(calls_in_claude_code(content))
    if not (replies or asked or calls):
        return None
    return attrs.evolve(own, replies=replies, asked=asked, calls=calls)


def _from_user(
    own: Utterance, line: Mapping[str, Any], content: Any, boundaries: Collection[str]
) -> Utterance | None:
    blocks, details = objects_in(content), line.get("toolUseResult")
    ends = [block for block in blocks if block.get("type") == "tool_result"]
    results = tuple(
        ToolResult(
            text_or(block.get("tool_use_id")),
            content=block.get("content"),
            details=details,
            end=end_in_claude_code(block, details),
        )
        for block in ends
    )
    refusals = (words_of_refusal(line, block) for block in ends)
    texts = [*filter(None, map(_words_of_user, (*refusals, *_texts(content))))]
    shows = any(block.get("type") in ("image", "document") for block in blocks)
    if texts or shows:
        prompted = _prompted(own, "\n\n".join(texts), boundaries)
        return prompted and attrs.evolve(prompted, results=results)
    return attrs.evolve(own, results=results) if results else None


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    texts = (block.get("text") for block in objects_in(content) if block.get("type") == "text")
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _words_of_user(text: str) -> str:
    """Return *text* without the host's additions, unless it is a command."""
    if _COMMAND.match(text):
        return text
    words = without_host_text(text).strip()
    return "" if words.startswith(_INTERRUPTED) else words


def _prompted(own: Utterance, text: str, boundaries: Collection[str]) -> Utterance | None:
    if not _COMMAND.match(text):
        return attrs.evolve(own, prompt=text)
    name = _NAME.search(text)
    if name is None:
        return None
    command = f"/{name[1]}"
    if command not in boundaries:
        return attrs.evolve(own, prompt=command, needs_reply=True)
    return attrs.evolve(own, prompt=f"{command} {_arguments(text)}".strip())


def _arguments(text: str) -> str:
    arguments, is_closed, _ = text.partition(_ARGUMENTS)[2].partition(_ARGUMENTS_END)
    return arguments if is_closed else ""


def utterance_in_codex(line: Mapping[str, Any]) -> Utterance | None:
    """Return the utterance in a Codex rollout's line, None without one."""
    payload = line.get("payload")
    if not isinstance(payload, dict):
        return None
    own = Utterance(at=parsed_timestamp(line.get("timestamp")))
    if payload.get("type") != "message":
        return _tool_of_codex(own, payload)
    blocks = objects_in(payload.get("content"))
    texts = [text for text in (text_or(block.get("text")) for block in blocks) if text.strip()]
    if payload.get("role") == "assistant":
        return attrs.evolve(own, replies=tuple(texts)) if texts else None
    typed = [
        *filter(
            None,
            (without_host_text(text).strip() for text in texts if not _INSTRUCTIONS.match(text)),
        )
    ]
    return (
        attrs.evolve(own, prompt="\n\n".join(typed))
        if typed and payload.get("role") == "user"
        else None
    )


def _tool_of_codex(own: Utterance, payload: Mapping[str, Any]) -> Utterance | None:
    if call := call_in_codex(payload):
        return attrs.evolve(own, calls=dict([call]))
    if end := end_in_codex(payload):
        result = ToolResult(end[0], content=None, details=None, end=end[1])
        return attrs.evolve(own, results=(result,))
    return None


def utterance_in_plain(line: Mapping[str, Any]) -> Utterance | None:
    """Return the exchange in a line `{"user", "assistant", "timestamp"}`, None without one."""
    user, assistant = line.get("user") or "", line.get("assistant") or ""
    if (
        not isinstance(user, str)
        or not isinstance(assistant, str)
        or not (user + assistant).strip()
    ):
        return None
    return Utterance(at=parsed_timestamp(line.get("timestamp")), prompt=user, replies=(assistant,))
