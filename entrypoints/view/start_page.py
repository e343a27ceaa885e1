"""The start page: what the memory did this week."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.excerpt import shortened
from hardwon.domain.model.weeks import Weekly, weeks_until
from hardwon.domain.use_cases.explain_injections import ExplainedInjection, ExplainInjections
from hardwon.domain.use_cases.review_memory import (
    DuplicatePair,
    FileDrift,
    LessonToReview,
    RepairCandidate,
    ReviewItem,
)
from hardwon.domain.use_cases.sum_up_weeks import STALE, SumUpWeeks
from hardwon.entrypoints.presenters.outcomes import known_text, outcome_document
from hardwon.entrypoints.view.charts import sparkline
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.entrypoints.view.session_pages import HAPPENED

SPARK_WEEKS = 12
LISTED_MOMENTS = 5
QUERY_CHARACTERS = 70

MEANINGS: Mapping[str, str] = {
    "shown": "times an agent was given an entry",
    "helped": "times it went well after a lesson",
    "repaired": "failures that passed later, kept as lessons",
    "born": "entries kept",
    "stale": "entries that cite code which has changed or is gone",
    "waiting": "decisions for you",
}
"""The figures in their order."""


class Figure(NamedTuple):
    """
    A figure of the start page.

    Attributes:
        before: Last week's figure; None for what is counted today.
        path: The page that lists what is counted.
        counts: In each of the last weeks.
    """

    name: str
    value: int
    before: int | None
    path: str
    query: Mapping[str, str]
    counts: Sequence[int]

    @property
    def meaning(self) -> str:
        """The unit, in words."""
        return MEANINGS[self.name]

    @property
    def spark(self) -> str:
        """Polyline points."""
        return sparkline(self.counts)


class Moment(NamedTuple):
    """
    A moment at which an entry was shown, in one line.

    Attributes:
        others: The number of other entries that were shown.
        outcome: In words, empty if none was seen.
    """

    explained: ExplainedInjection
    query: str
    entry_id: str
    others: int
    outcome: str
    has_helped: bool | None


def start_page(desk: Desk, _: PageRequest) -> Page:
    """Return this week's figures and the newest moments."""
    items, store = desk.recent_items(), desk.memory.store
    with desk.memory.repository.snapshot():
        count = SumUpWeeks.on(store, desk.clock)
        done, made = count.activity(SPARK_WEEKS), count.entries(SPARK_WEEKS)
        stale = desk.memory.repository.count(STALE)
        explained = ExplainInjections.on(store, desk.memory.registry()).newest_moments(
            LISTED_MOMENTS
        )
    waiting = Weekly.of({"waiting": _by_week(items)}, done.weeks)
    entries = {"born": made.series["created"], "stale": made.series["stale"]}
    series = {**done.series, **entries, **waiting.series}
    values = {
        "now": desk.clock.now(),
        "figures": [*_figures(series, done.weeks[-1], stale=stale, waiting=len(items))],
        "moments": [_moment(injection) for injection in explained.injections],
        "happened": HAPPENED,
        "is_empty": not (Weekly(done.weeks, series).has_counts or stale),
        "spark_weeks": SPARK_WEEKS,
    }
    return Page("start", values, Weekly(done.weeks, series).rows)


def _figures(
    series: Mapping[str, Sequence[int]], monday: dt.date, *, stale: int, waiting: int
) -> Iterable[Figure]:
    links: Mapping[str, tuple[str, Mapping[str, str]]] = {
        "shown": ("/sessions", {}),
        "helped": ("/sessions", {"only": "helped"}),
        "repaired": ("/memory", {"q": f"tag:repair after:{monday}"}),
        "born": ("/memory", {"q": f"after:{monday}", "sort": "newest"}),
        "stale": ("/memory", {"q": "stale:yes"}),
        "waiting": ("/review", {}),
    }
    today = {"stale": stale, "waiting": waiting}
    for name, (path, query) in links.items():
        *_, before, now = series[name]
        yield Figure(
            name=name,
            value=today.get(name, now),
            before=None if name in today else before,
            path=path,
            query=query,
            counts=series[name],
        )


def _moment(explained: ExplainedInjection) -> Moment:
    receipt = explained.receipt
    shown, *others = receipt.shown
    return Moment(
        explained=explained,
        query=shortened(receipt.query or "", QUERY_CHARACTERS),
        entry_id=shown.entry_id,
        others=len(others),
        outcome=known_text(explained, shown.entry_id),
        has_helped=bool(outcome_document(explained, shown)["has_helped"]),
    )


def _by_week(items: Iterable[ReviewItem]) -> Mapping[dt.date, int]:
    counts: dict[dt.date, int] = {}
    for at in filter(None, map(_began, items)):
        [monday] = weeks_until(at.astimezone(dt.UTC).date(), 1)
        counts[monday] = counts.get(monday, 0) + 1
    return counts


def _began(item: ReviewItem) -> dt.datetime | None:
    """Return when what waits was made, None if that is not kept."""
    match item:
        case LessonToReview(entry=entry) | DuplicatePair(newer=entry) | FileDrift(entry=entry):
            return entry.created_at
        case RepairCandidate(note=note):
            return note.repair.at
        case _:
            return None
