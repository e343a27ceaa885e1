"""The share that a trial withholds is drawn by session and lesson."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.trial import Trial, parse_share
from tests.strategies import NOW, anything

shares = st.floats(0.01, 0.5)


def withheld(share: float, sessions: int, lessons: int) -> list[tuple[int, int]]:
    trial = Trial(share, NOW)
    return [
        (session, lesson)
        for session in range(sessions)
        for lesson in range(lessons)
        if trial.withholds(f"session {session}", f"{lesson:016x}")
    ]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_share_is_that_of_sessions_and_of_lessons(share: float) -> None:
    drawn = withheld(share, 200, 100)

    assert len(drawn) / 20_000 == pytest.approx(share, rel=0.1)
    for side in (0, 1):
        assert len({pair[side] for pair in drawn}) >= 80


@given(shares, shares, anything, anything)
def test_a_larger_share_withholds_the_same_lessons_too(
    one: float, other: float, session_id: str, entry_id: str
) -> None:
    small, large = (Trial(share, NOW) for share in sorted((one, other)))

    if small.withholds(session_id, entry_id):
        assert large.withholds(session_id, entry_id)


def test_the_same_lessons_are_drawn_on_every_machine() -> None:
    assert withheld(0.1, 4, 10) == DRAWN


DRAWN = [(0, 3), (0, 5), (2, 8)]


@pytest.mark.parametrize(
    ("text", "share"), [("10%", 0.1), ("1%", 0.01), ("50 %", 0.5), (" 2.5%", 0.025)]
)
def test_a_share_is_a_percentage(text: str, share: float) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize(
    "text", ["", "10", "0.1", "0%", "0.9%", "51%", "100%", "-10%", "1e1%", "ten%", "٣%", "nan%"]
)
def test_other_shares_are_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidQueryError, match="is no share: give a percentage from 1% to 50%"):
        parse_share(text)
