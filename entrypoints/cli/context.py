"""`hardwon context`: show the block that a session start would print."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import attrs
import typer

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import InvalidSectionError, UnreadableFileError
from hardwon.domain.model.filters import COLLECTIONS, RecallOccasion
from hardwon.domain.model.injection.neutral_text import framed
from hardwon.domain.model.injection.related_conversations import summarised
from hardwon.domain.model.own_files import is_within
from hardwon.domain.model.ranking.policy import RecallAnswer
from hardwon.domain.use_cases.inject_at_start import StartInjection
from hardwon.domain.use_cases.recall import AnswerRating, answer_of
from hardwon.domain.use_cases.related_conversations import POLICY, RelatedConversations
from hardwon.entrypoints.bootstrap import present_pause
from hardwon.entrypoints.bootstrap_files import put_section
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_inject, build_relate
from hardwon.entrypoints.cli.console import print_items, say, warn
from hardwon.entrypoints.cli.options import MOST, AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.recall import print_marked, print_notes, readable_columns
from hardwon.entrypoints.context import (
    GIT_SECONDS,
    read_signals,
    read_workplace,
    with_uncommitted_files,
)
from hardwon.entrypoints.notices import notice_for_first_session
from hardwon.entrypoints.presenters.answers import (
    AnswerLayout,
    SearchSummary,
    answer_document,
    explained_document,
)
from hardwon.entrypoints.presenters.pauses import pause_line
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.ports.store import Entries

SEARCH_SECONDS = 10.0
UNLIMITED = 2**31 - 1
"""UTF-16 units: outside the block only the token budget counts."""

SWITCHED_OFF = "memory_injection_enabled is not true: a session start prints nothing"
FILES_ONLY = (
    "memory_semantic_enabled is not true: a session start prints the knowledge-bank files instead"
)
NO_LEARNING = "There is nothing to show yet: run hardwon import, or hardwon capture"
NO_CONVERSATION = "No conversation of this project is remembered"


@attrs.frozen(kw_only=True)
class RenderedStart:
    """
    A rendered session start.

    Attributes:
        text: As it would be printed; empty for nothing.
        nothing: What to say instead of an empty text; empty when nothing was asked for.
        policy: How the lessons were ranked.
        searched: How they were found; without lessons, how the conversations were.
    """

    text: str
    nothing: str = ""
    learnings: tuple[RecallAnswer, ...] = ()
    conversations: tuple[RecallAnswer, ...] = ()
    policy: str = "none"
    searched: SearchSummary = attrs.field(factory=SearchSummary)
    labels: Mapping[str, str] = {}

    def documents(self, *, explain: bool) -> list[dict[str, object]]:
        """
        Return its entries for JSON.

        Conversations always with their score parts.
        """
        learnings = [
            (
                explained_document(answer, self.policy, self.labels)
                if explain
                else answer_document(answer, self.labels)
            )
            for answer in self.learnings
        ]
        return learnings + [_summed_up(answer, self.labels) for answer in self.conversations]


def _summed_up(answer: RecallAnswer, labels: Mapping[str, str]) -> dict[str, object]:
    entry = answer.entry
    text = summarised(entry.description, entry.name) or entry.name
    return {**explained_document(answer, POLICY, labels), "text": text}


def render_start(
    memory: Memory, signals: ContextQuery, occasion: RecallOccasion, limit: int | None
) -> RenderedStart:
    """Render the whole block."""
    if pause := present_pause(memory.settings.global_store, memory.clock.now()):
        warn(pause_line(pause, pause.session_id))
    if not memory.settings.injection_enabled:
        warn(SWITCHED_OFF)
    elif not memory.settings.semantic_enabled:
        warn(FILES_ONLY)
    wanted = memory.settings.injection_limit if limit is None else limit
    inject = build_inject(memory, occasion.workplace)
    injection = inject._replace(
        notice=notice_for_first_session(memory.store, memory.registry(), occasion.workplace)
    ).block_for(
        signals,
        limit=wanted,
        deadline=Deadline.after(SEARCH_SECONDS, time.monotonic),
        workplace=occasion.workplace,
        occasion=occasion,
    )
    for line in injection.degradations:
        warn(line)
    conversations = (
        _conversations(memory.repository, injection.related) if injection.related else ()
    )
    return RenderedStart(
        text=injection.text,
        nothing=NO_LEARNING if wanted > 0 else "",
        learnings=_learnings(memory.repository, injection),
        conversations=conversations,
        policy=injection.selected.policy if injection.selected else "none",
        searched=_searched(injection),
        labels=occasion.workplace.labels,
    )


def render_conversations(
    memory: Memory, signals: ContextQuery, occasion: RecallOccasion, limit: int | None
) -> RenderedStart:
    """Render only the section of related conversations."""
    wanted = COLLECTIONS["conversations"].limit if limit is None else limit
    if wanted <= 0:
        return RenderedStart(text="")
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    related = build_relate(memory).section_for(
        signals, occasion, deadline, limit=wanted, most_units=UNLIMITED
    )
    search = related.nearby.search
    print_notes(memory.settings, memory.spaces, search._replace(degradations=related.degradations))
    nothing = NO_CONVERSATION if occasion.budget_tokens > 0 else ""
    searched = SearchSummary(signals.public, search.found_by_meaning, search.found_by_word)
    conversations = _conversations(memory.repository, related)
    labels = occasion.workplace.labels
    return RenderedStart(
        text=related.section.text,
        nothing=nothing,
        conversations=conversations,
        searched=searched,
        labels=labels,
    )


def _searched(injection: StartInjection) -> SearchSummary:
    retrieval = injection.retrieval
    if retrieval is None:
        return SearchSummary()
    return SearchSummary(retrieval.query, retrieval.by_vector.count(), retrieval.by_keyword.count())


def _learnings(entries: Entries, injection: StartInjection) -> tuple[RecallAnswer, ...]:
    parts = injection.selected.parts if injection.selected else {}
    rated = [
        AnswerRating(
            number=scored.facts.number,
            score=scored.score,
            parts=parts[scored.facts.number],
            vector=scored.candidate.vector,
            keyword=scored.candidate.keyword,
        )
        for scored in injection.printed
    ]
    return _answers(entries, rated)


def _conversations(entries: Entries, related: RelatedConversations) -> tuple[RecallAnswer, ...]:
    rated = {item.number: item for item in related.nearby.best}
    unrated = (
        AnswerRating(number, 0.0, {}) for number in related.section.numbers
    )  # shown for session or age
    return _answers(entries, [rated.get(item.number, item) for item in unrated])


def _answers(entries: Entries, rated: Sequence[AnswerRating]) -> tuple[RecallAnswer, ...]:
    hydrated = entries.hydrate([item.number for item in rated])
    return tuple(map(answer_of, hydrated, rated))


CONTEXT_EXAMPLES = """\b
Examples:
  hardwon context
  hardwon context --in conversations --token-budget 300
  hardwon context --write CLAUDE.md"""

Injected: TypeAlias = Literal["learnings", "conversations"]


def context(
    *,
    collection: Annotated[
        Injected,
        typer.Option("--in", help="The whole block, or the section of conversations alone."),
    ] = "learnings",
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, metavar="N", help="The maximum number of entries."),
    ] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST,
            metavar="N",
            help="The token budget of conversations, at 4 characters a token.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show the parts of each conversation's score; with --json, of each entry's.",
        ),
    ] = False,
    write: Annotated[
        str | None,
        typer.Option(
            "--write", metavar="FILE", help=("Write it into the marked section of a file.")
        ),
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show what a session start would print.

    It leaves counters as they are.
    """
    if write is not None and (as_json or explain):
        raise typer.BadParameter("goes with neither --json nor --explain", param_hint="'--write'")
    memory = open_for(project_root, global_store, create=False)
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    signals = read_signals(project_root, deadline, warn)
    here = with_uncommitted_files(
        read_workplace(memory, project_root), project_root, deadline=deadline, warn=warn
    )
    budget = memory.settings.context_tokens if token_budget is None else token_budget
    occasion = RecallOccasion(here, budget)
    render = render_start if collection == "learnings" else render_conversations
    rendered = render(memory, signals, occasion, limit)
    if write is not None:
        _write(rendered, write, project_root)
    elif as_json:
        print_items(
            rendered.documents(explain=explain), **(rendered.searched.document if explain else {})
        )
    else:
        _show(
            rendered,
            AnswerLayout(
                query=signals.compose() or "",
                policy=POLICY,
                columns=readable_columns(),
                explain=explain,
            ),
        )


