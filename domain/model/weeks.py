"""Weeks from Monday to Sunday in UTC, and what is counted in them."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

WEEK = dt.timedelta(weeks=1)

Counts: TypeAlias = Mapping[dt.date, int]
"""By the Monday of the week."""


def weeks_until(last: dt.date, number: int) -> list[dt.date]:
    """Return the Mondays of *number* weeks, up to the week of *last*."""
    monday = last - dt.timedelta(days=last.weekday())
    return [monday - WEEK * back for back in range(number - 1, -1, -1)]


class Weekly(NamedTuple):
    """
    Counts of several things in the same weeks.

    Attributes:
        weeks: The Mondays, the last is that of this week.
        series: The counts of each thing, one a week.
    """

    weeks: Sequence[dt.date]
    series: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, counts: Mapping[str, Counts], weeks: Sequence[dt.date]) -> "Weekly":
        """Return *counts* in *weeks*, without other weeks."""
        return cls(
            weeks,
            {name: [of.get(week, 0) for week in weeks] for name, of in counts.items()},
        )

    def since_first(self, fewest: int = 1) -> "Weekly":
        """
        Return the weeks from the first one with a count, at least *fewest*.

        >>> Weekly.of({"a": {dt.date(2026, 1, 12): 3}}, weeks_until(dt.date(2026, 1, 20), 9)).since_first().series
        {'a': [3, 0]}
        """
        counted = [place for place, _ in enumerate(self.weeks) if any(self._at(place))]
        begin = max(0, min([*counted[:1], len(self.weeks) - fewest]))
        return Weekly(
            self.weeks[begin:], {name: counts[begin:] for name, counts in self.series.items()}
        )

    @property
    def has_counts(self) -> bool:
        """Whether anything was counted."""
        return any(map(any, self.series.values()))

    @property
    def rows(self) -> list[dict[str, object]]:
        """The counts of each week by name, with its day."""
        return [
            {
                "week": week.isoformat(),
                **{name: counts[place] for name, counts in self.series.items()},
            }
            for place, week in enumerate(self.weeks)
        ]

    def _at(self, place: int) -> list[int]:
        return [counts[place] for counts in self.series.values()]
