"""The utterance in a line of a transcript: of Claude Code, of a Codex rollout, or a plain exchange."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from hardwon.adapters.transcripts.records import objects_in, text_or
from hardwon.adapters.transcripts.utterances import ASKING_TOOL, Result, Utterance, parsed_timestamp, questions_of
from hardwon.domain.model.host_text import without_host_text

_NOT_UTTERED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = "[Request interrupted by user"
_COMMAND = re.compile(r"\s*<command-(?:name|message)>")
_NAME = re.compile(r"<command-name>\s*/?([^<>\s]+)\s*</command-name>")
_INSTRUCTIONS = re.compile(r"\s*(?:<skill\b|# AGENTS\.md instructions)")
_ARGUMENTS, _ARGUMENTS_END = "<command-args>", "</command-args>"


def utterance_in_claude_code(line: Mapping[str, Any], boundaries: Collection[str]) -> Utterance | None:
    """Return the utterance of a line of Claude Code, None without one; only commands in *boundaries* keep their arguments."""
    message = line.get("message")
    if not isinstance(message, dict) or any(line.get(mark) for mark in _NOT_UTTERED):
        return None
    origin = line.get("forkedFrom")
    own = Utterance(
        parsed_timestamp(line.get("timestamp")),
        text_or(line.get("sessionId")),
        text_or(line.get("gitBranch")),
        text_or(origin.get("sessionId")) if isinstance(origin, dict) else "",
    )
    if line["type"] == "assistant":
        return _from_agent(own, message)
    return _from_user(own, message.get("content"), line.get("toolUseResult"), boundaries)


def _from_agent(own: Utterance, message: Mapping[str, Any]) -> Utterance | None:
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


def _from_user(own: Utterance, content: Any, details: Any, boundaries: Collection[str]) -> Utterance | None:
    blocks = objects_in(content)
    results = tuple(
        Result(text_or(block.get("tool_use_id")), block.get("content"), details)
        for block in blocks
        if block.get("type") == "tool_result"
    )
    texts = [*filter(None, map(_words_of_user, _texts(content)))]
    shows = any(block.get("type") in ("image", "document") for block in blocks)
    if texts or shows:
        prompted = _prompted(own, "\n\n".join(texts), boundaries)
        return prompted and prompted._replace(results=results)
    return own._replace(results=results) if results else None


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    texts = (block.get("text") for block in objects_in(content) if block.get("type") == "text")
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _words_of_user(text: str) -> str:
    """Return *text* without what the host says in it, but for a command, whose name is the user's."""
    if _COMMAND.match(text):
        return text
    words = without_host_text(text).strip()
    return "" if words.startswith(_INTERRUPTED) else words


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


def utterance_in_codex(line: Mapping[str, Any]) -> Utterance | None:
    """Return the utterance of a line of a Codex rollout, None without one."""
    payload = line.get("payload")
    if not isinstance(payload, dict) or payload.get("type") != "message":
        return None
    blocks = objects_in(payload.get("content"))
    texts = [text for text in (text_or(block.get("text")) for block in blocks) if text.strip()]
    own = Utterance(parsed_timestamp(line.get("timestamp")))
    if payload.get("role") == "assistant":
        return own._replace(replies=tuple(texts)) if texts else None
    typed = [*filter(None, (without_host_text(text).strip() for text in texts if not _INSTRUCTIONS.match(text)))]
    return own._replace(prompt="\n\n".join(typed)) if typed and payload.get("role") == "user" else None


def utterance_in_plain(line: Mapping[str, Any]) -> Utterance | None:
    """Return the exchange in a line `{"user", "assistant", "timestamp"}`, None when it is none."""
    user, assistant = line.get("user") or "", line.get("assistant") or ""
    if not isinstance(user, str) or not isinstance(assistant, str) or not (user + assistant).strip():
        return None
    return Utterance(parsed_timestamp(line.get("timestamp")), prompt=user, replies=(assistant,))
