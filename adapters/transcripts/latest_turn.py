"""The end of a transcript: what the agent did since it was last asked. Standard library only, for the hook."""

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from typing import Any

from hardwon.adapters.transcripts.records import Edit, edits_in_claude_code, edits_in_codex, objects_in, text_or
from hardwon.domain.model.injection.receipt import Turn
from hardwon.domain.model.injection.usage_signals import LONGEST_TEXT

LARGEST_TAIL = 256 * 1024
"""Bytes: what stands before them is not read."""

_MAY_COUNT = re.compile(rb'"type"\s*:\s*"(?:user|tool_use|response_item)"')
_RESULT = re.compile(rb'"type"\s*:\s*"(?:tool_result|function_call_output|custom_tool_call_output)"')
"""Results of tools can be long, and are neither the agent's words nor the user's."""

_EXPANDED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_OWN_PLACES = {"knowledge-bank", "memory"}
_OWN_FILES = {"memory.md", "claude.md", "agents.md"}


def latest_turn(path: str) -> Turn:
    """Return what the transcript at *path* tells of the last turn, without its answer; nothing when it can't be read."""
    heard = _Hearing()
    for line in _last_lines(path):
        if _MAY_COUNT.search(line) and not _RESULT.search(line):
            heard.take(_object(line))
    return Turn(
        edits=_newest(edit.new for edit in heard.edits),
        given=_newest([*(edit.old for edit in heard.edits), *heard.said]),
    )


class _Hearing:
    """A turn while its lines are read."""

    def __init__(self) -> None:
        self.said = list[str]()
        self.edits = list[Edit]()

    def take(self, line: Mapping[str, Any]) -> None:
        """Take in one line: what the user says begins a turn, and edits belong to it."""
        message, payload = (_dict(line.get(key)) for key in ("message", "payload"))
        match line.get("type"):
            case "user" if not line.get("isSidechain"):
                self._hear(_texts(message.get("content")), begins=not any(line.get(mark) for mark in _EXPANDED))
            case "assistant" if not line.get("isSidechain"):
                self._note(edits_in_claude_code(message))
            case "response_item" if payload.get("role") == "user":
                self._hear(_texts(payload.get("content")), begins=True)
            case "response_item":
                self._note(edits_in_codex(payload))
            case _:
                pass

    def _hear(self, texts: list[str], *, begins: bool) -> None:
        self.said += texts
        if begins and texts:
            self.edits.clear()

    def _note(self, edits: Iterable[Edit]) -> None:
        self.edits += (edit for edit in edits if not _is_own(edit.path))


def _is_own(path: str) -> bool:
    """Return whether memory's own texts are kept there: who writes those copies entries, and uses none."""
    *folders, name = path.replace("\\", "/").lower().split("/")
    return name in _OWN_FILES or (name.endswith(".md") and bool(_OWN_PLACES & {*folders}))


def _texts(content: object) -> list[str]:
    """Return the texts of a message, which is a text itself or made of blocks."""
    texts = [content] if isinstance(content, str) else [text_or(block.get("text")) for block in objects_in(content)]
    return [text for text in texts if text.strip()]


def _newest(texts: Iterable[str]) -> str:
    """Return the last of *texts*, as many as have room."""
    kept, room = list[str](), LONGEST_TEXT
    for text in reversed([*texts]):
        kept.append(text[: max(room, 0)])
        room -= len(text) + 1
    return "\n".join(filter(None, kept))


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        return _dict(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def _last_lines(path: str) -> list[bytes]:
    """Return the whole lines in the file's last 256 KB; none where there is no regular file that can be read."""
    with contextlib.suppress(OSError, ValueError), open(path, "rb", opener=_open_without_waiting) as file:
        facts = os.fstat(file.fileno())
        if stat.S_ISREG(facts.st_mode):
            begin = max(0, facts.st_size - LARGEST_TAIL)
            file.seek(begin)
            return file.read(LARGEST_TAIL).split(b"\n")[bool(begin) :]
    return []


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
