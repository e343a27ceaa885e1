"""The page of an entry, and the form that edits its text."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import undoing
from hardwon.domain.model.errors import HardwonError, InvalidEntryError, UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.domain.model.vocabulary import CONFIDENCES, REACHES, TIERS
from hardwon.domain.use_cases.explain_injections import ExplainInjections
from hardwon.domain.use_cases.supersede import FindNeighbours, Neighbour
from hardwon.domain.use_cases.track_usage import SummariseUsage
from hardwon.entrypoints.bootstrap_files import build_edit_file
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.presenters.outcomes import credit_text, showing_text
from hardwon.entrypoints.presenters.projects import REACHES as REACH_NAMES
from hardwon.entrypoints.presenters.projects import origin_line, why
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest

MAX_CHANGES = 100
MAX_SHOWN_IN = 20
MAX_NEAR = 5
MAX_STORED_NEAR = 3
SHOWN_CHARACTERS = 20_000
"""Longer texts are truncated until the reader asks for all of it."""


STATE_DIGITS = 16


class ChangeRow(NamedTuple):
    """
    A change of the entry.

    *place* counts from 0, the newest.
    """

    past: PastChange
    place: int
    can_undo: bool


def known(desk: Desk, entry_id: str) -> Entry:
    """Return the entry with that id, which may be an earlier one."""
    repository = desk.memory.repository
    entry = repository.by_id(entry_id) or repository.reworded(entry_id)
    if entry is None:
        raise UnknownEntryError(
            "There is no such entry any more: it was deleted or forgotten, or its address is wrong."
        )
    return entry


def changes_of(desk: Desk, entry: Entry) -> list[ChangeRow]:
    """Return the history of *entry*, newest first."""
    past = desk.memory.store.history.changes_of(entry.number or 0, MAX_CHANGES)
    return [ChangeRow(item, place, _can_undo(item)) for place, item in enumerate(past)]


def _can_undo(past: PastChange) -> bool:
    try:
        undoing(past)
    except InvalidEntryError:
        return False
    return True


def entry_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the page of one entry."""
    entry = known(desk, asked.values["id"])
    registry = desk.memory.registry()
    project = registry.with_id(entry.project or "")
    near, problem = _near(desk, entry)
    is_whole = "whole" in asked.query or len(entry.description) <= SHOWN_CHARACTERS
    successor = desk.memory.repository.by_id(entry.superseded_by) if entry.superseded_by else None
    return Page(
        "entry",
        {
            "entry": entry,
            "text": entry.description if is_whole else entry.description[:SHOWN_CHARACTERS],
            "is_whole": is_whole,
            "origin": origin_line(entry, registry.labels()),
            "project": project,
            "trust": why(project, registry) if project else "",
            "is_trusted": project is None or registry.is_shared(project),
            "successor": successor,
            "changes": changes_of(desk, entry),
            "injections": (
                ExplainInjections.on(desk.memory.store, desk.memory.registry()).of_entry(
                    entry.entry_id, MAX_SHOWN_IN
                )
            ),
            "credits": [
                credit_text(event, credit)
                for event, credit in Credits.of(desk.memory.store.receipts.outcomes())
                .of_entry(entry.entry_id)
                .items()
            ],
            "showing_of": partial(showing_text, entry_id=entry.entry_id),
            "use": SummariseUsage.on(desk.memory.store).of_entry(entry.entry_id),
            "near": near,
            "nearest": _stored_near(desk, asked.query.get("near", "")),
            "problem": problem,
            "tiers": TIERS,
            "reaches": {name: REACH_NAMES[name] for name in REACHES},
        },
    )


def _stored_near(desk: Desk, ids: str) -> list[Entry]:
    """Return the lessons that were near a new one when it was stored."""
    found = map(desk.memory.repository.by_id, ids.split(",")[:MAX_STORED_NEAR])
    return [entry for entry in found if entry and not entry.superseded_by]


def _near(desk: Desk, entry: Entry) -> tuple[Sequence[Neighbour], str]:
    try:
        near = FindNeighbours.on(desk.memory.spaces).nearest_to(entry, EVERYTHING, MAX_NEAR)
    except HardwonError as error:
        return (), str(error)
    return near or (), "It has no vector yet: hardwon embed makes it." if near is None else ""


def edit_page(
    desk: Desk, asked: PageRequest, given: PageRequest | None = None, problem: str = ""
) -> Page:
    """
    Return the form for the text of an entry.

    Args:
        desk: The store.
        asked: Names the entry.
        given: The form that was refused; None for a new one.
        problem: Why it was refused.
    """
    entry = known(desk, asked.values["id"])
    form = given.form if given else {}
    typed = {field: values[0] for field, values in form.items() if values}
    markdown = "" if entry.kind == "learning" else markdown_of(desk, entry)
    return Page(
        "edit",
        {
            "entry": entry,
            "form": typed,
            "markdown": markdown,
            "seen": state_of(entry, markdown),
            "problem": problem,
            "confidences": CONFIDENCES,
        },
    )


def markdown_of(desk: Desk, entry: Entry) -> str:
    """Return the text of the file or section that *entry* stands for."""
    memory = desk.memory
    return build_edit_file(
        memory, desk.project_root, read_workplace(memory, desk.project_root)
    ).text_of(entry)


def state_of(entry: Entry, markdown: str) -> str:
    """Return a digest that shows whether the entry has changed since."""
    texts = (entry.name, entry.description, entry.reasoning, markdown)
    return text_digest("\0".join(texts))[:STATE_DIGITS]
