"""The output of the hook: one block, in time, and warnings on standard error. Standard library only."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable

ALARM_SECONDS = 1.8
LAST_SECONDS = 1.95


class Output:
    """
    Standard output for one text: the first caller writes, later ones are refused.

    Attributes:
        answer: Makes of a text what the host reads.

    """

    def __init__(self) -> None:
        self.answer: Callable[[str], str] = lambda text: text
        self._claim = threading.Lock()
        self._written = threading.Event()

    @property
    def taken(self) -> bool:
        """Whether a text came already."""
        return self._claim.locked()

    def write(self, text: str) -> bool:
        """
        Write *text* as UTF-8 and flush it.

        Returns:
            False when another text came first, and is out by now, or standard output is closed.

        """
        if not self._claim.acquire(blocking=False):
            self._written.wait()  # or who came first would be cut off when the process ends
            return False
        try:
            return _print(self.answer(text))
        finally:
            self._written.set()


def _print(text: str) -> bool:
    if sys.stdout is None:
        return False
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except (OSError, ValueError):
        return False
    return True


def complain(line: str) -> None:
    """Print *line* on standard error; when that is closed, nowhere, and never on standard output."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)


def start_watchdog(started: float, print_fallback: Callable[[], bool]) -> None:
    """
    Call *print_fallback* at 1.8 s, and end the process with exit code 0 by 1.95 s.

    Two threads, as neither a call into C that hangs nor *print_fallback* can be
    interrupted.

    Args:
        started: When the hook began, by `time.monotonic`.
        print_fallback: Prints what it can unless something was printed; when it
            returns True the process ends at once.

    """

    def print_late() -> None:
        _sleep_until(started + ALARM_SECONDS)
        if print_fallback():
            os._exit(0)

    threading.Thread(target=print_late, daemon=True).start()
    leave_by(started + LAST_SECONDS)


def leave_by(deadline: float) -> None:
    """End the process with exit code 0 at *deadline*, by `time.monotonic`, whatever it does then."""

    def leave() -> None:
        _sleep_until(deadline)
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()


def _sleep_until(deadline: float) -> None:
    time.sleep(max(0.0, deadline - time.monotonic()))
