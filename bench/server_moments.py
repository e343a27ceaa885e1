"""
Answers of a running server to prompts and moments.

The store has no lesson for the labelled prompts, failures and edits. It has those for texts of its
own entries.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count
from statistics import median
from typing import Any, NamedTuple

from bench.figures import Figure, aim_of
from bench.mcp_client import Client, running_server
from bench.quality.fresh import fresh_moments
from bench.quality.labelled import items
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.prompt_intent import is_worth_asking
from hardwon.entrypoints.mcp.hook_events import NOTHING_TO_SAY, PROMPT
from hardwon.ports.agents import HOOK_TOOL

ANSWERS = (50, 50, 150)
"""Milliseconds at each size."""

ROUNDS_PER_REPETITION = 2
WARMING, KNOWN = 2, 50
CITED = "src/cited_by_one.py"

Fields = Mapping[str, Any]


class _Kind(NamedTuple):
    """
    Calls of one kind.

    Attributes:
        calls: Their fields, over and over.
        is_known: Whether the store has a lesson for them.
    """

    name: str
    title: str
    calls: Sequence[Fields]
    is_known: bool = False


def server_moment_figures(
    project: str, store: str, environment: Mapping[str, str], *, entries: int, repetitions: int
) -> Iterator[Figure]:
    """Yield the medians until a warm server has answered."""
    texts = _texts(store)
    with running_server(project, environment) as client:
        client.call(("store_memory", {**_CITING, "references": [CITED]}))
        host = _Host(client, project)
        for kind in _kinds(texts):
            yield _figure(kind, host, entries, repetitions)


_CITING = {
    "name": "Keep the file short",
    "description": f"`{CITED}` is read by a tool that takes no more than a page.",
    "reasoning": "It did once.",
    "category": "patterns",
}


def _texts(store: str) -> list[str]:
    with closing(open_store(store)) as database:
        repository = SqliteEntryRepository(database)
        size = repository.count(LEARNINGS)
        found = repository.hydrate(range(1, size, max(1, size // KNOWN)))
    return [entry.description for entry in found]


def _kinds(texts: Sequence[str]) -> Iterator[_Kind]:
    asked = [item["prompt"] for item in items("fresh/prompts.jsonl") if not item["lessons"]]
    yield _Kind("prompt", "prompt", [_prompt(text) for text in asked if is_worth_asking(text)])
    yield _Kind("prompt", "prompt", [_prompt(text) for text in texts], is_known=True)
    failures = [_failure(item["command"], item["output"]) for item in fresh_moments("errors")]
    yield _Kind("failure", "failed command", failures)
    known = [_failure("make", f"ValueError: {text}") for text in texts]
    yield _Kind("failure", "failed command", known, is_known=True)
    edits = [_edit(item["path"], item["old"], item["new"]) for item in items("edits.jsonl")]
    yield _Kind("edit", "edit", edits)
    yield _Kind("edit", "edit", [_edit("a.py", "", text) for text in texts], is_known=True)
    yield _Kind("file", "opened file", [_read(f"src/part_{number}.py") for number in range(KNOWN)])
    yield _Kind("file", "opened file", [_read(CITED)], is_known=True)
    yield _Kind("passed", "command that passes", [_after("Bash", command="pytest -q")])


class _Host:
    """Calls a server in one session, each time for another agent."""

    def __init__(self, client: Client, project: str) -> None:
        self._client = client
        self._project = project
        self._transcript = os.path.join(project, "session.jsonl")
        with open(self._transcript, "wb"):
            pass
        self._agents = count()

    def ask(self, fields: Fields) -> tuple[bool, float]:
        """Return whether the server says something, and the milliseconds until then."""
        agent = "" if fields["hook_event_name"] == PROMPT else f"agent {next(self._agents)}"
        common = {"session_id": "bench", "cwd": self._project, "transcript_path": self._transcript}
        answer = self._client.call((HOOK_TOOL, {**common, "agent_id": agent, **fields}))
        return answer.result["content"][0]["text"] != NOTHING_TO_SAY, answer.wall_ms


def _figure(kind: _Kind, host: _Host, entries: int, repetitions: int) -> Figure:
    calls = [
        kind.calls[place % len(kind.calls)]
        for place in range(WARMING + ROUNDS_PER_REPETITION * repetitions)
    ]
    answers = [host.ask(fields) for fields in calls][WARMING:]
    took = [milliseconds for has_text, milliseconds in answers if has_text == kind.is_known]
    others = len(answers) - len(took)
    return Figure(
        f"server_{kind.name}_{'lesson' if kind.is_known else 'nothing'}",
        f"{kind.title}, by the server, {'a lesson' if kind.is_known else 'nothing to say'}",
        entries,
        median(took) if took else 0.0,
        "ms",
        aim=aim_of(ANSWERS, entries, "value"),
        note=f"{others} of {len(answers)} calls did otherwise" if others > len(took) else "",
    )


def _prompt(text: str) -> Fields:
    return {"hook_event_name": PROMPT, "prompt": text, "source": ""}


def _failure(command: str, output: str) -> Fields:
    return {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": json.dumps({"command": command}),
        "error": f"Exit code 1\n{output}",
    }


def _edit(path: str, old: str, new: str) -> Fields:
    return _after("Edit", file_path=path, old_string=old, new_string=new)


def _read(path: str) -> Fields:
    return _after("Read", file_path=path)


def _after(tool: str, **given: str) -> Fields:
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": json.dumps(given),
        "tool_response": {"stdout": "12 passed", "stderr": "", "interrupted": "false"},
    }
