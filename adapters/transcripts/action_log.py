"""The actions of an exchange, and the last ones of a transcript."""

import re
from collections import deque
from itertools import islice

from hardwon.adapters.transcripts.latest_turn import last_lines
from hardwon.adapters.transcripts.records import object_in
from hardwon.adapters.transcripts.tool_calls import ToolCall, actions_of
from hardwon.adapters.transcripts.utterances import Utterance, utterance_in_claude_code
from hardwon.domain.model.conversation.actions import Action, Run, may_state_cause, remarks_in
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
        self._calls: dict[str, ToolCall] = {}

    def add(self, utterance: Utterance) -> None:
        """Add what the agent stated, called and got."""
        for reply in filter(may_state_cause, utterance.replies):
            self.actions += remarks_in(self._cleaning.beginning(reply, LONGEST_REPLY))
        self._calls |= utterance.calls
        for result in utterance.results:
            if call := self._calls.pop(result.tool_use_id, None):
                self.actions += actions_of(call, result.end, self._cleaning)
        for call_id in [*self._calls][:-MAX_OPEN_CALLS]:
            del self._calls[call_id]


MAX_BYTES = 4 * 1024 * 1024
"""Bytes at the end of the file that are read."""

_FAILED = re.compile(rb'"is_error"\s*:\s*true')
_RESULT_OF = re.compile(rb'"tool_use_id"\s*:\s*"([^"\\]{1,200})"')
_CALL = re.compile(rb'"id"\s*:\s*"([^"\\]{1,200})"')
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_.=:-]+")
"""A word that no transcript escapes."""

_IS_OF_AGENT = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result)"')


def recent_actions(path: str, run: Run) -> SessionActions:
    """
    Return the actions in a transcript of Claude Code before *run*, which just passed.

    There are none unless two calls with the same words failed: otherwise nothing is parsed. The host
    may have written the result of *run* already, or not.
    """
    lines = [*last_lines(path, MAX_BYTES)]
    failed = {call for line in filter(_FAILED.search, lines) for call in _RESULT_OF.findall(line)}
    words = [word.encode() for word in _PLAIN_WORD.findall(run.key)]
    named = (line for line in lines if all(word in line for word in words))
    calls = (call for line in named for call in _CALL.findall(line) if call in failed)
    if len({*islice(calls, MIN_REPEATED)}) < MIN_REPEATED:
        return NO_ACTIONS
    log = ActionLog(Cleaning())
    for line in map(object_in, filter(_IS_OF_AGENT.search, lines)):
        is_of_claude_code = line.get("type") in {"user", "assistant"}
        if is_of_claude_code and (utterance := utterance_in_claude_code(line, ())):
            log.add(utterance)
    return _state_after([*log.actions], run)


def _state_after(actions: list[Action], run: Run) -> SessionActions:
    last = actions[-1] if actions else None
    is_end_of_run = isinstance(last, Run) and not last.failed and last.key == run.key
    state = NO_ACTIONS
    for action in actions[:-1] if is_end_of_run else actions:
        state = state.after_one(action)
    return state
