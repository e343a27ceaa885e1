"""The source of time."""

import datetime as dt
from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> dt.datetime:
        """Return the current time in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """
        Return seconds of a clock that never goes back.

        Only differences are meaningful.
        """
        ...
