"""Standard input and output, taken for the protocol before anything else can use them. Standard library only."""

import os
from typing import BinaryIO, NamedTuple

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
