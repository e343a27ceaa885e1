"""The last turn of a transcript: prompts, edits, and hooks that were not answered."""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from hardwon.adapters.folder import open_without_waiting
from hardwon.adapters.transcripts.records import (
    FileEdit,
    edits_in_claude_code,
    edits_in_codex,
    object_in,
    texts_in,
)
from hardwon.domain.model.injection.receipt import SessionTurn
from hardwon.domain.model.injection.usage_signals import LONGEST_TEXT
from hardwon.domain.model.text import one_line
from hardwon.ports.agents import HOOK_TOOL
from hardwon.ports.documents import ENDINGS

MAX_TAIL_BYTES = 256 * 1024
"""Bytes at the end of the file that are read."""

_IS_OF_TURN = re.compile(rb'"type"\s*:\s*"(?:user|tool_use|response_item)"')
_RESULT = re.compile(
    rb'"type"\s*:\s*"(?:tool_result|function_call_output|custom_tool_call_output)"'
)
"""
Results of tools are left out.

They can be long, and are the words of neither agent nor user.
"""

_UNANSWERED = re.compile(rb'"type"\s*:\s*"hook_(?:cancelled|non_blocking_error)"')
_PROMPT = re.compile(rb'"type"\s*:\s*"user"')
_META = re.compile(rb'"is(?:Meta|Sidechain)"\s*:\s*true')
_NOT_CONNECTED = "MCP server "
"""The beginning of Claude Code's words for a server that it can't call."""

_EXPANDED = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_OWN_PLACES = {"knowledge-bank", "memory"}
_OWN_FILES = {"memory.md", "claude.md", "agents.md"}


def latest_turn(path: str) -> SessionTurn:
    """Return the last turn without its answer, empty if unreadable."""
    turn = _OpenTurn()
    for line in last_lines(path, MAX_TAIL_BYTES):
        if _IS_OF_TURN.search(line) and not _RESULT.search(line):
            turn.add(object_in(line))
    return SessionTurn(
        edits=_newest(edit.new for edit in turn.edits),
        given=_newest([*(edit.old for edit in turn.edits), *turn.texts]),
    )


def unanswered_call(path: str) -> str:
    """
    Return why the server left a hook of the last turn unanswered.

    Empty if it did not. Only Claude Code's transcripts tell it.
    """
    why = ""
    for line in last_lines(path, MAX_TAIL_BYTES):
        if _UNANSWERED.search(line):
            why = _why_unanswered(_dict(object_in(line).get("attachment"))) or why
        elif _PROMPT.search(line) and not (_RESULT.search(line) or _META.search(line)):
            why = ""
    return why


def _why_unanswered(hook: Mapping[str, Any]) -> str:
    command, complaint = (str(hook.get(name) or "") for name in ("command", "stderr"))
    server, _, tool = command.rpartition("/")
    if hook.get("type") == "hook_cancelled" and tool == HOOK_TOOL:
        return f"MCP server {server!r} gave no answer in time"
    return one_line(complaint) if complaint.startswith(_NOT_CONNECTED) else ""


class _OpenTurn:
    def __init__(self) -> None:
        self.texts = list[str]()
        self.edits = list[FileEdit]()

    def add(self, line: Mapping[str, Any]) -> None:
        message, payload = (_dict(line.get(key)) for key in ("message", "payload"))
        match line.get("type"):
            case "user" if not line.get("isSidechain"):
                self._add_texts(
                    _texts(message.get("content")),
                    begins=not any(line.get(mark) for mark in _EXPANDED),
                )
            case "assistant" if not line.get("isSidechain"):
                self._add_edits(edits_in_claude_code(message))
            case "response_item" if payload.get("role") == "user":
                self._add_texts(_texts(payload.get("content")), begins=True)
            case "response_item":
                self._add_edits(edits_in_codex(payload))
            case _:
                pass

    def _add_texts(self, texts: list[str], *, begins: bool) -> None:
        self.texts += texts
        if begins and texts:
            self.edits.clear()

    def _add_edits(self, edits: Iterable[FileEdit]) -> None:
        self.edits += (edit for edit in edits if not _is_own(edit.path))


def _is_own(path: str) -> bool:
    """
    Return whether *path* is a file of memory.

    An edit of it copies entries and does not use them.
    """
    *folders, name = path.replace("\\", "/").lower().split("/")
    return name in _OWN_FILES or (name.endswith(ENDINGS) and bool(_OWN_PLACES & {*folders}))


def _texts(content: object) -> list[str]:
    return [text for text in texts_in(content) if text.strip()]


def _newest(texts: Iterable[str]) -> str:
    kept, room = list[str](), LONGEST_TEXT
    for text in reversed([*texts]):
        kept.append(text[: max(room, 0)])
        room -= len(text) + 1
    return "\n".join(filter(None, kept))


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def last_lines(path: str, most: int) -> Iterator[bytes]:
    """
    Yield whole lines from the end of a regular file.

    It yields none if the file can't be read.
    """
    with contextlib.suppress(OSError, ValueError), open_transcript(path) as file:
        begin = max(0, os.fstat(file.fileno()).st_size - most)
        file.seek(begin)
        if begin:
            file.readline()
        yield from file


@contextlib.contextmanager
def open_transcript(path: str) -> Iterator[BinaryIO]:
    """
    Open a regular file.

    Raises:
        OSError: it can't be read, or is none.
        ValueError: no file has such a path.
    """
    with open(path, "rb", opener=open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        yield file
