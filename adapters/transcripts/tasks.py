"""
The task of a subagent that starts, read from the transcripts of Claude Code.

The event names the subagent, but not the call that started it. An agent in the background is named
in the result of its call, which is written while the event is handled. Of others the call is known
once no other unanswered call of the same kind is left. Claude Code writes the calls themselves a
moment late, too.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from hardwon.adapters.transcripts.agents import ENDING, folder_of_agents
from hardwon.adapters.transcripts.latest_turn import last_lines
from hardwon.adapters.transcripts.records import object_in, objects_in, text_or

TOOLS = frozenset({"Agent", "Task"})
"""The tool that starts a subagent, by its names."""

DEFAULT_TYPE = "general-purpose"
"""The kind of a subagent whose call names none."""

MAX_BYTES = 4 * 1024 * 1024
"""Bytes at the end of a transcript, where the newest calls are."""

MAX_FILES = 200
"""The newest files of subagents, two of each, are read."""

SETTLING_SECONDS = 0.12
"""
After this, all calls of an answer are in the transcript.

Claude Code writes it every tenth of a second.
"""

LONGEST_WAIT_SECONDS = 0.25
"""Three times what a result took on a busy machine."""

PAUSE_SECONDS = 0.03


class Call(NamedTuple):
    """A call that starts a subagent."""

    agent_type: str
    task: str


class Calls(NamedTuple):
    """
    The calls of a session that start subagents.

    Attributes:
        made: By the id of the call.
        agents: The id of each call whose subagent is known, by the subagent.
        answered: The ids of the calls that have a result.
    """

    made: Mapping[str, Call]
    agents: Mapping[str, str]
    answered: frozenset[str]

    def task_of(self, agent: str) -> str:
        """Return the task of *agent*, empty if its call does not name it."""
        call = self.made.get(self.agents.get(agent, ""))
        return call.task if call else ""

    def open_task(self, agent_type: str) -> str:
        """Return the task of the only open call of its kind, empty without one."""
        taken = self.answered | frozenset(self.agents.values())
        tasks = [
            call.task
            for name, call in self.made.items()
            if name not in taken and call.agent_type == agent_type
        ]
        return tasks[0] if len(tasks) == 1 else ""


def wait_for_task(transcript_path: str, agent: str, agent_type: str) -> str:
    """Return the task of a starting *agent*, empty if uncertain."""
    begin = time.monotonic()
    while os.path.isfile(transcript_path):
        calls, waited = calls_in(transcript_path), time.monotonic() - begin
        is_settled = waited >= SETTLING_SECONDS
        task = calls.task_of(agent) or (calls.open_task(agent_type) if is_settled else "")
        if task or waited >= LONGEST_WAIT_SECONDS:
            return task
        time.sleep(PAUSE_SECONDS)
    return ""


def calls_in(transcript_path: str) -> Calls:
    """Return the calls of the session with that transcript, and of its subagents."""
    of_agents = _newest(folder_of_agents(transcript_path))
    made, agents, answered = dict[str, Call](), dict[str, str](), set[str]()
    for path in (transcript_path, *(path for path in of_agents if path.endswith(ENDING))):
        for line in last_lines(path, MAX_BYTES):
            if b'"tool_use"' in line:
                made.update(_calls_in(object_in(line)))
            elif b'"tool_result"' in line:
                record = object_in(line)
                answered.update(_results_in(record))
                agents.update((_agent_of(record), call) for call in _results_in(record))
    for path in of_agents:
        agents.update(_claims_in(path) if path.endswith(FACTS) else ())
    return Calls(made, agents, frozenset(answered))


FACTS = ".meta.json"
"""The end of the name of the file with the facts of a subagent."""


def _newest(folder: str) -> list[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
        return [entry.path for entry in found[:MAX_FILES]]
    return []


def _calls_in(record: Mapping[str, Any]) -> Iterator[tuple[str, Call]]:
    for block in _blocks(record):
        given = block.get("input")
        if block.get("name") in TOOLS and isinstance(given, dict):
            kind = text_or(given.get("subagent_type")) or DEFAULT_TYPE
            yield text_or(block.get("id")), Call(kind, text_or(given.get("prompt")))


def _results_in(record: Mapping[str, Any]) -> Iterator[str]:
    return (text_or(block.get("tool_use_id")) for block in _blocks(record))


def _agent_of(record: Mapping[str, Any]) -> str:
    result = record.get("toolUseResult")
    return text_or(result.get("agentId")) if isinstance(result, dict) else ""


def _blocks(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    return objects_in(message.get("content")) if isinstance(message, dict) else []


def _claims_in(path: str) -> Iterator[tuple[str, str]]:
    with suppress(OSError, ValueError, RecursionError), open(path, "rb") as file:
        facts = json.load(file)
        if isinstance(facts, dict):
            agent = os.path.basename(path).removeprefix("agent-").removesuffix(FACTS)
            yield agent, text_or(facts.get("toolUseId"))
