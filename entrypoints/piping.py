"""Texts that come by standard input. Standard library only."""

import os
import select
import stat
import sys

from hardwon.domain.model.errors import InvalidEntryError

LARGEST_TEXT = 4 * 1024 * 1024
"""In bytes."""

PATIENCE_SECONDS = 1.0
"""How long a pipe may stay silent when nobody said that a text comes; a parent's pipe is silent for ever."""


def is_piped(*, patient: bool) -> bool:
    """Tell whether a text comes by standard input; without patience, whether it comes at once."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return False
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return stat.S_ISREG(mode)
    return patient or bool(select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0])


def is_empty() -> bool:
    """Tell whether standard input is the system's empty file, named on purpose."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    return os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(os.devnull))


def standard_input() -> str:
    """
    Return standard input as text.

    Raises:
        InvalidEntryError: it is longer than 4 MB, or not UTF-8.
    """
    return decoded(sys.stdin.buffer.read(LARGEST_TEXT + 1) if sys.stdin else b"", "the text")


def decoded(data: bytes, what: str) -> str:
    """
    Return *data* as text.

    Raises:
        InvalidEntryError: it is longer than 4 MB, or not UTF-8; the message calls it *what*.
    """
    if len(data) > LARGEST_TEXT:
        raise InvalidEntryError(f"{what} is longer than {LARGEST_TEXT} bytes (4 MB): shorten it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"{what} is not UTF-8: {error}") from error
