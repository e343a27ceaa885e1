"""The process of a hook: its one answer, its warnings and its time limits."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable


def _print(text: str) -> bool:
    if sys.stdout is None:
        return False
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except (OSError, ValueError):
        return False
    return True


class Output:
    """
    One text for the host: the first writer wins.

    Args:
        emit: Hands the text over, and returns whether that worked; by default on standard output.
    """

    def __init__(self, emit: Callable[[str], bool] = _print) -> None:
        self.answer: Callable[[str], str] = lambda text: text
        self._emit = emit
        self._claim = threading.Lock()
        self._written = threading.Event()

    @property
    def taken(self) -> bool:
        """Whether a writer has claimed the output."""
        return self._claim.locked()

    @property
    def written(self) -> bool:
        """Whether the text was written and flushed."""
        return self._written.is_set()

    def write(self, text: str) -> bool:
        """
        Write *text*.

        Returns:
            False if another text came first (and is written by now), or it can't be handed over.

        """
        if not self._claim.acquire(blocking=False):
            self._written.wait()  # or who came first would be cut off when the process ends
            return False
        try:
            return self._emit(self.answer(text))
        finally:
            self._written.set()

    def close(self) -> None:
        """Refuse all later texts. One that is being written is written by the end."""
        if self._claim.acquire(blocking=False):
            self._written.set()
        self._written.wait()


def complain(line: str) -> None:
    """Print *line* on standard error, if that is open."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)


ALARM_SECONDS = 1.8
LAST_SECONDS = 1.95
OLDEST_SECONDS = 60.0
"""Greater ages at the first line mean that the clock can't be trusted."""


def process_start() -> float:
    """
    Return when this process began, by `time.monotonic`.

    Includes the interpreter's start, which the user waits for too. Exact to 10 ms on Linux;
    elsewhere it is now.
    """
    now = time.monotonic()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return now
    return now - age if 0 <= age < OLDEST_SECONDS else now


def slowdown(started: float) -> float:
    """Return elapsed seconds per CPU second of this process, at least 1."""
    return max(1.0, (time.monotonic() - started) / max(time.process_time(), 0.001))


def start_watchdog(
    started: float, print_late: Callable[[], bool], leave: Callable[[], float]
) -> None:
    """
    Call *print_late* at 1.8 s, *leave* at 1.95 s, then exit.

    Two threads, as neither a hanging C call nor *print_late* can be interrupted. A timer that
    interrupts the main thread watches until both run: `Thread.start` waits for ever for a thread
    that ends in a MemoryError before it begins. The timer stays if no thread can be started.

    Args:
        started: When the process began, by `time.monotonic`.
        print_late: Prints a fallback unless something was printed; True ends the process at once.
        leave: Called last; returns the seconds after which it is called again, 0 to end.
    """

    def alarm() -> None:
        if print_late():
            os._exit(0)

    def end() -> None:
        try:
            while seconds := leave():
                time.sleep(seconds)
        finally:
            os._exit(0)

    def interrupt(*_: object) -> None:
        seconds = 0.0
        try:
            if not print_late():
                seconds = leave()
        finally:
            if not seconds:
                os._exit(0)
        _set_timer(seconds)

    if HAS_TIMER:
        signal.signal(signal.SIGALRM, interrupt)
        _set_timer(max(0.001, started + ALARM_SECONDS - time.monotonic()))
    with contextlib.suppress(RuntimeError, MemoryError):  # no more threads
        _at(started + LAST_SECONDS, end)
        _at(started + ALARM_SECONDS, alarm)
        _set_timer(0.0)


HAS_TIMER = hasattr(signal, "setitimer")
"""False on Windows."""


def _set_timer(seconds: float) -> None:
    if HAS_TIMER:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def leave_by(deadline: float) -> None:
    """Exit with code 0 at *deadline*, by `time.monotonic`, in a thread."""
    _at(deadline, lambda: os._exit(0))


def _at(deadline: float, act: Callable[[], None]) -> None:
    def wait() -> None:
        _sleep_until(deadline)
        act()

    threading.Thread(target=wait, daemon=True).start()


def _sleep_until(deadline: float) -> None:
    time.sleep(max(0.0, deadline - time.monotonic()))
