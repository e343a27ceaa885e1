import datetime as dt
import time


class SystemClock:
    """The machine's clock."""

    def now(self) -> dt.datetime:
        """Return the moment in UTC."""
        return dt.datetime.now(dt.UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()
