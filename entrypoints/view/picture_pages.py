"""The map of all vectors, and charts over time."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.project import Registry
from hardwon.domain.model.vocabulary import KINDS
from hardwon.entrypoints.view.charts import (
    OTHER,
    ranked_names,
    sparkline,
    stacked_bars,
    weeks_until,
)
from hardwon.entrypoints.view.desk import Desk, Page, PageRequest
from hardwon.entrypoints.view.words import read_search
from hardwon.ports.overview import CreatedCount, EntryLabel, Plane

COLOURED_BY = ("project", "kind", "category")
MAX_SVG_POINTS = 2_000
"""More points are drawn by the script on a canvas."""

MAP_SIZE = 720
MARGIN = 16
NONE = "none"
NO_TEXT = "only filters narrow the map, such as kind:decision or after:2026-01-01"


class Point(NamedTuple):
    """
    An entry on the map.

    Attributes:
        x: From the left, in pixels of a square of `MAP_SIZE`; *y* from the top.
        tone: Index of that colour, from 0.
    """

    label: EntryLabel
    x: float
    y: float
    group: str
    tone: int
    is_near: bool


def map_page(desk: Desk, asked: PageRequest) -> Page:
    """Return every entry with a vector, projected to two dimensions."""
    registry = desk.memory.registry()
    search = read_search(asked.query.get("q", ""), registry, desk.clock.now())
    ignored = (f"{search.text}: {NO_TEXT}",) if search.text else ()
    by, form = asked.choice("by", COLOURED_BY), asked.choice("as", ("picture", "table"))
    plane, problem = _plane(desk, search.only)
    labels = [
        label
        for label in desk.memory.store.overview.labels(search.only)
        if label.number in plane.points
    ]
    names, points = _points(labels, plane, registry=registry, by=by)
    near = {number for group in plane.groups or () for number in group}
    by_number = {point.label.number: point for point in points}
    return Page(
        "map",
        {
            "typed": asked.query.get("q", ""),
            "complaints": [*search.complaints, *ignored],
            "by": by,
            "choices": COLOURED_BY,
            "form": form,
            "names": names,
            "points": points,
            "is_drawn_here": len(points) <= MAX_SVG_POINTS,
            "size": MAP_SIZE,
            "variance": plane.variance,
            "near": len(near),
            "groups": [
                [by_number[number] for number in group if number in by_number]
                for group in (plane.groups or ())[:20]
            ],
            "is_compared": plane.groups is not None,
            "problem": problem,
        },
        [_document(point) for point in points],
    )


def _plane(desk: Desk, only: EntryFilter) -> tuple[Plane, str]:
    try:
        projection = desk.projection()
        plane = projection.plane(only) if projection else Plane()
    except HardwonError as error:
        return Plane(), str(error)
    return plane, "" if plane.points else "No entry has a vector yet: hardwon embed makes them."


def _points(
    labels: Sequence[EntryLabel], plane: Plane, registry: Registry, by: str
) -> tuple[list[str], list[Point]]:
    names_of = registry.labels()
    groups = [_group(label, names_of, by) for label in labels]
    names = ranked_names(Counter(groups))
    near = {number for group in plane.groups or () for number in group}
    half = MAP_SIZE / 2 - MARGIN
    points = list[Point]()
    for label, group in zip(labels, groups, strict=True):
        x, y = plane.points[label.number]
        named = group if group in names else OTHER
        place = MAP_SIZE / 2 + x * half, MAP_SIZE / 2 - y * half
        points.append(
            Point(
                label=label,
                x=round(place[0], 1),
                y=round(place[1], 1),
                group=named,
                tone=names.index(named),
                is_near=label.number in near,
            )
        )
    return names, points


def _group(label: EntryLabel, names: Mapping[str, str], by: str) -> str:
    if by == "project":
        return names.get(label.project or "") or NONE
    return label.kind if by == "kind" else label.category or NONE


def _document(point: Point) -> dict[str, object]:
    return {
        "id": point.label.entry_id,
        "name": point.label.name,
        "x": point.x,
        "y": point.y,
        "group": point.group,
        "tone": point.tone,
        "near": point.is_near,
    }


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
