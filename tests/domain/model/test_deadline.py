import math

import pytest

from hardwon.domain.model.deadline import Deadline
from tests.fakes.clock import FixedClock


def test_a_deadline_passes_as_its_clock_goes_on() -> None:
    clock = FixedClock()
    deadline = Deadline.after(2.0, clock.monotonic)
    assert (deadline.remaining(), deadline.passed()) == (2.0, False)

    clock.advance(1.5)
    assert (deadline.remaining(), deadline.passed()) == (0.5, False)

    clock.advance(0.5)
    assert (deadline.remaining(), deadline.passed()) == (0.0, True)


def test_the_remaining_time_is_never_negative() -> None:
    clock = FixedClock()
    deadline = Deadline.after(1.0, clock.monotonic)
    clock.advance(60)

    assert deadline.remaining() == 0


@pytest.mark.parametrize(("seconds", "remaining"), [(0.5, 0.5), (5.0, 2.0), (0.0, 0.0)])
def test_a_part_ends_with_the_whole_at_the_latest(seconds: float, remaining: float) -> None:
    assert FixedClock().deadline(2.0).within(seconds).remaining() == remaining


def test_without_a_time_there_is_no_deadline() -> None:
    clock = FixedClock()
    endless = Deadline(clock.monotonic)
    clock.advance(1e9)

    assert not endless.passed()
    assert endless.remaining() == math.inf
    assert endless.within(3.0).remaining() == 3.0
