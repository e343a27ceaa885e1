"""
The server's process: its standard streams, taken for the protocol before anything else can use them, and its end.

Standard library only.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import BinaryIO, NamedTuple, NoReturn

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


STDIN, STDOUT, STDERR = 0, 1, 2


class Wire(NamedTuple):
    """What the client writes, and where it reads."""

    incoming: BinaryIO
    outgoing: BinaryIO


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
