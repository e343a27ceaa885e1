"""Texts that come by standard input."""

import os
import select
import stat
import sys

from hardwon.adapters.markdown.source_files import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import read_regular_file, reason
from hardwon.domain.model.errors import InvalidEntryError

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


def read_text(path: str, what: str) -> str:
    """
    Return the text of the file at *path*, of standard input for `-`.

    Args:
        path: As the user gave it.
        what: What it is called in messages.

    Raises:
        InvalidEntryError: it can't be read, is longer than 4 MB, or not UTF-8.

    """
    if path == "-":
        return standard_input()
    try:
        data = read_regular_file(path, LARGEST_FILE).data
    except (OSError, ValueError) as error:
        raise InvalidEntryError(f"{what} {path!r}: {reason(error)}") from error
    return _decoded(data, f"{what} {path!r}")


def standard_input() -> str:
    """
    Return standard input as text.

    Raises:
        InvalidEntryError: it is longer than 4 MB, or not UTF-8.
    """
    return _decoded(sys.stdin.buffer.read(LARGEST_FILE + 1) if sys.stdin else b"", "the text")


def _decoded(data: bytes, what: str) -> str:
    if len(data) > LARGEST_FILE:
        raise InvalidEntryError(f"{what} is longer than {LARGEST_FILE} bytes (4 MB): shorten it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"{what} is not UTF-8: {error}") from error
