"""The list of entries, with search, sorting and facets."""

import datetime as dt
import time
from collections import Counter
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
from hardwon.domain.model.vocabulary import TIERS
from hardwon.domain.model.weeks import weeks_until
from hardwon.domain.use_cases.recall import calibrated
from hardwon.domain.use_cases.retrieve import completed
from hardwon.entrypoints.presenters.injections import SIGNALS
from hardwon.entrypoints.view.charts import Part, score_parts, sparkline
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.entrypoints.view.words import SearchBox, read_search
from hardwon.ports.entries import Field, ListOrder

PAGE_SIZE = 50
MAX_ANSWERS = 200
NEAREST = 3
"""The number of entries shown where nothing answers."""

SEARCH_SECONDS = 5.0
EXCERPT_CHARACTERS = 240
SPARK_WEEKS = 12
POLICY: PolicyName = "adaptive"

CLOSEST = "closest"
CHANGED = "last changed"
HELPFUL = "most helpful"
SORTS: Mapping[str, ListOrder] = {
    "newest": "created_at",
    "oldest": "oldest",
    CHANGED: "updated_at",
    "name": "name",
    "most shown": "recall_count",
}
MAX_WEIGHED = 1_000
"""The entries shown most, among which those that helped are found."""

FACETS: Mapping[str, Field] = {
    "kind": "kind",
    "category": "category",
    "tier": "tier",
    "project": "project",
    "origin": "source",
}
"""Filter words that facets write into the search box, with the field each counts."""

FACET_ROWS = 12
BETWEEN = " \n\t:.,;-\u2013\u2014"
"""The signs between a title and the text that continues it."""


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
        at: The time by which it is listed: when it was made or, so sorted, last changed.
        used: The number of sessions that used it.
        helped: How many times it helped, as far as is known.
        spark: Polyline points: how often it was shown in each of the last weeks.
        relevance: Probability that it answers; None in a list without a question.
    """

    entry: Entry
    at: dt.datetime
    project: str
    passage: MarkedText
    used: int
    helped: int
    spark: str
    relevance: float | None = None
    parts: Sequence[Part] = ()


def memory_page(desk: Desk, asked: PageRequest) -> Page:
    """Return the entries that match the search box, sorted as asked."""
    registry = desk.memory.registry()
    search = read_search(asked.query.get("q", ""), registry, desk.clock.now())
    number = asked.number("page", 1, most=1_000_000)
    sorts = (CLOSEST, *SORTS, HELPFUL) if search.text else (*SORTS, HELPFUL)
    sort = asked.choice("sort", sorts)
    found = _searched(desk, search) if search.text else _Found(search.only)
    with desk.memory.repository.snapshot():
        helped = _helped(desk)
        shown = found.near or _sorted_page(desk, found, sort=sort, page=number, helped=helped)
        rows = _rows(desk, registry, search, answers=shown, sort=sort, helped=helped)
        total = desk.memory.repository.count(found.only)
        facets = _facets(desk, registry, search, among=found.only)
    return Page(
        "memory",
        {
            "search": search,
            "typed": asked.query.get("q", ""),
            "rows": rows,
            "found": found,
            "total": total,
            "number": number,
            "first": (number - 1) * PAGE_SIZE + 1,
            "has_more": number * PAGE_SIZE < total,
            "sort": sort,
            "sort_given": sort if sort != sorts[0] else "",
            "sorts": sorts,
            "facets": facets,
            "tiers": TIERS,
            "now": desk.clock.now(),
        },
        [] if found.near else [_document(row) for row in rows],
    )


class _Found(NamedTuple):
    """
    The entries to list.

    Attributes:
        only: Their filter.
        answers: All of a search, the closest first.
        near: The nearest entries, where nothing answers.
        notes: The missing parts of the search, one line each.
    """

    only: EntryFilter
    answers: Sequence[RecallAnswer] = ()
    near: Sequence[RecallAnswer] = ()
    notes: Sequence[str] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more entries may match."""
        return len(self.answers) == MAX_ANSWERS


def _searched(desk: Desk, search: SearchBox) -> _Found:
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
    near: Sequence[RecallAnswer] = ()
    if not found.answers:
        near = recall.answer(question._replace(minimum=None, limit=NEAREST), deadline).answers
    numbers = tuple(sorted(answer.entry.number or 0 for answer in found.answers))
    return _Found(
        only=search.only._replace(among=numbers),
        answers=found.answers,
        near=near,
        notes=found.degradations,
    )


def _sorted_page(
    desk: Desk, found: _Found, *, sort: str, page: int, helped: Mapping[str, int]
) -> Sequence[RecallAnswer]:
    first = (page - 1) * PAGE_SIZE
    if sort == CLOSEST:
        return found.answers[first : first + PAGE_SIZE]
    by_id = {answer.entry.entry_id: answer for answer in found.answers}
    entries = (
        _most_helpful(desk, found.only, first=first, helped=helped)
        if sort == HELPFUL
        else desk.memory.repository.matching(
            found.only, limit=PAGE_SIZE, offset=first, order=SORTS[sort]
        )
    )
    return [by_id.get(entry.entry_id) or RecallAnswer(entry, 0.0, {}) for entry in entries]


def _most_helpful(
    desk: Desk, only: EntryFilter, *, first: int, helped: Mapping[str, int]
) -> Sequence[Entry]:
    """Return a page: first what helped most often, then the newest others."""
    repository = desk.memory.repository
    shown = repository.matching(
        only._replace(shown=only.shown is None or only.shown),
        limit=MAX_WEIGHED,
        order="recall_count",
    )
    best = sorted(
        (entry for entry in shown if entry.entry_id in helped),
        key=lambda entry: -helped[entry.entry_id],
    )
    others = repository.matching(
        only._replace(except_for=tuple(entry.number or 0 for entry in best)),
        limit=PAGE_SIZE,
        offset=max(0, first - len(best)),
        order="created_at",
    )
    return [*best[first:], *others][:PAGE_SIZE]


def _helped(desk: Desk) -> Mapping[str, int]:
    """Return how many times each entry helped, without those that never did."""
    counts = Counter[str]()
    for count in desk.memory.store.receipts.outcomes():
        if count.has_helped and not count.is_withheld:
            counts[count.entry_id] += count.times
    return counts


def _rows(
    desk: Desk,
    registry: Registry,
    search: SearchBox,
    *,
    answers: Sequence[RecallAnswer],
    sort: str,
    helped: Mapping[str, int],
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
            at=entry.updated_at if sort == CHANGED else entry.created_at,
            project=labels.get(entry.project or "") or entry.source_project or "",
            passage=excerpt(_below_its_title(entry), terms, EXCERPT_CHARACTERS),
            used=used.get(entry.entry_id, 0),
            helped=helped.get(entry.entry_id, 0),
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
    """Return the text of *entry* after the title that it repeats."""
    text = entry.description
    for title in (entry.name, *entry.name.split(": ")):
        text = split_by_title(title, text).rest.lstrip(BETWEEN)
    return text if has_word(text) else entry.reasoning


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
        "helped": row.helped,
        "relevance": row.relevance,
        **{part.name: round(part.value, 6) for part in row.parts},
        "description": entry.description,
    }
