"""The list of entries with search and facets, and the review."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.excerpt import MarkedText, excerpt
from hardwon.domain.model.filters import NOWHERE, EntryFilter, PolicyName
from hardwon.domain.model.injection.verify import terms_of
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.project import Registry
from hardwon.domain.model.ranking.policy import RecallAnswer, RecallQuestion
from hardwon.domain.model.text import has_word, split_by_title
from hardwon.domain.model.vocabulary import REACHES, TIERS
from hardwon.domain.use_cases.recall import calibrated
from hardwon.domain.use_cases.retrieve import completed
from hardwon.domain.use_cases.review_memory import UntrustedProject
from hardwon.entrypoints.presenters.injections import SIGNALS
from hardwon.entrypoints.presenters.projects import why
from hardwon.entrypoints.presenters.review import GROUPS, grouped, review_document, sort_of
from hardwon.entrypoints.view.charts import Part, score_parts, sparkline, weeks_until
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.entrypoints.view.words import SearchBox, read_search
from hardwon.ports.entries import Field, Order

PAGE_SIZE = 50
MAX_ANSWERS = 200
NEAREST = 3
"""The number of entries shown where nothing answers."""

SEARCH_SECONDS = 5.0
EXCERPT_CHARACTERS = 240
SPARK_WEEKS = 12
POLICY: PolicyName = "adaptive"

CLOSEST = "closest"
SORTS: Mapping[str, Order] = {
    "last changed": "updated_at",
    "newest": "created_at",
    "most shown": "recall_count",
}
"""The sort keys, all descending."""

FACETS: Mapping[str, Field] = {
    "kind": "kind",
    "category": "category",
    "tier": "tier",
    "project": "project",
    "origin": "source",
}
"""Filter words that facets write into the search box, with the field each counts."""

FACET_ROWS = 12


class Facet(NamedTuple):
    """
    A value by which the list can be narrowed.

    Attributes:
        typed: The search box text after a click, which chooses or removes it.
    """

    label: str
    entries: int
    typed: str
    is_chosen: bool


@attrs.frozen(kw_only=True)
class ListedMemory:
    """
    An entry in the list.

    Attributes:
        spark: Polyline points: how often it was shown in each of the last weeks.
        relevance: Probability that it answers; None in a list without a question.
    """

    entry: Entry
    project: str
    passage: MarkedText
    used: int
    spark: str
    relevance: float | None = None
    parts: Sequence[Part] = ()


def memory_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the entries that match the search box, sorted as asked."""
    registry = desk.memory.registry()
    search = read_search(asked.query.get("q", ""), registry, desk.clock.now())
    number = asked.number("page", 1, most=1_000_000)
    sorts = (CLOSEST, *SORTS) if search.text else (*SORTS,)
    sort = asked.choice("sort", sorts)
    listed = _listed(desk, search, sort) if search.text else _all(desk, search, sort, page=number)
    shown = listed.page(number) if search.text else listed.answers
    rows = _rows(desk, registry, search=search, answers=shown)
    return Page(
        "memory",
        {
            "search": search,
            "typed": asked.query.get("q", ""),
            "rows": rows,
            "listed": listed,
            "number": number,
            "has_more": number * PAGE_SIZE < listed.total,
            "sort": sort,
            "sorts": sorts,
            "facets": _facets(desk, registry, search, among=listed.only),
            "tiers": TIERS,
            "reaches": REACHES,
        },
        [] if listed.is_near else [_document(row) for row in rows],
    )


