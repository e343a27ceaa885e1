"""The page of an entry, also with a form in place of its text."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.credit import Tally
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import undoing
from hardwon.domain.model.errors import HardwonError, InvalidEntryError, UnknownEntryError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.domain.model.vocabulary import REACHES, TIERS
from hardwon.domain.use_cases.edit_entries import ids_meant
from hardwon.domain.use_cases.explain_injections import ExplainInjections
from hardwon.domain.use_cases.summarise_usage import SummariseUsage
from hardwon.domain.use_cases.supersede import FindNeighbours, Neighbour
from hardwon.entrypoints.bootstrap_files import build_edit_file
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.presenters.entries import citation_words
from hardwon.entrypoints.presenters.history import TEXTS, change_text, kept_text
from hardwon.entrypoints.presenters.outcomes import KINDS, credit_text, showing_text
from hardwon.entrypoints.presenters.projects import REACHES as REACH_NAMES
from hardwon.entrypoints.presenters.projects import origin_line, why
from hardwon.entrypoints.view.charts import Part, score_parts
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest

MAX_CHANGES = 100
MAX_SHOWN_IN = 20
MAX_NEAR = 5
MAX_STORED_NEAR = 3
SHOWN_CHARACTERS = 20_000
"""Longer texts are truncated until the reader asks for all of it."""


STATE_DIGITS = 16
FORM_FIELDS: Mapping[str, str] = {
    "title": "name",
    **{
        name: name
        for name in ("name", "description", "reasoning", "keywords", "references", "category")
    },
}
"""The fields of forms, by their name in messages."""
BEFORE_CHARACTERS = 4_000
"""Of a text before a change."""


class ChangeRow(NamedTuple):
    """
    A change of the entry.

    Attributes:
        before: The text before it, where the words do not give it.
    """

    past: PastChange
    words: str
    before: str
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


def meant(desk: Desk, reference: str) -> Entry:
    """Return the entry with that number or id."""
    found = ids_meant(desk.memory.repository, reference)
    entry = desk.memory.repository.by_id(*found) if len(found) == 1 else None
    if entry is None:
        raise UnknownEntryError(
            f"{reference[:80]!r} names no entry, or more than one: give its number or its whole id"
        )
    return entry


def entry_path(entry_id: str) -> str:
    """Return the path of an entry's page."""
    return f"/entry/{entry_id}"


def changes_of(desk: Desk, entry: Entry) -> list[ChangeRow]:
    """Return the history of *entry*, newest first."""
    past = desk.memory.store.history.changes_of(entry.number or 0, MAX_CHANGES)
    return [
        ChangeRow(
            item,
            words=change_text(item),
            before=(item.old or "")[:BEFORE_CHARACTERS] if item.field in TEXTS else "",
            can_undo=_can_undo(item),
        )
        for item in past
    ]


def _can_undo(past: PastChange) -> bool:
    try:
        undoing(past)
    except InvalidEntryError:
        return False
    return True


def entry_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the page of one entry."""
    return Page("entry", {**_values(desk, asked), "form": None})


def _values(desk: Desk, asked: PageRequest) -> dict[str, object]:
    registry = desk.memory.registry()
    with desk.memory.repository.snapshot():
        entry = known(desk, asked.values["id"])
        project = registry.with_id(entry.project or "")
        near, problem = _near(desk, entry)
        is_whole = "whole" in asked.query or len(entry.description) <= SHOWN_CHARACTERS
        return {
            "entry": entry,
            "now": desk.clock.now(),
            "text": entry.description if is_whole else entry.description[:SHOWN_CHARACTERS],
            "is_whole": is_whole,
            "kept": kept_text(entry),
            "origin": origin_line(entry, registry.labels()),
            "cited": citation_words(entry),
            "project": project,
            "trust": why(project, registry) if project else "",
            "is_trusted": project is None or registry.is_shared(project),
            "successor": (
                desk.memory.repository.by_id(entry.superseded_by) if entry.superseded_by else None
            ),
            "changes": changes_of(desk, entry),
            "injections": ExplainInjections.on(desk.memory.store, registry).of_entry(
                entry.entry_id, MAX_SHOWN_IN
            ),
            "outcomes": _outcomes(desk, entry),
            "showing_of": partial(showing_text, entry_id=entry.entry_id),
            "use": SummariseUsage.on(desk.memory.store).of_entry(entry.entry_id),
            "near": near,
            "nearest": _stored_near(desk, asked.query.get("near", "")),
            "near_problem": problem,
            "tiers": TIERS,
            "reaches": {name: REACH_NAMES[name] for name in REACHES},
        }


class OutcomeRow(NamedTuple):
    """
    The outcomes of an entry at a kind of moment.

    Attributes:
        parts: How often it helped and how often not, as bars of the same scale.
        formula: The credit that follows.
    """

    kind: str
    tally: Tally
    parts: Sequence[Part]
    formula: str


def _outcomes(desk: Desk, entry: Entry) -> list[OutcomeRow]:
    by_kind = Credits.of(desk.memory.store.receipts.outcomes()).of_entry(entry.entry_id)
    most = max((credit.tally.total for credit in by_kind.values()), default=0)
    return [
        OutcomeRow(
            KINDS[event],
            tally=(tally := credit.tally),
            parts=score_parts([("helped", tally.helped), ("did not", tally.failed)], most),
            formula=credit_text(event, credit),
        )
        for event, credit in by_kind.items()
    ]


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
    Return the page of an entry, with a form in place of its text.

    Args:
        desk: The store.
        asked: Names the entry.
        given: The form that was refused; None for a new one.
        problem: Why it was refused.
    """
    entry = known(desk, asked.values["id"])
    try:
        markdown = markdown_of(desk, entry)
    except HardwonError:
        if given is None:
            raise
        markdown = ""  # what was typed is shown all the same
    form = {
        "name": entry.name,
        "description": entry.description,
        "reasoning": entry.reasoning,
        "keywords": ", ".join(entry.keywords),
        "markdown": markdown,
    }
    typed = {**form, **given.first_values()} if given else form
    return Page(
        "entry",
        {
            **_values(desk, asked),
            "form": typed,
            "differs": {name: text for name, text in form.items() if text != typed[name]},
            "seen": state_of(entry, markdown),
            **refusal(problem),
        },
    )


def refusal(problem: str) -> dict[str, str]:
    """Return *problem* for a form, with the field that it begins with."""
    return {"problem": problem, "wrong": FORM_FIELDS.get(problem.partition(" ")[0], "")}


def markdown_of(desk: Desk, entry: Entry) -> str:
    """Return the text of the file or section of *entry*, empty for a learning."""
    if entry.kind == "learning":
        return ""
    memory = desk.memory
    return build_edit_file(
        memory, desk.project_root, read_workplace(memory, desk.project_root)
    ).text_of(entry)


def state_of(entry: Entry, markdown: str) -> str:
    """Return a digest that shows whether the entry has changed since."""
    texts = (entry.name, entry.description, entry.reasoning, *entry.keywords, markdown)
    return text_digest("\0".join(texts))[:STATE_DIGITS]
