"""Compute the geometry of charts that templates draw as SVG."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import attrs

WIDTH, HEIGHT = 720, 200
"""Area of the bars in pixels, without axes."""

TICKS = 4
SHOWN_NAMES = 8
"""As many colours as can be told apart. Rarer groups become OTHER."""

OTHER = "other"


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


def ranked_names(counts: Mapping[str, int], most: int = SHOWN_NAMES) -> list[str]:
    """Return the names by falling count, the excess replaced by `OTHER`."""
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return names if len(names) <= most else [*names[: most - 1], OTHER]


def stacked_bars(
    weeks: Sequence[dt.date], names: Sequence[str], counts: Mapping[tuple[dt.date, str], int]
) -> StackedBars:
    """
    Return a stacked bar for each week.

    Args:
        weeks: From left to right.
        names: From the bottom up; counts of other names go to `OTHER`.
        counts: By week and name.
    """
    stacks = {week: dict.fromkeys(names, 0) for week in weeks}
    for (week, name), count in counts.items():
        if week in stacks:
            stack = stacks[week]
            stack[name if name in stack else OTHER] = (
                stack.get(name if name in stack else OTHER, 0) + count
            )
    top = _rounded_up(max([1, *(sum(stack.values()) for stack in stacks.values())]))
    slot, scale = WIDTH / max(1, len(weeks)), HEIGHT / top
    bars = [
        Bar(
            label=f"{week:%d %b}",
            x=round(slot * (place + 0.5), 1),
            is_labelled=place % max(1, len(weeks) // 6) == 0,
            segments=_stack(stacks[week], slot * place, width=slot * 0.8, scale=scale),
        )
        for place, week in enumerate(weeks)
    ]
    step = max(1, top // TICKS)
    return StackedBars(
        bars,
        [Tick(value, round(HEIGHT - value * scale, 1)) for value in range(0, top + 1, step)],
        names,
    )


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
