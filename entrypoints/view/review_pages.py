"""Everything that waits for a decision, one card at a time."""

from hardwon.domain.use_cases.review_memory import Untrusted
from hardwon.entrypoints.bootstrap_overview import build_review_memory
from hardwon.entrypoints.bootstrap_projects import registry_of
from hardwon.entrypoints.presenters.projects import why
from hardwon.entrypoints.presenters.review import SORTS, review_document
from hardwon.entrypoints.view.answering import Asked, Page
from hardwon.entrypoints.view.desk import Desk


def review_page(desk: Desk, asked: Asked) -> Page:
    """Return one of the things that wait, and how many there are."""
    items = build_review_memory(desk.memory, desk.project_root).items()
    at = min(asked.number("at", 1), max(1, len(items)))
    item = items[at - 1] if items else None
    registry = registry_of(desk.memory)
    values = {
        "item": item,
        "card": SORTS[type(item)] if item else "",
        "at_place": at,
        "count": len(items),
        "labels": registry.labels(),
        "why": why(item.project, registry) if isinstance(item, Untrusted) else "",
    }
    return Page("review", values, [review_document(item) for item in items])
