"""The actions of an exchange, and the last ones of a transcript."""

import datetime as dt
import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO

from hardwon.adapters.transcripts.latest_turn import (
    MAX_TAIL_BYTES,
    last_lines,
    open_transcript,
)
from hardwon.adapters.transcripts.records import object_in
from hardwon.adapters.transcripts.tool_calls import INTERRUPTED, ToolCall, actions_of
from hardwon.adapters.transcripts.utterances import (
    Utterance,
    utterance_in_claude_code,
    utterance_in_codex,
)
from hardwon.domain.model.conversation.actions import (
    Action,
    Run,
    TimedAction,
    remarks_in,
)
from hardwon.domain.model.conversation.session_actions import (
    MIN_REPEATED,
    NO_ACTIONS,
    SessionActions,
)
from hardwon.domain.model.redaction import Cleaning

MAX_ACTIONS = 5_000
"""The last actions that are kept."""

MAX_OPEN_CALLS = 200
"""Calls of tools that wait for their results."""

LONGEST_REPLY = 1_000_000
"""Characters of a reply that are searched for causes."""


class ActionLog:
    """
    The actions in utterances that are added in order.

    Attributes:
        actions: The last 5,000, without secrets.
    """

    def __init__(self, cleaning: Cleaning) -> None:
        self.actions = deque[Action](maxlen=MAX_ACTIONS)
        self._cleaning = cleaning
        self._calls: dict[str, tuple[dt.datetime | None, ToolCall]] = {}

    def add(self, utterance: Utterance) -> None:
        """Add what the agent stated, called and got."""
        for reply in utterance.replies:
            self.actions += remarks_in(self._cleaning.beginning(reply, LONGEST_REPLY))
        self.actions += (timed.action for timed in self.ended(utterance))

    def ended(self, utterance: Utterance) -> Iterator[TimedAction]:
        """Yield the actions whose results are in *utterance*, and note its calls."""
        self._calls |= {name: (utterance.at, call) for name, call in utterance.calls.items()}
        for result in utterance.results:
            begun, call = self._calls.pop(result.tool_use_id, (None, ToolCall()))
            for action in actions_of(call, result.end, self._cleaning):
                yield TimedAction(begun, action)
        for call_id in [*self._calls][:-MAX_OPEN_CALLS]:
            del self._calls[call_id]


_ENDED = re.compile(rb'"type"\s*:\s*"CommandExecution"')
"""The end of a command in Codex."""

MAX_BYTES = 4 * 1024 * 1024
"""Bytes at the end of the file that are read."""

_FAILED = re.compile(rb'"is_error"\s*:\s*true|(?:exited with code:?|"exit_code\\*"\s*:) [1-9]')
_RESULT_OF = re.compile(rb'"(?:tool_use_id|call_id)"\s*:\s*"([^"\\]{1,200})"')
_CALL = re.compile(rb'"(?:id|call_id)"\s*:\s*"([^"\\]{1,200})"')
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_.=:-]+")
"""A word that no transcript escapes."""

_IS_OF_AGENT = re.compile(
    rb'"type"\s*:\s*"(?:tool_use|tool_result|(?:function|custom_tool|local_shell)_call(?:_output)?)"'
)


