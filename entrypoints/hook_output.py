"""Standard output of the hook: written once, and in time. Standard library only."""

import os
import sys
import threading
import time
from collections.abc import Callable

ALARM_SECONDS = 1.8
LAST_SECONDS = 1.95


class Output:
    """Standard output that only the first who has a text may write to."""

    def __init__(self) -> None:
        self._claim = threading.Lock()

    def write(self, text: str) -> bool:
        """
        Write *text* as UTF-8 and flush it.

        Returns:
            False when another text came first, or nobody reads any more.

        """
        if not self._claim.acquire(blocking=False):
            return False
        try:
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        except (OSError, ValueError):
            return False
        return True


def start_watchdog(output: Output, started: float, last_words: Callable[[], str]) -> None:
    """
    Print *last_words* at 1.8 s unless something was printed, and end the process by 1.95 s.

    Two threads, as neither a call into C that hangs nor *last_words* can be
    interrupted. The process leaves with exit code 0.

    Args:
        output: Where the text goes.
        started: When the hook began, by `time.monotonic`.
        last_words: Makes the text of the markdown-only pipeline.

    """

    def speak() -> None:
        _sleep_until(started + ALARM_SECONDS)
        if output.write(last_words()):
            os._exit(0)

    def leave() -> None:
        _sleep_until(started + LAST_SECONDS)
        os._exit(0)

    for watch in (speak, leave):
        threading.Thread(target=watch, daemon=True).start()


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
