"""Everything that waits for a decision, one card at a time."""

from collections.abc import Mapping

from hardwon.domain.use_cases.bank_drift import Drift
from hardwon.domain.use_cases.review_memory import Captured, Pair, ReviewItem, Untrusted
from hardwon.entrypoints.bootstrap_overview import build_review_memory
from hardwon.entrypoints.bootstrap_projects import registry_of
from hardwon.entrypoints.presenters.projects import why
from hardwon.entrypoints.view.answering import Asked, Page
from hardwon.entrypoints.view.desk import Desk

CARDS: Mapping[type[ReviewItem], str] = {Pair: "pair", Drift: "drift", Untrusted: "project", Captured: "note"}
"""The template of each sort of card."""


def review_page(desk: Desk, asked: Asked) -> Page:
    """Return one of the things that wait, and how many there are."""
    items = build_review_memory(desk.memory, desk.project_root).items()
    at = min(asked.number("at", 1), max(1, len(items)))
    item = items[at - 1] if items else None
    registry = registry_of(desk.memory)
    values = {
        "item": item,
        "card": CARDS[type(item)] if item else "",
        "at_place": at,
        "count": len(items),
        "labels": registry.labels(),
        "why": why(item.project, registry) if isinstance(item, Untrusted) else "",
    }
    return Page("review", values, [_document(item) for item in items])


def _document(item: ReviewItem) -> dict[str, object]:
    match item:
        case Pair(older, newer, probability):
            about: dict[str, object] = {"older": older.entry_id, "newer": newer.entry_id, "probability": probability}
            title = newer.name
        case Untrusted(project, label, entries):
            about, title = {"project": project.id, "entries": entries}, label
        case Captured(entry):
            about, title = {"id": entry.entry_id}, entry.name
        case _:
            about, title = {"id": item.entry.entry_id, "path": item.path}, item.heading
    return {"sort": CARDS[type(item)], "title": title, **about}
