"""Charts as SVG: costs against sizes on logarithmic scales, and shares on linear ones."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

WIDTH, HEIGHT = 860, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 230, 30, 50
COLOURS = ("#1f6feb", "#8250df", "#1a7f37", "#bf3989", "#9a6700", "#57606a")
GAP = 15
"""Least distance of two labels."""

Points = Sequence[tuple[float, float]]


class Line(NamedTuple):
    """
    The costs of one door.

    Attributes:
        points: Size and cost, the smallest size first.
        targets: The same of its targets, drawn dashed.

    """

    title: str
    points: Points
    targets: Points


class _Scale(NamedTuple):
    """Two powers of ten, and where they are drawn."""

    low: int
    high: int
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where *value* is drawn."""
        return self.start + (math.log10(value) - self.low) / max(1, self.high - self.low) * (
            self.end - self.start
        )

    def marks(self) -> list[float]:
        """Return the powers of ten."""
        return [10**power for power in range(self.low, self.high + 1)]


class _Linear(NamedTuple):
    """The range from 0 to a value, and where it is drawn."""

    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where *value* is drawn."""
        return self.start + value / self.high * (self.end - self.start)

    def marks(self) -> list[float]:
        """Return five values with equal distances."""
        return [self.high * part / 4 for part in range(5)]


_Axis: TypeAlias = _Scale | _Linear


def chart(lines: Sequence[Line], title: str, below: str = "", *, is_linear: bool = False) -> str:
    """
    Return a chart of at least one line.

    Args:
        lines: Costs by size, or with *is_linear* shares in percent.
        title: Of the chart.
        below: The title of the axis across.
        is_linear: Whether both scales are linear.
    """
    points = [point for line in lines for point in (*line.points, *line.targets)]
    sizes = [size for size, _ in points]
    across = (_linear if is_linear else _scale)(sizes, LEFT, WIDTH - RIGHT)
    up = (_linear if is_linear else _scale)([cost for _, cost in points], HEIGHT - BOTTOM, TOP)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_axes(across, up, title, below or "entries (dashed: targets)"),
        *(
            part
            for line, colour in zip(lines, COLOURS, strict=False)
            for part in _line(line, colour, across, up)
        ),
        *_labels(lines, up),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _linear(values: Sequence[float], start: float, end: float) -> _Linear:
    return _Linear(max(values), start, end)


def _scale(values: Sequence[float], start: float, end: float) -> _Scale:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return _Scale(low, max(high, low + 1), start, end)


def _axes(across: _Axis, up: _Axis, title: str, below: str) -> Iterator[str]:
    yield _text(LEFT, TOP - 12, title)
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, below, "middle")
    for mark in up.marks():
        yield f'<path d="M{LEFT},{up(mark):.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>'
        yield _text(LEFT - 8, up(mark) + 4, f"{mark:g}", "end")
    for mark in across.marks():
        yield f'<path d="M{across(mark):.1f},{TOP}V{HEIGHT - BOTTOM}" stroke="#d0d7de"/>'
        yield _text(across(mark), HEIGHT - BOTTOM + 18, f"{mark:,.16g}", "middle")


def _line(line: Line, colour: str, across: _Axis, up: _Axis) -> Iterator[str]:
    for points, dashes in (
        (line.targets, ' stroke-dasharray="4 4" opacity="0.6"'),
        (line.points, ""),
    ):
        drawn = " ".join(f"{across(size):.1f},{up(cost):.1f}" for size, cost in points)
        yield f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
    for size, cost in line.points:
        yield f'<circle cx="{across(size):.1f}" cy="{up(cost):.1f}" r="3" fill="{colour}"/>'


def _labels(lines: Sequence[Line], up: _Axis) -> Iterator[str]:
    """
    Yield the name of each line at its end.

    Names that would cover each other are moved down.
    """
    lowest = float("-inf")
    for line, colour in sorted(
        zip(lines, COLOURS, strict=False), key=lambda pair: -pair[0].points[-1][1]
    ):
        lowest = max(up(line.points[-1][1]) + 4, lowest + GAP)
        yield _text(
            WIDTH - RIGHT + 10, lowest, f"{line.title}: {line.points[-1][1]:.1f}", colour=colour
        )


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#24292f") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        f' fill="{colour}">{escape(text)}</text>'
    )
