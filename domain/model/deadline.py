"""Deadlines as values. Standard library only."""

import math
from collections.abc import Callable
from typing import NamedTuple


class Deadline(NamedTuple):
    """A time limit, passed along as a value."""

    monotonic: Callable[[], float]
    at: float = math.inf

    @classmethod
    def after(cls, seconds: float, monotonic: Callable[[], float]) -> "Deadline":
        """Return the deadline *seconds* from now."""
        return cls(monotonic, monotonic() + seconds)

    def remaining(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self.at - self.monotonic())

    def passed(self) -> bool:
        """Return whether no time is left."""
        return self.monotonic() >= self.at

    def within(self, seconds: float) -> "Deadline":
        """Return the earlier of this deadline and *seconds* from now."""
        return Deadline(self.monotonic, min(self.at, self.monotonic() + seconds))
