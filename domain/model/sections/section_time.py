"""When a section was said, as it tells itself."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.sections.section_outline import Outline
from hardwon.domain.model.sections.section_text import TIME


class TimeSpan(NamedTuple):
    """The first and the last moment of something, in UTC; both are the same where it has one alone."""

    first: dt.datetime
    last: dt.datetime


def time_span_of(read: Outline) -> TimeSpan | None:
    """Return when a section was said, None where it does not say so."""
    try:
        times = [dt.datetime.fromisoformat(each) for each in read.facts.get(TIME, "").split(" to ")]
        return TimeSpan(times[0].astimezone(dt.UTC), times[-1].astimezone(dt.UTC))
    except (ValueError, OverflowError, OSError):
        return None
