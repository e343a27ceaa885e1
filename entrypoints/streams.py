"""Standard input, output and error, whatever they are connected to."""

import atexit
import gc
import io
import os
import select
import stat
import sys
from typing import BinaryIO, Literal

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.entrypoints.presenters.text import on_one_line


def never_fail_to_print() -> None:
    """Escape characters that the terminal's encoding lacks, and ignore closed streams."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for the process's whole life
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def ignore_empty_home() -> None:
    """Let the system name the user's home if `HOME` is empty."""
    if os.environ.get("HOME") == "":
        del os.environ["HOME"]


SELDOM = 50_000
"""Objects. Most commands end before they have made so many that stay."""


def collect_seldom() -> None:
    """
    Look for garbage seldom, and never when the process ends.

    At the end of a search the collector would take a seventh of all its CPU.
    """
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)


def readable(argument: str) -> str:
    """Return a command's *argument* as valid Unicode, whatever bytes were typed."""
    return os.fsencode(argument).decode("utf-8", "replace")


def valid_text(argument: str) -> str:
    """Return a command's *argument* that is stored, refused where its bytes are no text."""
    return decoded(os.fsencode(argument), "the text")


def warn(line: str) -> None:
    """Print a warning about a problem that stops nothing."""
    print(f"Warning: {on_one_line(line)}", file=sys.stderr)


REINSTALL = "uv tool upgrade --reinstall hardwon"
NO_FOLDER = "the working folder is gone: change into one that is there"


def is_working_folder_gone() -> bool:
    """
    Return whether the working folder was removed.

    That is the cause of any system error then.
    """
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def put_out(text: str) -> str:
    """Print *text* at once and return the error, empty on success."""
    try:
        print(text, flush=True)
    except OSError as error:
        silence()
        return error.strerror or str(error)
    return ""


def silence() -> None:
    """Discard buffered output, which Python would write at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


LARGEST_TEXT = 4 * 1024 * 1024
"""Largest text, in bytes."""

PATIENCE_SECONDS = 1.0
"""
How long a pipe may stay silent if no text was announced.

A pipe inherited from a parent stays silent for ever.
"""


def is_piped(*, patient: bool) -> bool:
    """
    Return whether a text arrives on standard input.

    Unless *patient*, it has to begin within `PATIENCE_SECONDS`.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return False
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return stat.S_ISREG(mode)
    return patient or bool(select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0])


def is_empty() -> bool:
    """Return whether standard input is the null device, redirected on purpose."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    return os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(os.devnull))


def input_bytes() -> BinaryIO:
    """Return the bytes of standard input, none if it is closed."""
    return sys.stdin.buffer if sys.stdin else io.BytesIO()


def standard_input(errors: Literal["strict", "replace"] = "strict") -> str:
    """
    Return standard input as text.

    Bytes that are no text are refused, or replaced as *errors* says.
    """
    return decoded(input_bytes().read(LARGEST_TEXT + 1), "the text", errors)


def decoded(data: bytes, what: str, errors: Literal["strict", "replace"] = "strict") -> str:
    """Return *data* as text."""
    if len(data) > LARGEST_TEXT:
        raise InvalidEntryError(f"{what} is longer than {LARGEST_TEXT} bytes (4 MB): shorten it")
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"{what} is not UTF-8: {error}") from error
