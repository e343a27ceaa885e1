"""What a session start would print, on demand."""

import os
import time
from typing import Annotated, Literal, TypeAlias

import typer

from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import COLLECTIONS
from hardwon.domain.model.recall.report import Report
from hardwon.domain.use_cases.inject import Injection
from hardwon.entrypoints.cli.answers import answer_document, print_marked, readable_columns, tell_notes
from hardwon.entrypoints.cli.choosing import MOST
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import print_json, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.signals import GIT_SECONDS, read_signals
from hardwon.entrypoints.workplace import name_of, read_workplace

SEARCH_SECONDS = 10.0
SWITCHED_OFF = "memory_injection_enabled is not true: a session start prints nothing"
FILES_ONLY = "memory_semantic_enabled is not true: a session start prints the knowledge-bank files instead"
NO_LEARNING = "Nothing is remembered yet: run hardwon import"
NO_SIGNAL = "No signal of what you are working on: no active feature, no changed files"
NO_CONVERSATION = "No conversation that is remembered bears on what you are working on"

Injected: TypeAlias = Literal["learnings", "conversations"]


def context(
    *,
    collection: Annotated[Injected, typer.Option("--in", help="Which collection.")] = "learnings",
    limit: Annotated[int | None, typer.Option(max=MOST, metavar="N", help="How many entries at most.")] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show what a session start would print; nothing is counted."""
    memory = open_for(project_root, global_store, create=False)
    signals = read_signals(project_root, Deadline.after(GIT_SECONDS, time.monotonic), warn)
    tell = _tell_learnings if collection == "learnings" else _tell_conversations
    tell(memory, signals, limit, project_root, as_json=as_json)


def _tell_learnings(
    memory: Memory, signals: ContextQuery, limit: int | None, project_root: str, *, as_json: bool
) -> None:
    if not memory.settings.injection_enabled:
        warn(SWITCHED_OFF)
    elif not memory.settings.semantic_enabled:
        warn(FILES_ONLY)
    wanted = memory.settings.injection_limit if limit is None else limit
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    injection = memory.inject(signals, limit=wanted, deadline=deadline, project=name_of(project_root))
    for line in injection.degradations:
        warn(line)
    if as_json:
        print_json([answer_document(answer) for answer in _answers(memory, injection)])
    elif wanted > 0:
        say(injection.text.removesuffix("\n") or NO_LEARNING)


def _answers(memory: Memory, injection: Injection) -> list[Answer]:
    entries = memory.repository.hydrate([scored.facts.seq for scored in injection.printed])
    return [
        Answer(entry, scored.final_score, scored.signals._asdict())
        for entry, scored in zip(entries, injection.printed, strict=True)
    ]


def _tell_conversations(
    memory: Memory, signals: ContextQuery, limit: int | None, project_root: str, *, as_json: bool
) -> None:
    text, conversations = signals.compose(), COLLECTIONS["conversations"]
    wanted = conversations.limit if limit is None else limit
    workplace = read_workplace(project_root, memory.settings)
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    recollection = memory.recall_nearby(signals, workplace, wanted, deadline)
    if text is not None and wanted > 0:
        tell_notes(memory, recollection)
    if as_json:
        print_json([answer_document(answer) for answer in recollection.answers])
    elif text is None:
        say(NO_SIGNAL)
    elif recollection.answers:
        report = Report(text, conversations.policy, os.path.realpath(project_root), readable_columns())
        print_marked(report.listing(recollection.answers))
    elif wanted > 0:
        say(NO_CONVERSATION)
