"""An end for a process that goes on and on. Standard library only."""

import os
import signal
import threading
from collections.abc import Callable

GRACE_SECONDS = 5.0
"""After this the system ends a process whose threads are all held up, as by a regular expression."""


def end_after(seconds: float, warn: Callable[[str], None], grace: float = GRACE_SECONDS) -> None:
    """
    End this process after *seconds*, whatever it does then.

    Args:
        seconds: So long it may take.
        warn: Told of it in one line, unless the process is held up in C.
        grace: So much later the system ends it, where there is a timer for that.

    """

    def end() -> None:
        warn(f"capture: ended after {seconds:g} seconds; the rest is for the next time")
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        signal.setitimer(signal.ITIMER_REAL, seconds + grace)
