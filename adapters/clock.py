"""The clock of the machine."""

import datetime as dt
import time

from hardwon.ports.clock import Clock
from hardwon.ports.override import override


class SystemClock(Clock):
    """The machine's clock."""

    @override
    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)

    @override
    def monotonic(self) -> float:
        return time.monotonic()
