"""How the server ends: soon, whatever still runs. Standard library only."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

DRAIN_SECONDS = 0.4
"""How long requests that came before the end may still be answered."""

LEAVE_SECONDS = 0.6
"""From the end of input, or the signal, to the end of the process at the latest; a second is promised."""


def leave(code: int = 0) -> NoReturn:
    """
    End the process.

    Not by `sys.exit`: Python would wait for threads, and one may hang in a call to a provider.
    What was acknowledged is in the store already.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def leave_soon() -> None:
    """End the process in `LEAVE_SECONDS`, if it does not end before."""
    timer = threading.Timer(LEAVE_SECONDS, leave)
    timer.daemon = True
    timer.start()


def on_signals(react: Callable[[], None]) -> None:
    """Call *react* when the process is asked to end."""

    def handle(_: int, __: FrameType | None) -> None:
        react()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)
