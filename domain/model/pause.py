"""Pauses: spans of time off the record."""

import datetime as dt
import re
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.errors import InvalidQueryError

EVER = dt.datetime.min.replace(tzinfo=dt.UTC)
NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)

DURATION = r"(?:([0-9]{1,4})d)?(?:([0-9]{1,4})h)?(?:([0-9]{1,4})m)?"


class Pause(NamedTuple):
    """
    A span of time in which nothing is captured, stored or injected.

    Attributes:
        session_id: The session that is paused, by the host's name; empty for all sessions.
        begins_at: In UTC, inclusive.
        ends_at: In UTC, exclusive; `NEVER` if it holds until it is resumed.
    """

    session_id: str
    begins_at: dt.datetime
    ends_at: dt.datetime = NEVER

    @property
    def is_readable(self) -> bool:
        """
        Whether it was read from the file.

        Otherwise it stands for a line that can't be read.
        """
        return self.begins_at != EVER

    def covers(self, session_id: str) -> bool:
        """Return whether it pauses that session."""
        return self.session_id in {"", session_id}

    def ends_by_resume_in(self, session_id: str) -> bool:
        """
        Return whether a resume in that session ends it.

        One outside of sessions, with an empty id, ends every pause.
        """
        return not session_id or self.covers(session_id)

    def holds(self, now: dt.datetime) -> bool:
        """Return whether it has not ended at *now*."""
        return now < self.ends_at


UNREADABLE = Pause("", EVER)
"""
The pause in place of one that can't be read.

All sessions, since ever, until resumed.
"""


def holding(pauses: Iterable[Pause], now: dt.datetime) -> list[Pause]:
    """Return the pauses that hold at *now*, by their end."""
    return sorted((pause for pause in pauses if pause.holds(now)), key=lambda pause: pause.ends_at)


def pause_of(session_id: str, pauses: Iterable[Pause], now: dt.datetime) -> Pause | None:
    """Return the pause of that session at *now* that ends last."""
    return next(
        (pause for pause in reversed(holding(pauses, now)) if pause.covers(session_id)), None
    )


def resumed(pauses: Iterable[Pause], session_id: str, at: dt.datetime) -> list[Pause]:
    """Return *pauses* after a resume in that session, at that time."""
    return [
        (
            pause._replace(ends_at=at)
            if pause.holds(at) and pause.ends_by_resume_in(session_id)
            else pause
        )
        for pause in pauses
    ]


def is_off_record(pauses: Iterable[Pause], session_id: str, at: dt.datetime) -> bool:
    """Return whether a pause covers that session at that time."""
    return any(
        pause.covers(session_id) and pause.begins_at <= at < pause.ends_at for pause in pauses
    )


def last_end(pauses: Iterable[Pause], session_id: str) -> dt.datetime | None:
    """Return the latest end of a pause of that session, if any."""
    return max((pause.ends_at for pause in pauses if pause.covers(session_id)), default=None)


def parse_duration(text: str) -> dt.timedelta:
    """
    Parse a duration in days, hours and minutes.

    >>> parse_duration("2h30m")
    datetime.timedelta(seconds=9000)

    Raises:
        InvalidQueryError: *text* is none, or no time at all.
    """
    found = re.fullmatch(DURATION, text.strip().lower())
    days, hours, minutes = (int(number or 0) for number in found.groups()) if found else (0, 0, 0)
    duration = dt.timedelta(days=days, hours=hours, minutes=minutes)
    if not duration:
        raise InvalidQueryError(
            f"{text[:40]!r} is no duration: give one such as 30m, 1h, 2h30m or 1d"
        )
    return duration
