"""What the hook prints: its block once and in time, its warnings if anyone listens. Standard library only."""

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
    Standard output that only the first who has a text may write to.

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
            False when another text came first, and is out by now, or nobody reads any more.

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


def start_watchdog(started: float, speak_at_last: Callable[[], bool]) -> None:
    """
    Call *speak_at_last* at 1.8 s, and end the process with exit code 0 by 1.95 s.

    Two threads, as neither a call into C that hangs nor *speak_at_last* can be
    interrupted.

    Args:
        started: When the hook began, by `time.monotonic`.
        speak_at_last: Prints what it can unless something was printed; when it
            returns True the process ends at once.

    """

    def speak() -> None:
        _sleep_until(started + ALARM_SECONDS)
        if speak_at_last():
            os._exit(0)

    threading.Thread(target=speak, daemon=True).start()
    leave_by(started + LAST_SECONDS)


def leave_by(moment: float) -> None:
    """End the process with exit code 0 at *moment*, by `time.monotonic`, whatever it does then."""

    def leave() -> None:
        _sleep_until(moment)
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
