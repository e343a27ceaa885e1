import datetime as dt
import time


class StoppedClock:
    """
    A clock by which it is always the same moment, so that what is recent today is recent in every later run.

    Args:
        now: The moment, with its zone.

    """

    def __init__(self, now: dt.datetime) -> None:
        self._now = now

    def now(self) -> dt.datetime:
        """Return the moment."""
        return self._now

    def monotonic(self) -> float:
        """Return seconds that never go back; these do pass."""
        return time.perf_counter()
