"""Charts over time."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Registry
from hardwon.domain.model.vocabulary import KINDS
from hardwon.domain.model.weeks import Counts, Weekly, weeks_until
from hardwon.domain.use_cases.sum_up_weeks import SumUpWeeks, by_week
from hardwon.entrypoints.view.charts import line_chart, sparkline, stacked_bars
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.ports.overview import CreatedCount

NONE = "none"
SHOWN_WEEKS = 26
MIN_WEEKS = 2
"""A line has two ends."""

IDLE_DAYS = 90
UNUSED_DAYS = 180
LISTED = 20


def time_page(desk: Desk, asked: PageRequest) -> Page:
    """Return weekly counts of what was shown and kept, and the idle entries."""
    form = asked.choice("as", ("picture", "table"))
    with desk.memory.repository.snapshot():
        activity = SumUpWeeks.on(desk.memory.store, desk.clock).activity(SHOWN_WEEKS)
        groups = desk.memory.store.overview.created(EVERYTHING)
        idle = _idle(desk)
    weeks = weeks_until(desk.clock.now().date(), SHOWN_WEEKS)
    created = Weekly.of(_by_kind(groups), weeks)
    together = Weekly(weeks, {**created.series, **activity.series}).since_first(MIN_WEEKS)
    begun, made = activity.since_first(MIN_WEEKS), created.since_first(MIN_WEEKS)
    values = {
        "form": form,
        "created": stacked_bars(made) if made.has_counts else None,
        "activity": line_chart(begun) if begun.has_counts else None,
        "together": together,
        "projects": _projects(groups, desk.memory.registry(), weeks),
        **idle,
    }
    return Page("time", values, together.rows)


def _by_kind(groups: Sequence[CreatedCount]) -> dict[str, Counts]:
    kinds = [kind for kind in KINDS if any(group.kind == kind for group in groups)]
    return {kind: by_week([group for group in groups if group.kind == kind]) for kind in kinds}


def _idle(desk: Desk) -> dict[str, object]:
    now, repository = desk.clock.now(), desk.memory.repository
    idle = EVERYTHING._replace(idle_since=now - dt.timedelta(days=IDLE_DAYS), ranked=True)
    unused = idle._replace(idle_since=now - dt.timedelta(days=UNUSED_DAYS), used=False)
    return {
        "idle": repository.matching(idle, limit=LISTED),
        "idle_count": repository.count(idle),
        "unused_count": repository.count(unused),
        "idle_days": IDLE_DAYS,
        "unused_days": UNUSED_DAYS,
    }


class ProjectLine(NamedTuple):
    """A project with its number of entries and a weekly sparkline."""

    name: str
    entries: int
    spark: str


def _projects(
    created: Sequence[CreatedCount], registry: Registry, weeks: Sequence[dt.date]
) -> list[ProjectLine]:
    labels, totals, by_project = registry.labels(), Counter[str](), Counter[tuple[str, dt.date]]()
    for group in created:
        name = labels.get(group.project or "") or NONE
        totals[name] += group.entries
        by_project[name, group.week] += group.entries
    return [
        ProjectLine(name, total, sparkline([by_project[name, week] for week in weeks]))
        for name, total in totals.most_common(LISTED)
    ]
