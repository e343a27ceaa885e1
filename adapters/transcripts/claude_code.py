"""
What Claude Code writes down.

What an agent writes into files by its tools, as transcripts have it.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.adapters.transcripts.said import ASKING_TOOL, Result, Said, moment, objects_in, questions_of, text_or

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


def said_in_claude_code(line: Mapping[str, Any], boundaries: Collection[str]) -> Said | None:
    """Return what *line* says, None when that is nothing; only commands of *boundaries* are kept with what follows them."""
    message = line.get("message")
    if not isinstance(message, dict) or any(line.get(mark) for mark in _NOT_SAID):
        return None
    own = Said(moment(line.get("timestamp")), text_or(line.get("sessionId")), text_or(line.get("gitBranch")))
    if line["type"] == "assistant":
        return _by_the_agent(own, message)
    return _in_the_users_place(own, message.get("content"), line.get("toolUseResult"), boundaries)


def _by_the_agent(own: Said, message: Mapping[str, Any]) -> Said | None:
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


def _in_the_users_place(own: Said, content: Any, details: Any, boundaries: Collection[str]) -> Said | None:
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


def _prompted(own: Said, text: str, boundaries: Collection[str]) -> Said | None:
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


PATCH = "*** Begin Patch"
PATCHED_FILE = ("*** Update File: ", "*** Add File: ")


class Edit(NamedTuple):
    """
    A change of one file.

    Attributes:
        path: Of the file; empty where it isn't told.
        new: What the agent put there.
        old: What it replaced or left as it was, as far as that is told.

    """

    path: str
    new: str
    old: str = ""


def edits_in_claude_code(message: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield the changes that a line of the agent's makes."""
    for block in objects_in(message.get("content")):
        given = block.get("input")
        if block.get("type") == "tool_use" and isinstance(given, dict):
            yield from _edits(text_or(block.get("name")), given)


def _edits(tool: str, given: Mapping[str, Any]) -> Iterator[Edit]:
    path = text_or(given.get("file_path"))
    match tool:
        case "Edit":
            yield _replacement(path, given)
        case "MultiEdit":
            yield from (_replacement(path, each) for each in objects_in(given.get("edits")))
        case "Write":
            yield Edit(path, text_or(given.get("content")))
        case "NotebookEdit":
            yield Edit(text_or(given.get("notebook_path")), text_or(given.get("new_source")))
        case _:
            pass


def _replacement(path: str, given: Mapping[str, Any]) -> Edit:
    return Edit(path, text_or(given.get("new_string")), text_or(given.get("old_string")))


def edits_in_codex(payload: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield the changes that a call of a tool makes: patches, however they are wrapped."""
    if payload.get("type") in {"function_call", "custom_tool_call"}:
        for text in (payload.get("input"), payload.get("arguments")):
            yield from _patched(_patch_in(text_or(text)))


def _patch_in(text: str) -> str:
    """Return the patch in *text*, which may be JSON that has it as a value or in a list; empty without one."""
    if PATCH not in text or text.lstrip().startswith(PATCH):
        return text if PATCH in text else ""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    values = document.values() if isinstance(document, dict) else ()
    texts = (each for value in values for each in (value if isinstance(value, list) else [value]))
    return next((each for each in texts if isinstance(each, str) and PATCH in each), "")


def _patched(patch: str) -> Iterator[Edit]:
    path, new, old = "", list[str](), list[str]()
    for line in patch.partition(PATCH)[2].splitlines():
        if line.startswith("*** "):
            yield Edit(path, "\n".join(new), "\n".join(old))
            path, new, old = line[line.find(": ") + 2 :] if line.startswith(PATCHED_FILE) else "", [], []
        else:
            (new if line.startswith("+") else old).append(line[1:])
    yield Edit(path, "\n".join(new), "\n".join(old))
