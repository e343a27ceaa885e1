"""`hardwon` without a command: the state of the memory and the next step."""

import os
from collections.abc import Iterator, Mapping, Sequence

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.explain_injections import ExplainedInjection, ExplainInjections
from hardwon.domain.use_cases.review_memory import ReviewItem
from hardwon.entrypoints.bootstrap_agents import build_agents
from hardwon.entrypoints.cli.console import say
from hardwon.entrypoints.cli.options import open_for
from hardwon.entrypoints.context import read_place
from hardwon.entrypoints.presenters.outcomes import outcome_text, shown_text
from hardwon.entrypoints.presenters.review import GROUPS, grouped
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.entrypoints.review import items_to_review

LATEST = 20
"""The number of injections among which those that the model got are looked for."""

NOTHING_SHOWN = "nothing to a session of this project yet"
NOTHING_WAITS = "nothing for your decision"
NOT_SET_UP = "hardwon init: no agent calls hardwon yet"
NOT_INITIALISED = "hardwon init: it did not run in this project, so no conversation is kept"
EMPTY = "work as ever: lessons come from sessions; hardwon add keeps one now, hardwon import a knowledge bank"
ASK = "hardwon recall WORDS searches, hardwon view shows all in the browser, hardwon --help the commands"


def print_overview() -> None:
    """
    Print the state of the memory in three lines, and the next step.

    A problem with the store is printed as its state.
    """
    try:
        lines = [*_lines(os.curdir)]
    except HardwonError as error:
        lines = [f"Kept:  {error}", "Next:  hardwon doctor: it tells what is wrong"]
    for line in lines:
        say(on_one_line(line))


def _lines(project_root: str) -> Iterator[str]:
    memory = open_for(project_root, None, create=False, looks_up=False)
    place = read_place(memory, project_root)
    with memory.repository.snapshot():
        total = memory.repository.count(EVERYTHING)
        own = memory.repository.count(EVERYTHING._replace(origins=place.workplace.own or ("",)))
        explain = ExplainInjections.on(memory.store, place.registry)
        shown = [*explain.newest(place.workplace.project or None, LATEST).injections]
    waiting = items_to_review(memory, project_root) if total else ()
    here = counted(own, "memory", "memories")
    yield f"Kept:  {here} of this project, {total - own} of others, in {memory.settings.address}"
    yield f"Shown: {_last_shown(shown)}"
    yield f"Waits: {_waiting(grouped(waiting)) or NOTHING_WAITS}"
    if not any(agent.connection().ways for agent in build_agents(os.environ)):
        yield f"Next:  {NOT_SET_UP}"
    elif place.project.chosen is None:
        yield f"Next:  {NOT_INITIALISED}"
    elif waiting:
        yield "Next:  hardwon review: a key decides each"
    else:
        yield f"Next:  {ASK if total else EMPTY}"


def _last_shown(latest: Sequence[ExplainedInjection]) -> str:
    """Return what a session got last, with the occasion and its outcome."""
    for item in latest:
        names = [name for shown in item.receipt.shown if (name := item.name_of(shown.entry_id))]
        if names and item.receipt.delivery != "missed":
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            text = f"{names[0]}{more}, {shown_text(item.receipt)}"
            return ": ".join(filter(None, (text, outcome_text(item.receipt))))
    return NOTHING_SHOWN


def _waiting(groups: Mapping[str, Sequence[ReviewItem]]) -> str:
    return ", ".join(f"{GROUPS[name].title} ({len(items)})" for name, items in groups.items())
