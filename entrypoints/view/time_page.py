"""Charts over time."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Registry
from hardwon.domain.model.vocabulary import KINDS
from hardwon.domain.model.weeks import weeks_until
from hardwon.entrypoints.view.charts import (
    sparkline,
    stacked_bars,
)
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.ports.overview import CreatedCount

NONE = "none"
SHOWN_WEEKS = 26
IDLE_DAYS = 90
STALE_DAYS = 180
LISTED = 20


def time_page(desk: Desk, asked: PageRequest) -> Page:
    """Return weekly counts of entries, and the idle entries."""
    now = desk.clock.now()
    weeks = weeks_until(now.astimezone(dt.UTC).date(), SHOWN_WEEKS)
    overview, form = desk.memory.store.overview, asked.choice("as", ("picture", "table"))
    created = overview.created(EVERYTHING)
    shown, used = overview.shown(), overview.used()
    kinds = [kind for kind in KINDS if any(group.kind == kind for group in created)]
    by_kind = Counter[tuple[dt.date, str]]()
    for group in created:
        by_kind[(group.week, group.kind)] += group.entries
    usage = {(week, "shown"): shown.get(week, 0) for week in weeks} | {
        (week, "used"): used.get(week, 0) for week in weeks
    }
    idle = EVERYTHING._replace(idle_since=now - dt.timedelta(days=IDLE_DAYS), ranked=True)
    stale = EVERYTHING._replace(
        idle_since=now - dt.timedelta(days=STALE_DAYS), used=False, ranked=True
    )
    repository = desk.memory.repository
    return Page(
        "time",
        {
            "form": form,
            "weeks": weeks,
            "created": stacked_bars(weeks, kinds, by_kind),
            "usage": usage,
            "used_bars": stacked_bars(
                weeks, ("used",), {key: count for key, count in usage.items() if key[1] == "used"}
            ),
            "shown_bars": stacked_bars(
                weeks, ("shown",), {key: count for key, count in usage.items() if key[1] == "shown"}
            ),
            "by_kind": by_kind,
            "kinds": kinds,
            "projects": _projects(created, desk.memory.registry(), weeks),
            "idle": repository.matching(idle, limit=LISTED),
            "idle_count": repository.count(idle),
            "stale_count": repository.count(stale),
            "idle_days": IDLE_DAYS,
            "stale_days": STALE_DAYS,
            "shown_total": sum(shown.values()),
            "used_total": sum(used.values()),
        },
        [
            {
                "week": week.isoformat(),
                **{kind: by_kind[week, kind] for kind in kinds},
                "shown": shown.get(week, 0),
                "used": used.get(week, 0),
            }
            for week in weeks
        ],
    )


class ProjectLine(NamedTuple):
    """A project with its number of entries and a weekly sparkline."""

    name: str
    entries: int
    spark: str


def _projects(
    created: Sequence[CreatedCount], registry: Registry, weeks: Sequence[dt.date]
) -> list[ProjectLine]:
    labels, totals, by_week = registry.labels(), Counter[str](), Counter[tuple[str, dt.date]]()
    for group in created:
        name = labels.get(group.project or "") or NONE
        totals[name] += group.entries
        by_week[name, group.week] += group.entries
    return [
        ProjectLine(name, total, sparkline([by_week[name, week] for week in weeks]))
        for name, total in totals.most_common(LISTED)
    ]
