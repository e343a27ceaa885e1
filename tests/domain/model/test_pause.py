"""Pauses: whom they cover, when they hold, what is off the record, and durations."""

import datetime as dt

import pytest

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.pause import (
    NEVER,
    UNREADABLE,
    Pause,
    holding,
    is_off_record,
    last_end,
    parse_duration,
    pause_of,
    resumed,
)

NOON = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)
MINE = Pause("mine", NOON, NOON + 60 * MINUTE)
OF_ALL = Pause("", NOON, NOON + 30 * MINUTE)


@pytest.mark.parametrize(
    ("minutes", "session_id", "expected"),
    [
        (0, "mine", MINE),
        (59, "mine", MINE),
        (60, "mine", None),
        (29, "other", OF_ALL),
        (30, "other", None),
        (29, "", OF_ALL),
        (30, "", None),
    ],
)
def test_a_session_is_paused_by_its_own_pause_or_that_of_all_until_the_last_ends(
    minutes: int, session_id: str, expected: Pause | None
) -> None:
    assert pause_of(session_id, [MINE, OF_ALL], NOON + minutes * MINUTE) == expected


def test_a_clock_that_was_set_back_ends_no_pause() -> None:
    assert holding([MINE], NOON - dt.timedelta(days=400)) == [MINE]


def test_words_of_the_span_are_off_the_record_in_its_session_only() -> None:
    for session_id, expected in (("mine", [False, True, True, False]), ("other", [False] * 4)):
        times = [NOON + minutes * MINUTE for minutes in (-1, 0, 59, 60)]
        assert [is_off_record([MINE], session_id, at) for at in times] == expected


def test_a_resume_in_a_session_ends_its_pause_and_that_of_all_and_no_other() -> None:
    other = Pause("other", NOON)
    at = NOON + MINUTE

    assert resumed([MINE, OF_ALL, other], "mine", at) == [
        MINE._replace(ends_at=at),
        OF_ALL._replace(ends_at=at),
        other,
    ]


def test_a_resume_outside_of_sessions_ends_all_but_moves_no_end_that_is_past() -> None:
    ended, at = Pause("old", NOON - MINUTE, NOON), NOON + MINUTE

    assert resumed([ended, MINE], "", at) == [ended, MINE._replace(ends_at=at)]


def test_an_unreadable_pause_is_one_of_all_since_ever() -> None:
    assert pause_of("any", [UNREADABLE], NOON) == UNREADABLE
    assert is_off_record([UNREADABLE], "any", NOON - dt.timedelta(days=9_999))
    assert not UNREADABLE.is_readable
    assert MINE.is_readable


def test_the_last_end_is_that_of_a_pause_of_this_session() -> None:
    assert last_end([MINE, OF_ALL], "mine") == MINE.ends_at
    assert last_end([MINE, OF_ALL], "other") == OF_ALL.ends_at
    assert last_end([MINE], "other") is None
    assert last_end([Pause("mine", NOON)], "mine") == NEVER


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("30m", 30), ("1h", 60), ("2h30m", 150), ("1d", 1440), (" 1D2H ", 1560), ("90m", 90)],
)
def test_durations_are_days_hours_and_minutes(text: str, minutes: int) -> None:
    assert parse_duration(text) == minutes * MINUTE


@pytest.mark.parametrize(
    "text", ["", "soon", "1", "h", "0m", "-1h", "1.5h", "30m1h", "1w", "1 h", "99999d", "\u0661h"]
)
def test_anything_else_is_refused_in_one_line_with_examples(text: str) -> None:
    with pytest.raises(
        InvalidQueryError, match=r"is no duration: give one such as 30m, 1h, 2h30m or 1d$"
    ) as raised:
        parse_duration(text)
    assert "\n" not in str(raised.value)
