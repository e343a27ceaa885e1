"""Transcripts of Claude Code."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from hardwon.adapters.transcripts.records import objects_in, text_or
from hardwon.adapters.transcripts.said import ASKING_TOOL, Result, Utterance, moment, questions_of

_NOT_SAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")
_SYNTHETIC = "<synthetic>"
_NOISE = re.compile(
    r"\s*(?:\[Request\ interrupted\ by\ user"
    r"|<(?:local-command-\w+|bash-\w+|task-notification)\b"
    r"|<system-reminder>.*</system-reminder>\s*\Z)",
    re.DOTALL | re.VERBOSE,
)
_COMMAND = re.compile(r"\s*<command-(?:name|message)>")
_NAME = re.compile(r"<command-name>\s*/?([^<>\s]+)\s*</command-name>")
_ARGUMENTS, _ARGUMENTS_END = "<command-args>", "</command-args>"


def utterance_in_claude_code(line: Mapping[str, Any], boundaries: Collection[str]) -> Utterance | None:
    """Return what *line* says, None when that is nothing; only commands of *boundaries* are kept with what follows them."""
    message = line.get("message")
    if not isinstance(message, dict) or any(line.get(mark) for mark in _NOT_SAID):
        return None
    own = Utterance(moment(line.get("timestamp")), text_or(line.get("sessionId")), text_or(line.get("gitBranch")))
    if line["type"] == "assistant":
        return _by_the_agent(own, message)
    return _in_the_users_place(own, message.get("content"), line.get("toolUseResult"), boundaries)


def _by_the_agent(own: Utterance, message: Mapping[str, Any]) -> Utterance | None:
    content = message.get("content")
    if message.get("model") == _SYNTHETIC:
        return None
    replies = tuple(_texts(content))
    asked = {
        text_or(block.get("id")): questions_of(block.get("input"))
        for block in objects_in(content)
        if block.get("type") == "tool_use" and block.get("name") == ASKING_TOOL
    }
    return own._replace(replies=replies, asked=asked) if replies or asked else None


def _in_the_users_place(own: Utterance, content: Any, details: Any, boundaries: Collection[str]) -> Utterance | None:
    blocks = objects_in(content)
    results = tuple(
        Result(text_or(block.get("tool_use_id")), block.get("content"), details)
        for block in blocks
        if block.get("type") == "tool_result"
    )
    texts = [text for text in _texts(content) if not _NOISE.match(text)]
    shows = any(block.get("type") in ("image", "document") for block in blocks)
    if texts or shows:
        prompted = _prompted(own, "\n\n".join(texts), boundaries)
        return prompted and prompted._replace(results=results)
    return own._replace(results=results) if results else None


def _texts(content: Any) -> list[str]:
    """Return the texts of a message, which is a text itself or made of blocks."""
    if isinstance(content, str):
        return [content] if content.strip() else []
    texts = (block.get("text") for block in objects_in(content) if block.get("type") == "text")
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _prompted(own: Utterance, text: str, boundaries: Collection[str]) -> Utterance | None:
    if not _COMMAND.match(text):
        return own._replace(prompt=text)
    name = _NAME.search(text)
    if name is None:
        return None
    command = f"/{name[1]}"
    if command not in boundaries:
        return own._replace(prompt=command, needs_reply=True)
    return own._replace(prompt=f"{command} {_arguments(text)}".strip())


def _arguments(text: str) -> str:
    arguments, is_closed, _ = text.partition(_ARGUMENTS)[2].partition(_ARGUMENTS_END)
    return arguments if is_closed else ""
