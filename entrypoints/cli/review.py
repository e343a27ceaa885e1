"""`hardwon review`: pairs of lessons of which the newer one probably takes the place of the older one."""

from typing import Annotated

import typer

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_supersession import build_supersede, proposals_of
from hardwon.entrypoints.cli.console import print_items, print_json, say
from hardwon.entrypoints.cli.options import REFERENCE_HELP, AsJson, GlobalStore, find_entry, open_for
from hardwon.entrypoints.presenters.entries import change_confirmation, entry_document, named
from hardwon.entrypoints.presenters.text import on_one_line
from hardwon.ports.proposals import Proposal

REVIEW_EXAMPLES = """\b
Examples:
  hardwon review
  hardwon review 42 57 --replaces
  hardwon review 42 57 --keep-both"""

NOTHING = "Nothing to review: no lesson seems to take the place of another one"
ROW = 20


def review(
    older: Annotated[str | None, typer.Argument(metavar="[OLDER", help=REFERENCE_HELP, show_default=False)] = None,
    newer: Annotated[str | None, typer.Argument(metavar="NEWER]", help=REFERENCE_HELP, show_default=False)] = None,
    *,
    replaces: Annotated[
        bool, typer.Option("--replaces", help="The newer one takes the place: the older one is superseded.")
    ] = False,
    keep_both: Annotated[bool, typer.Option("--keep-both", help="Both are true: the pair is not shown again.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many pairs to show, the most probable first.")] = ROW,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Review pairs of lessons of which the newer one seems to say the same as the older one, or to replace it.

    Until you decide, a session's block and an answer show the newer one of a pair only. A superseded lesson is ranked
    below all others, with the lesson that took its place; hardwon edit ID --superseded-by "" takes that back.
    """
    memory = open_for(".", global_store, create=False)
    if older is None or newer is None:
        if older or replaces or keep_both:
            raise typer.BadParameter("name two: the older lesson and the newer one", param_hint="OLDER NEWER")
        return _list(memory, limit, as_json=as_json)
    if replaces == keep_both:
        raise typer.BadParameter("say which: --replaces or --keep-both", param_hint="'--replaces'")
    pair = find_entry(memory, older), find_entry(memory, newer)
    return _replace(memory, *pair, as_json=as_json) if replaces else _keep_both(memory, *pair, as_json=as_json)


def _list(memory: Memory, limit: int, *, as_json: bool) -> None:
    pairs = [
        (proposal, before, after)
        for proposal in proposals_of(memory).open(limit)
        if (before := memory.repository.get(proposal.older)) and (after := memory.repository.get(proposal.newer))
    ]
    if as_json:
        return print_items([_document(*pair) for pair in pairs])
    for proposal, before, after in pairs:
        say(f"{proposal.probability:.0%}  older: {named(before)}\n     {on_one_line(before.description)}")
        say(f"     newer: {named(after)}\n     {on_one_line(after.description)}")
        say(f"     hardwon review {before.number} {after.number} --replaces, or --keep-both\n")
    return None if pairs else say(NOTHING)


def _document(proposal: Proposal, before: Entry, after: Entry) -> dict[str, object]:
    return {
        "probability": proposal.probability,
        "older": entry_document(before),
        "newer": entry_document(after),
    }


def _replace(memory: Memory, older: Entry, newer: Entry, *, as_json: bool) -> None:
    changed = build_supersede(memory).apply(older.entry_id, newer.entry_id)
    if as_json:
        return print_json(entry_document(changed.entry))
    for line in change_confirmation(changed):
        say(line)
    return None


def _keep_both(memory: Memory, older: Entry, newer: Entry, *, as_json: bool) -> None:
    was_open = proposals_of(memory).reject(older.entry_id, newer.entry_id)
    if not was_open:
        raise typer.BadParameter("that pair is not open: hardwon review shows those that are", param_hint="OLDER NEWER")
    if as_json:
        return print_json({"older": older.entry_id, "newer": newer.entry_id, "kept": "both"})
    return say(f"Both stay: {named(older)}, {named(newer)}")
