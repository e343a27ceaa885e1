"""Ask what is remembered."""

import math
import os
import time
from typing import Annotated

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import COLLECTIONS, PolicyName, answering, elsewhere_for
from hardwon.domain.model.ranking.question import Question
from hardwon.entrypoints.bootstrap_project import who_asks
from hardwon.entrypoints.bootstrap_retrieval import build_recall, build_search
from hardwon.entrypoints.cli.answers import Asked, Elsewhere, print_answers, readable_columns
from hardwon.entrypoints.cli.console import print_items, say
from hardwon.entrypoints.cli.options import (
    MOST,
    AsJson,
    GlobalStore,
    In,
    OfKinds,
    OfScope,
    Permanent,
    ProjectRoot,
    Tag,
    Typed,
    chosen,
    open_for,
)
from hardwon.entrypoints.cli.typed import unquoted
from hardwon.entrypoints.context import workplace_for
from hardwon.entrypoints.presenters.answers import Report
from hardwon.entrypoints.streams import readable, standard_input

ANSWER_SECONDS = 10.0
RECALL_EXAMPLES = """\b
Examples:
  hardwon recall kubernetes network debugging
  hardwon recall "when did I work on authentication?"
  hardwon recall helm chart configuration issues"""


def recall(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY...", help="Your own words, quoted or not; - for standard input."),
    ] = None,
    *,
    collection: In = "all",
    scope: OfScope = None,
    kinds: OfKinds = None,
    limit: Annotated[int | None, typer.Option(max=MOST, metavar="N", help="How many answers at most.")] = None,
    minimum: Annotated[
        float | None, typer.Option("--min-score", metavar="X", help="The lowest score of an answer.")
    ] = None,
    policy: Annotated[PolicyName | None, typer.Option(help="How answers are ranked.", show_default=False)] = None,
    permanent: Permanent = False,
    tag: Tag = None,
    explain: Annotated[bool, typer.Option("--explain", help="Tell what every score is made of.")] = False,
    typed: Typed = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Ask what is remembered, in your own words.

    You are answered from all your projects, an agent from this one and its workspace.
    """
    query = _query(words or [])
    if not query.strip():
        print_items([]) if as_json else say(context.get_help())
        return
    defaults = COLLECTIONS[collection]
    memory = open_for(project_root, global_store, create=False)
    place = "conversations" if policy == "context" else collection  # what was touched of late counts there too
    workplace = workplace_for(place, memory, project_root, memory.warn)
    asker, wanted = who_asks(by_slash_command=typed), chosen(collection, kinds, permanent=permanent, tag=tag)
    question = Question(
        text=query,
        only=answering(asker, workplace, wanted, scope),
        policy=policy or defaults.policy,
        limit=defaults.limit if limit is None else limit,
        minimum=_minimum(minimum, defaults.minimum if policy in {None, defaults.policy} else None),
        workplace=workplace,
    )
    rules = list[Entry]()
    if collection == "documents" and question.limit > 0:
        rules, question = build_search(memory).rules_apart(question)
    recall_, deadline = build_recall(memory), Deadline.after(ANSWER_SECONDS, time.monotonic)
    recollection = recall_.answer(question, deadline)
    everywhere = elsewhere_for(asker, workplace, wanted)
    relevant = 0
    if everywhere and asker == "agent" and scope is None and question.limit > 0:
        relevant = recall_.relevant_elsewhere(question, everywhere, deadline)
    is_labelled = collection != "sessions" and any(  # their places begin with the project
        answer.entry.project not in {None, *workplace.own} for answer in recollection.answers
    )
    report = Report(
        query,
        question.policy,
        os.path.realpath(project_root),
        readable_columns(),
        explained=explain,
        here=workplace,
        labelled=is_labelled,
    )
    asked = Asked(memory, question, recollection, report, tuple(rules), Elsewhere(everywhere, relevant))
    print_answers(collection, asked, as_json=as_json)


def _query(words: list[str]) -> str:
    """
    Return what is asked, on one line, without quotes around it.

    Raises:
        InvalidEntryError: standard input holds no text, or too much of it.

    """
    text = standard_input() if words == ["-"] else readable(" ".join(words))
    return unquoted(" ".join(text.split()))


def _minimum(wanted: float | None, default: float | None) -> float | None:
    """
    Return the lowest score of an answer.

    Raises:
        typer.BadParameter: *wanted* is no number that scores can be compared with.
    """
    if wanted is not None and not math.isfinite(wanted):
        raise typer.BadParameter(f"{wanted} is no number to compare scores with", param_hint="'--min-score'")
    return default if wanted is None else wanted
