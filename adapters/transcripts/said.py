"""What one line of a transcript says, whatever host wrote it."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple

EARLIEST_SECONDS = 1e8
EARLIEST_MILLISECONDS = 1e11


class Question(NamedTuple):
    """
    What the agent asked by a tool.

    Attributes:
        text: The question.
        options: What there is to choose from.

    """

    text: str
    options: tuple[str, ...] = ()


class Result(NamedTuple):
    """
    What a tool gave back.

    Attributes:
        tool_use_id: Its call.
        content: What the agent was told.
        details: What the host knows of it.

    """

    tool_use_id: str
    content: Any
    details: Any


class Said(NamedTuple):
    """
    What a line says that counts.

    Attributes:
        at: When, in UTC; None where the line does not tell.
        session_id: The session, empty where the line does not tell.
        branch: The git branch, likewise.
        prompt: What the user said, which begins an exchange; None where one goes on.
        needs_reply: Whether the prompt is none unless it is replied to.
        replies: What the agent said.
        asked: What it asked, by the id of the tool's call.
        results: What tools gave back.

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
