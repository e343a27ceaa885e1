"""
The server's process: its standard streams, taken for the protocol before anything else can use them, and its end.

Standard library only.
"""

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
"""How long requests that came before the end of input may still be answered, of the server's own time."""

LONGEST_DRAIN_SECONDS = 120.0
"""From the end of input to the end of the process at the latest, however busy the machine is."""

STOPPED_DRAIN_SECONDS = 0.4
"""How long requests may still be answered after a signal."""

LEAVE_SECONDS = 0.6
"""From a signal, or the last answer, to the end of the process at the latest; a second is promised."""

IDLE_SHARE = 0.005
"""The share of CPU below which a process waits for something else than the CPU."""


class Allowance:
    """
    Time for the last answers: while the process waits its length, while it computes its CPU time.

    So a busy machine, which lets the process compute seldom, takes nothing from it.

    Args:
        seconds: So much there is.
        longest: So long it lasts at most, by the clock.
        clock: Returns seconds that pass evenly.
        cpu: Returns the seconds that the process has computed.

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
        """Return whether nothing is left; to be asked several times a second."""
        before, computed_before = self._seen
        now, computed = self._seen = self._clock(), self._cpu()
        passed, worked = now - before, computed - computed_before
        self._left -= passed if worked < passed * IDLE_SHARE else min(passed, worked)
        return self._left <= 0 or now >= self._end


def leave(code: int = 0) -> NoReturn:
    """
    End the process.

    Not by `sys.exit`: Python would wait for threads, and one may hang in a call to a provider.
    What was acknowledged is in the store already.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def leave_soon(seconds: float = LEAVE_SECONDS) -> None:
    """End the process in *seconds*, if it does not end before."""
    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()


def on_signals(react: Callable[[], None]) -> None:
    """Call *react* when the process is asked to end."""

    def handle(_: int, __: FrameType | None) -> None:
        react()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)


STDIN, STDOUT, STDERR = 0, 1, 2


class Wire(NamedTuple):
    """What the client writes, and where it reads."""

    incoming: BinaryIO
    outgoing: BinaryIO

    def has_reader(self) -> bool:
        """Return whether the client can still read, as far as the system tells."""
        try:
            poll = select.poll()
            poll.register(self.outgoing, 0)
            return not poll.poll(0)
        except (AttributeError, OSError):  # not on Windows; a stream that is no file
            return True


def claim_wire() -> Wire:
    """
    Return the process's standard input and output, for the protocol alone.

    From then on, whatever else reads standard input finds its end, and whatever
    else is printed goes to standard error, be it from Python, C or a child.
    One that is closed already counts as a client that has left.
    """
    _open_what_is_closed()
    nothing = os.open(os.devnull, os.O_RDWR)
    wire = Wire(os.fdopen(os.dup(STDIN), "rb"), os.fdopen(os.dup(STDOUT), "wb"))
    os.dup2(nothing, STDIN)
    os.dup2(STDERR, STDOUT)
    os.close(nothing)
    return wire


def _open_what_is_closed() -> None:
    """Let no file that is opened later get the number of a standard stream."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(descriptor)
