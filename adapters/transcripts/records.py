"""Read untrusted JSON values and edits of a transcript."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

MODES = (None, "prompt")
"""The modes of a queued command that the user wrote to the agent."""

SYNTHETIC = "<synthetic>"
"""Claude Code's name of the model for a response that it gave itself."""


def text_or(value: Any, otherwise: str = "") -> str:
    """Return *value* if it is a text, else *otherwise*."""
    return value if isinstance(value, str) else otherwise


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects of a list, else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_in(content: Any) -> list[str]:
    """Return the texts of a message or a tool's result."""
    return (
        [content]
        if isinstance(content, str)
        else [text_or(block.get("text")) for block in objects_in(content)]
    )


def object_in(line: bytes) -> dict[str, Any]:
    """Parse *line*, and return an empty object if it holds none."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def message_in(line: Mapping[str, Any]) -> Any:
    """Return the message of a line, also one that was queued meanwhile."""
    queued = line.get("attachment")
    if line.get("type") != "attachment" or not isinstance(queued, dict):
        return line.get("message")
    is_prompt = queued.get("type") == "queued_command" and queued.get("commandMode") in MODES
    return {"content": queued.get("prompt")} if is_prompt else None


def zoned_time(value: Any) -> dt.datetime | None:
    """Parse a time with its zone, and return None for anything else."""
    try:
        at = dt.datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at and at.tzinfo else None


PATCH = "*** Begin Patch"
PATCHED_FILE = ("*** Update File: ", "*** Add File: ")


class FileEdit(NamedTuple):
    """
    A change of one file.

    Attributes:
        path: Empty if the transcript does not state it.
        old: The text that it replaced or left, as far as the transcript has it.
    """

    path: str
    new: str
    old: str = ""


def edits_in_claude_code(message: Mapping[str, Any]) -> Iterator[FileEdit]:
    """Yield the edits in a message of the agent."""
    for block in objects_in(message.get("content")):
        given = block.get("input")
        if block.get("type") == "tool_use" and isinstance(given, dict):
            yield from edits_of_tool(text_or(block.get("name")), given)


def edits_of_tool(tool: str, given: Mapping[str, Any]) -> Iterator[FileEdit]:
    """Yield the edits of a call of Claude Code's *tool*."""
    path = text_or(given.get("file_path"))
    match tool:
        case "Edit":
            yield _replacement(path, given)
        case "MultiEdit":
            yield from (_replacement(path, change) for change in objects_in(given.get("edits")))
        case "Write":
            yield FileEdit(path, text_or(given.get("content")))
        case "NotebookEdit":
            yield FileEdit(text_or(given.get("notebook_path")), text_or(given.get("new_source")))
        case _:
            pass


def _replacement(path: str, given: Mapping[str, Any]) -> FileEdit:
    return FileEdit(path, text_or(given.get("new_string")), text_or(given.get("old_string")))


def edits_in_codex(payload: Mapping[str, Any]) -> Iterator[FileEdit]:
    """Yield the changes in the patches of a tool call."""
    if payload.get("type") in {"function_call", "custom_tool_call"}:
        for text in (payload.get("input"), payload.get("arguments")):
            yield from _patched(_patch_in(text_or(text)))


def _patch_in(text: str) -> str:
    if PATCH not in text or text.lstrip().startswith(PATCH):
        return text if PATCH in text else ""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    values = document.values() if isinstance(document, dict) else ()
    texts = (item for value in values for item in (value if isinstance(value, list) else [value]))
    return next((item for item in texts if isinstance(item, str) and PATCH in item), "")


def _patched(patch: str) -> Iterator[FileEdit]:
    path, new, old = "", list[str](), list[str]()
    for line in patch.partition(PATCH)[2].splitlines():
        if line.startswith("*** "):
            yield FileEdit(path, "\n".join(new), "\n".join(old))
            path, new, old = (
                line[line.find(": ") + 2 :] if line.startswith(PATCHED_FILE) else "",
                [],
                [],
            )
        else:
            (new if line.startswith("+") else old).append(line[1:])
    yield FileEdit(path, "\n".join(new), "\n".join(old))
