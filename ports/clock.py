import datetime as dt
from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> dt.datetime:
        """Return the moment in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences mean anything."""
        ...