class _Listed(NamedTuple):
    """
    Entries of the list.

    Attributes:
        answers: Sorted; of a search all, else one page.
        total: The number of all that match.
        only: The filter of all that match.
        is_near: Whether nothing answers the question; these are the nearest.
        notes: The missing parts of the search, one line each.
    """

    answers: Sequence[RecallAnswer]
    total: int
    only: EntryFilter
    is_near: bool = False
    notes: Sequence[str] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more entries may match."""
        return len(self.answers) == self.total == MAX_ANSWERS

    def page(self, number: int) -> Sequence[RecallAnswer]:
        """Return the answers of a page, from 1."""
        return self.answers[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]


def _all(desk: Desk, search: SearchBox, sort: str, *, page: int) -> _Listed:
    repository = desk.memory.repository
    found = repository.matching(
        search.only, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE, order=SORTS[sort]
    )
    answers = [RecallAnswer(entry, 0.0, {}) for entry in found]
    return _Listed(answers, repository.count(search.only), search.only)


def _listed(desk: Desk, search: SearchBox, sort: str) -> _Listed:
    recall, deadline = desk.recall(), Deadline.after(SEARCH_SECONDS, time.monotonic)
    text = completed(recall.retrieve.keywords, search.text, only=search.only, deadline=deadline)
    question = calibrated(
        RecallQuestion(
            text=text,
            only=search.only,
            policy=POLICY,
            limit=MAX_ANSWERS,
            minimum=None,
            workplace=NOWHERE,
            distinct=False,
        )
    )
    found = recall.answer(question, deadline)
    is_near = not found.answers
    if is_near:
        found = recall.answer(question._replace(minimum=None, limit=NEAREST), deadline)
    numbers = tuple(sorted(answer.entry.number or 0 for answer in found.answers))
    return _Listed(
        answers=_sorted(found.answers, sort),
        total=0 if is_near else len(numbers),
        only=search.only if is_near else search.only._replace(among=numbers),
        is_near=is_near,
        notes=found.degradations,
    )


def _sorted(answers: Sequence[RecallAnswer], sort: str) -> Sequence[RecallAnswer]:
    if sort == CLOSEST:
        return answers
    return sorted(answers, key=lambda answer: getattr(answer.entry, SORTS[sort]), reverse=True)


def _rows(
    desk: Desk, registry: Registry, search: SearchBox, answers: Sequence[RecallAnswer]
) -> list[ListedMemory]:
    labels, terms = registry.labels(), search_terms(search.text)
    ids = [answer.entry.entry_id for answer in answers]
    used, shown = desk.memory.store.influences.counts(ids), desk.memory.store.overview.shown_of(ids)
    weeks = weeks_until(desk.clock.now().date(), SPARK_WEEKS)
    scored = [_terms(answer) for answer in answers]
    full = max((sum(max(0.0, value) for _, value in parts) for parts in scored), default=0.0)
    return [
        ListedMemory(
            entry=(entry := answer.entry),
            project=labels.get(entry.project or "") or entry.source_project or "",
            passage=excerpt(_below_its_title(entry), terms, EXCERPT_CHARACTERS),
            used=used.get(entry.entry_id, 0),
            spark=(
                sparkline([shown.get(entry.entry_id, {}).get(week, 0) for week in weeks])
                if entry.recall_count
                else ""
            ),
            relevance=answer.relevance,
            parts=score_parts(parts, full),
        )
        for answer, parts in zip(answers, scored, strict=True)
    ]


def _below_its_title(entry: Entry) -> str:
    rest = split_by_title(entry.name, entry.description).rest
    return rest if has_word(rest) else entry.description


def _terms(answer: RecallAnswer) -> list[tuple[str, float]]:
    if not answer.parts:
        return []
    return [
        (SIGNALS.get(name, name), weight * value)
        for name, weight, value in terms_of(POLICY, answer.parts)
    ]


def _facets(
    desk: Desk, registry: Registry, search: SearchBox, among: EntryFilter
) -> Mapping[str, Sequence[Facet]]:
    facets = {}
    for word, field in FACETS.items():
        counts = desk.memory.repository.tally(among, field)
        chosen = search.words.get(word, "")
        facets[word] = [
            Facet(
                label=label,
                entries=count,
                typed=search.with_word(word, "" if label == chosen else label),
                is_chosen=label == chosen,
            )
            for value, count in [*counts.items()][:FACET_ROWS]
            if (label := registry.label_of(value) if word == "project" else value)
        ]
    return facets


def _document(row: ListedMemory) -> dict[str, object]:
    entry = row.entry
    return {
        "id": entry.entry_id,
        "number": entry.number,
        "name": entry.name,
        "kind": entry.kind,
        "category": entry.category,
        "tier": entry.tier,
        "project": row.project,
        "source": entry.source,
        "confidence": entry.confidence,
        "observation_count": entry.observation_count,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "shown": entry.recall_count,
        "used": row.used,
        "relevance": row.relevance,
        **{part.name: round(part.value, 6) for part in row.parts},
        "description": entry.description,
    }


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
        "why": why(item.project, registry) if isinstance(item, UntrustedProject) else "",
    }
    return Page("review", values, [review_document(item) for item in items])
