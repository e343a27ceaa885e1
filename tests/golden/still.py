"""
A clock that everything in the process reads, and that stands still; no deadline passes, however
busy the machine is.

`python tests/golden/still.py SECONDS PROGRAM [ARGUMENT ...]` runs a script, `-m MODULE` a module,
in a process whose clock it is.
"""

import contextlib
import ctypes
import datetime as dt
import gc
import runpy
import sys
import time
from collections.abc import Iterator
from typing import Any

SLOWER = 1000
"""So many times slower deadlines come nearer."""

START = dt.datetime(2026, 11, 25, 9, 30, tzinfo=dt.UTC)


@contextlib.contextmanager
def standing_still(seconds: int) -> Iterator[None]:
    """Let `datetime.now` return *seconds* after `START`, whoever calls it and however it came by the class."""
    [attributes] = gc.get_referents(dt.datetime.__dict__)
    real = attributes["now"]
    moment = START + dt.timedelta(seconds=seconds)

    def now(_: type[dt.datetime], tz: dt.tzinfo | None = None) -> dt.datetime:
        return moment.astimezone(tz) if tz else moment.astimezone().replace(tzinfo=None)

    _put(attributes, classmethod(now))
    try:
        with slow_deadlines():
            yield
    finally:
        _put(attributes, real)


@contextlib.contextmanager
def slow_deadlines() -> Iterator[None]:
    """Let deadlines come nearer a thousand times slower."""
    monotonic, sleep, birth = time.monotonic, time.sleep, time.clock_gettime
    began = monotonic()

    def slow_monotonic() -> float:
        return began + (monotonic() - began) / SLOWER

    def slow_sleep(seconds: Any) -> None:
        sleep(seconds if seconds < 1 else seconds * SLOWER)  # shorter ones wait for others

    time.monotonic, time.sleep = slow_monotonic, slow_sleep
    time.clock_gettime = float  # of a number: so the age of the process is not known
    try:
        yield
    finally:
        time.monotonic, time.sleep, time.clock_gettime = monotonic, sleep, birth


def _put(attributes: dict[str, Any], now: object) -> None:
    attributes["now"] = now
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(dt.datetime))


def main() -> None:
    """Run what the arguments name."""
    _, seconds, *sys.argv = sys.argv
    with standing_still(int(seconds)):
        if sys.argv[0] == "-m":
            del sys.argv[0]
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
