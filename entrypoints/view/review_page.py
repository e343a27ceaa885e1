"""The review: what waits for a decision, one item at a time."""

from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.use_cases.review_memory import LessonToReview, UntrustedProject
from hardwon.entrypoints.presenters.entries import citation_words
from hardwon.entrypoints.presenters.outcomes import credit_text
from hardwon.entrypoints.presenters.projects import why
from hardwon.entrypoints.presenters.review import GROUPS, grouped, review_document, sort_of
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest


def review_page(desk: Desk, asked: PageRequest) -> Page:
    """Return one pending item, and how many there are."""
    groups = grouped(desk.items_to_review())
    wanted = asked.query.get("group", "")
    items = groups.get(wanted) or [item for members in groups.values() for item in members]
    at = min(asked.number("at", 1), max(1, len(items)))
    item = items[at - 1] if items else None
    registry = desk.memory.registry()
    values = {
        "item": item,
        "card": sort_of(item) if item else "",
        "groups": GROUPS,
        "sizes": {name: len(members) for name, members in groups.items()},
        "group": wanted if wanted in groups else "",
        "at_place": at,
        "count": len(items),
        "labels": registry.labels(),
        "now": desk.clock.now(),
        "reasons": _reasons(desk, item) if isinstance(item, LessonToReview) else [],
        "why": why(item.project, registry) if isinstance(item, UntrustedProject) else "",
    }
    return Page("review", values, [review_document(item) for item in items])


def _reasons(desk: Desk, item: LessonToReview) -> list[str]:
    """Return why a lesson waits, a line each."""
    entry, store = item.entry, desk.memory.store
    match sort_of(item):
        case "superseded":
            successor = desk.memory.repository.by_id(entry.superseded_by or "")
            return [f"Superseded by {successor.name if successor else 'an entry that is gone'}"]
        case "gone":
            return [f"{place}: {state}" for place, state in citation_words(entry).items()]
        case "harmful":
            credits_of = Credits.of(store.receipts.outcomes()).of_entry(entry.entry_id)
            return [credit_text(event, credit) for event, credit in credits_of.items()]
        case _:
            return []
