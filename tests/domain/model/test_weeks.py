"""Counting by weeks."""

import datetime as dt
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.weeks import WEEK, Weekly, weeks_until

TODAY = dt.date(2026, 11, 26)
mondays = st.integers(-30, 5).map(lambda back: dt.date(2026, 11, 23) + back * WEEK)
counts = st.dictionaries(mondays, st.integers(0, 9), max_size=6)


@given(last=st.dates(dt.date(1990, 1, 1), dt.date(2090, 1, 1)), number=st.integers(1, 60))
def test_weeks_are_mondays_without_a_gap_up_to_the_day(last: dt.date, number: int) -> None:
    weeks = weeks_until(last, number)

    assert len(weeks) == number
    assert {week.weekday() for week in weeks} == {0}
    assert all(after - before == WEEK for before, after in pairwise(weeks))
    assert weeks[-1] <= last < weeks[-1] + WEEK


@given(one=counts, two=counts, fewest=st.integers(1, 12))
def test_a_chart_starts_where_its_data_start(
    one: dict[dt.date, int], two: dict[dt.date, int], fewest: int
) -> None:
    whole = Weekly.of({"one": one, "two": two}, weeks_until(TODAY, 26))

    part = whole.since_first(fewest)

    assert part.weeks == whole.weeks[-len(part.weeks) :]
    assert {name: sum(series) for name, series in part.series.items()} == {
        name: sum(series) for name, series in whole.series.items()
    }
    starts_with_data = any(series[0] for series in part.series.values())
    assert len(part.weeks) == fewest or (len(part.weeks) > fewest and starts_with_data)
    assert all(
        sum(part.series[name]) == sum(n for week, n in given.items() if week in whole.weeks)
        for name, given in (("one", one), ("two", two))
    )
