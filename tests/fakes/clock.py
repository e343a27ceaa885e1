"""A clock that stands still."""

import datetime as dt

from hardwon.domain.model.deadline import Deadline
from hardwon.ports.clock import Clock
from hardwon.ports.override import override
from tests.strategies import NOW


class FixedClock(Clock):
    """Stands still until it is advanced."""

    def __init__(self, now: dt.datetime = NOW) -> None:
        self._now = now
        self._monotonic = 1_000.0

    @override
    def now(self) -> dt.datetime:
        return self._now

    @override
    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += dt.timedelta(seconds=seconds)
        self._monotonic += seconds

    def deadline(self, seconds: float = 2.0) -> Deadline:
        return Deadline.after(seconds, self.monotonic)
