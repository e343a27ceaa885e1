"""Compute the geometry of charts that templates draw as SVG."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import attrs

from hardwon.domain.model.weeks import Weekly

WIDTH, HEIGHT = 720, 200
"""Area of the bars in pixels, without axes."""

TICKS = 4
LABELLED = 6
"""The number of weeks that have a label."""

LABEL_HEIGHT = 24
MAX_BAR = 40


@attrs.frozen(kw_only=True)
class Segment:
    """
    A part of a stacked bar.

    Attributes:
        tone: Index of its colour, from 0.
        x: Left side, in pixels, as are *y*, *width* and *height*.
    """

    name: str
    tone: int
    value: float
    x: float
    y: float
    width: float
    height: float


class Bar(NamedTuple):
    """
    A stacked bar.

    *is_labelled* says whether its label is drawn.
    """

    label: str
    x: float
    is_labelled: bool
    segments: Sequence[Segment]


class Tick(NamedTuple):
    """A mark of the vertical axis."""

    value: int
    y: float


class StackedBars(NamedTuple):
    """A chart of stacked bars, one a week."""

    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    names: Sequence[str]


class Line(NamedTuple):
    """
    A line of a chart with a label at its end.

    Attributes:
        last: Its last count.
        y: The baseline of the label in pixels.
        points: Those of an SVG polyline.
    """

    name: str
    tone: int
    last: int
    y: float
    points: str


class LineChart(NamedTuple):
    """A chart of lines over weeks."""

    lines: Sequence[Line]
    ticks: Sequence[Tick]
    labels: Sequence[tuple[float, str]]


def line_chart(weekly: Weekly) -> LineChart:
    """Return a line for each series with a count."""
    top = _rounded_up(max([1, *(max(counts) for counts in weekly.series.values())]))
    step, scale = WIDTH / max(1, len(weekly.weeks) - 1), HEIGHT / top
    drawn = {name: counts for name, counts in weekly.series.items() if any(counts)}
    heights = _apart({name: HEIGHT - counts[-1] * scale for name, counts in drawn.items()})
    lines = [
        Line(
            name=name,
            tone=tone,
            last=counts[-1],
            y=round(heights[name], 1),
            points=" ".join(
                f"{place * step:.1f},{HEIGHT - count * scale:.1f}"
                for place, count in enumerate(counts)
            ),
        )
        for tone, (name, counts) in enumerate(drawn.items())
    ]
    labels = [
        (round(place * step, 1), f"{week:%d %b}")
        for place, week in enumerate(weekly.weeks)
        if place % _labelled_every(weekly.weeks) == 0
    ]
    return LineChart(lines, _ticks(top), labels)


def _apart(heights: Mapping[str, float]) -> Mapping[str, float]:
    """Move labels up until none covers another one."""
    placed, limit = dict[str, float](), float(HEIGHT)
    for name, height in sorted(heights.items(), key=lambda item: -item[1]):
        placed[name] = min(height, limit)
        limit = placed[name] - LABEL_HEIGHT
    return placed


def _labelled_every(weeks: Sequence[dt.date]) -> int:
    return max(1, -(-len(weeks) // LABELLED))


def _ticks(top: int) -> list[Tick]:
    return [
        Tick(value, round(HEIGHT - value * HEIGHT / top, 1))
        for value in range(0, top + 1, max(1, top // TICKS))
    ]


def stacked_bars(weekly: Weekly) -> StackedBars:
    """Return a stacked bar for each week, the first series at the bottom."""
    stacks = [
        {name: counts[place] for name, counts in weekly.series.items()}
        for place, _ in enumerate(weekly.weeks)
    ]
    top = _rounded_up(max([1, *(sum(stack.values()) for stack in stacks)]))
    slot = WIDTH / max(1, len(stacks))
    width = min(0.8 * slot, MAX_BAR)
    bars = [
        Bar(
            label=f"{week:%d %b}",
            x=round(slot * (place + 0.5), 1),
            is_labelled=place % _labelled_every(weekly.weeks) == 0,
            segments=_stack(
                stack, slot * (place + 0.5) - width / 2, width=width, scale=HEIGHT / top
            ),
        )
        for place, (week, stack) in enumerate(zip(weekly.weeks, stacks, strict=True))
    ]
    return StackedBars(bars, _ticks(top), [*weekly.series])


def _stack(stack: Mapping[str, int], x: float, width: float, scale: float) -> list[Segment]:
    bottoms = accumulate(stack.values(), initial=0)
    return [
        Segment(
            name=name,
            tone=tone,
            value=count,
            x=round(x, 1),
            y=round(HEIGHT - (bottom + count) * scale, 1),
            width=round(width, 1),
            height=round(count * scale, 1),
        )
        for tone, ((name, count), bottom) in enumerate(zip(stack.items(), bottoms, strict=False))
        if count
    ]


def _rounded_up(value: int) -> int:
    unit = TICKS * int("1" + "0" * max(0, len(str(value)) - 2))
    return -(-value // unit) * unit


PARTS_WIDTH = 160


class Part(NamedTuple):
    """
    A term of a score.

    Attributes:
        value: Its share of the score.
        x: Left side of its bar in pixels, as is *width*; 0 wide unless the share is positive.
    """

    name: str
    value: float
    x: float
    width: float


def score_parts(terms: Iterable[tuple[str, float]], full: float) -> list[Part]:
    """Return the parts of a score side by side."""
    parts, x = list[Part](), 0.0
    for name, value in terms:
        width = max(0.0, min(value / full if full > 0 else 0.0, 1.0) * PARTS_WIDTH)
        width = min(width, PARTS_WIDTH - x)
        parts.append(Part(name=name, value=value, x=round(x, 1), width=round(width, 1)))
        x += width
    return parts


SPARK_WIDTH, SPARK_HEIGHT = 72, 16


def sparkline(counts: Sequence[int]) -> str:
    """Return the points of an SVG polyline through *counts*."""
    top, step = max([1, *counts]), SPARK_WIDTH / max(1, len(counts) - 1)
    return " ".join(
        f"{place * step:.1f},{SPARK_HEIGHT - 1 - count / top * (SPARK_HEIGHT - 2):.1f}"
        for place, count in enumerate(counts)
    )