def _show(rendered: RenderedStart, report: AnswerLayout) -> None:
    if rendered.text or rendered.nothing:
        say(rendered.text.rstrip("\n") or rendered.nothing)
    rated = [item for item in rendered.conversations if item.parts]
    if report.explain and rated:
        say()
        print_marked(report.explanations(rated))


def _write(rendered: RenderedStart, path: str, project_root: str) -> None:
    """
    Write the block, framed as data, into the marked section of a file.

    A link inside the project must not lead to a file outside of it.
    """
    root, target = os.path.realpath(project_root), os.path.realpath(path)
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    named_inside = is_within(
        os.path.abspath(path), [root, os.path.abspath(project_root)]
    ) or is_within(folder, [root])
    if named_inside and not is_within(target, [root]):
        wrong = f"{path!r} leads out of the project: name {target!r} itself if that is meant"
        raise typer.BadParameter(on_one_line(wrong), param_hint="'--write'")
    try:
        changed = put_section(path, target, framed(rendered.text) if rendered.text else "")
    except (InvalidSectionError, UnreadableFileError) as error:
        raise typer.BadParameter(on_one_line(str(error)), param_hint="'--write'") from error
    if not rendered.text and rendered.nothing:
        say(rendered.nothing)
    say(f"Wrote {path}" if changed else f"{path} needs no change")