class RecentActions:
    """
    The actions at the end of a transcript that grows.

    Each line is read once. Nothing is parsed before two calls with the words of a run failed.
    """

    def __init__(self) -> None:
        self._begin("")

    def _begin(self, path: str, device: int = 0, inode: int = 0, at: int = 0) -> None:
        self._file = path, device, inode
        self._at = at
        self._size = self._parsed = 0
        self._lines = deque[bytes]()
        self._failed = set[bytes]()
        self._log = ActionLog(Cleaning())

    def before(self, path: str, run: Run) -> SessionActions:
        """
        Return the actions in a transcript before *run*, which just passed.

        There are none unless two calls with the same words failed. The host may have written the
        result of *run* already, or not.
        """
        for line in self._new_lines(path):
            self._lines.append(line)
            if _FAILED.search(line):
                self._failed.update(_RESULT_OF.findall(line))
        self._drop_old()
        if len({*islice(self._failed_calls(run), MIN_REPEATED)}) < MIN_REPEATED:
            return NO_ACTIONS
        unparsed = islice(self._lines, self._parsed, None)
        for record in map(object_in, filter(_IS_OF_AGENT.search, unparsed)):
            if utterance := _utterance_in(record):
                self._log.add(utterance)
        self._parsed = len(self._lines)
        return _state_after([*self._log.actions], run)

    def _new_lines(self, path: str) -> Iterator[bytes]:
        try:
            with open_transcript(path) as file:
                yield from self._added(path, file)
        except (OSError, ValueError):
            self._begin(path)

    def _added(self, path: str, file: BinaryIO) -> Iterator[bytes]:
        facts = os.fstat(file.fileno())
        known = (path, facts.st_dev, facts.st_ino)
        if self._file != known or facts.st_size < self._at:
            self._begin(*known, at=max(0, facts.st_size - MAX_BYTES))
            file.seek(self._at)
            self._at += len(file.readline()) if self._at else 0
        file.seek(self._at)
        for line in file:
            if not line.endswith(b"\n"):  # it is being written
                return
            self._at += len(line)
            self._size += len(line)
            yield line

    def _drop_old(self) -> None:
        while self._size > MAX_BYTES:
            self._size -= len(self._lines.popleft())
            self._parsed = max(0, self._parsed - 1)

    def _failed_calls(self, run: Run) -> Iterator[bytes]:
        words = [word.encode() for word in _PLAIN_WORD.findall(run.key)]
        lines = self._lines if len(self._failed) >= MIN_REPEATED else ()
        named = (line for line in lines if all(word in line for word in words))
        return (call for line in named for call in _CALL.findall(line) if call in self._failed)


def _utterance_in(line: Mapping[str, Any]) -> Utterance | None:
    if line.get("type") == "response_item":
        return utterance_in_codex(line)
    is_of_claude_code = line.get("type") in {"user", "assistant"}
    return utterance_in_claude_code(line, ()) if is_of_claude_code else None


def exit_code_of_last(path: str, command: str) -> int | None:
    """
    Return the exit code of *command*, which just ended in Codex, None if unknown.

    Codex's hooks are not told it. Its transcript has it before they run.
    """
    ended = [line for line in last_lines(path, MAX_TAIL_BYTES) if _ENDED.search(line)]
    event = object_in(ended[-1]).get("payload") if ended else None
    item = event.get("item") if isinstance(event, dict) else None
    if not isinstance(item, dict):
        return None
    code, words = item.get("exit_code"), item.get("command")
    is_of_command = isinstance(words, list) and words[-1:] == [command]
    is_known = isinstance(code, int) and code not in INTERRUPTED
    return code if is_of_command and is_known else None


def _state_after(actions: list[Action], run: Run) -> SessionActions:
    last = actions[-1] if actions else None
    is_end_of_run = isinstance(last, Run) and not last.failed and last.key == run.key
    state = NO_ACTIONS
    for action in actions[:-1] if is_end_of_run else actions:
        state = state.after_one(action)
    return state


LAST_BYTES = 16 * 1024 * 1024
"""Bytes at the end of a transcript that are read for outcomes."""


def actions_since(path: str, since: dt.datetime, *, is_subagent: bool) -> Iterator[TimedAction]:
    """
    Yield the actions of an agent that began after *since*, as they ended.

    Args:
        path: The agent's own transcript.
        since: Calls before it are left out.
        is_subagent: Whether it is that of a subagent, which Claude Code marks line by line.
    """
    log = ActionLog(Cleaning())
    for line in map(object_in, filter(_IS_OF_AGENT.search, last_lines(path, LAST_BYTES))):
        utterance = _utterance_in(line | {"isSidechain": False} if is_subagent else line)
        if utterance and utterance.at and utterance.at > since:
            yield from log.ended(utterance)
