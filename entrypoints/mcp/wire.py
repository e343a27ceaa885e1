"""The server's process, which claims its streams for the protocol."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import BinaryIO, NamedTuple, NoReturn

DRAIN_SECONDS = 10.0
"""The server's own time to answer requests that came before the end of input."""

LONGEST_DRAIN_SECONDS = 120.0
"""Upper bound in seconds from the end of input to that of the process."""

STOPPED_DRAIN_SECONDS = 0.4
"""Time to answer requests after a signal."""

LEAVE_SECONDS = 0.6
"""
Upper bound from a signal or the last answer to the end.

A second is promised.
"""

IDLE_SHARE = 0.005
"""CPU share below which a process waits for something else than the CPU."""


class Allowance:
    """
    Time for the last answers, robust against a busy machine.

    It counts wall time while the process waits, and CPU time while it computes.

    Args:
        seconds: The allowance.
        longest: Upper bound by the clock.
        clock: Monotonic clock.
        cpu: CPU seconds of the process.

    """

    def __init__(
        self,
        seconds: float = DRAIN_SECONDS,
        longest: float = LONGEST_DRAIN_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.process_time,
    ) -> None:
        self._left = seconds
        self._clock, self._cpu = clock, cpu
        self._seen = clock(), cpu()
        self._end = self._seen[0] + longest

    def is_spent(self) -> bool:
        """
        Return whether nothing is left.

        Poll it several times a second.
        """
        before, computed_before = self._seen
        now, computed = self._seen = self._clock(), self._cpu()
        passed, worked = now - before, computed - computed_before
        self._left -= passed if worked < passed * IDLE_SHARE else min(passed, worked)
        return self._left <= 0 or now >= self._end


def leave(code: int = 0) -> NoReturn:
    """
    End the process without waiting for threads.

    `sys.exit` would wait for them, and one may hang in a call to a provider. Acknowledged writes
    are in the store already.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def leave_soon(seconds: float = LEAVE_SECONDS) -> None:
    """End the process after *seconds* at the latest."""
    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()


def on_signals(react: Callable[[], None]) -> None:
    """Call *react* on SIGTERM and SIGINT."""

    def handle(_: int, __: FrameType | None) -> None:
        react()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)


STDIN, STDOUT, STDERR = 0, 1, 2


class Wire(NamedTuple):
    """The streams from and to the client."""

    incoming: BinaryIO
    outgoing: BinaryIO

    def has_reader(self) -> bool:
        """Return whether the client can still read."""
        try:
            poll = select.poll()
            poll.register(self.outgoing, 0)
            return not poll.poll(0)
        except (AttributeError, OSError):  # not on Windows; a stream that is no file
            return True


def claim_wire() -> Wire:
    """
    Claim the process's standard input and output for the protocol.

    From then on, standard input is empty for anything else, and other output goes to standard
    error, be it from Python, C or a child. A stream that is closed already counts as a client that
    has left.
    """
    _open_what_is_closed()
    nothing = os.open(os.devnull, os.O_RDWR)
    wire = Wire(os.fdopen(os.dup(STDIN), "rb"), os.fdopen(os.dup(STDOUT), "wb"))
    os.dup2(nothing, STDIN)
    os.dup2(STDERR, STDOUT)
    os.close(nothing)
    return wire


def _open_what_is_closed() -> None:
    """Keep files opened later from getting the number of a standard stream."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(descriptor)
