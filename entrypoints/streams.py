"""Standard input, output and error, whatever they are connected to. Standard library only."""

import io
import os
import select
import stat
import sys

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.entrypoints.presenters.text import on_one_line


def never_fail_to_print() -> None:
    """Escape characters that the terminal's encoding lacks, and let a stream that is closed swallow what it gets."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for the process's whole life
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def readable(argument: str) -> str:
    """Return a command's *argument* as text that can be searched and printed, whatever bytes were typed."""
    return os.fsencode(argument).decode("utf-8", "replace")


def warn(line: str) -> None:
    """Tell of trouble that stops nothing."""
    print(f"Warning: {on_one_line(line)}", file=sys.stderr)


REINSTALL = "uv tool upgrade --reinstall hardwon"
NO_FOLDER = "the working folder is gone: change into one that is there"


def is_working_folder_gone() -> bool:
    """Return whether the working folder was removed, which is then the cause of any error of the system."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def put_out(text: str) -> str:
    """Print *text* at once; return why that is not possible, empty when it is."""
    try:
        print(text, flush=True)
    except OSError as error:
        silence()
        return error.strerror or str(error)
    return ""


def silence() -> None:
    """Let standard output swallow what it still holds; Python would try to write it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


LARGEST_TEXT = 4 * 1024 * 1024
"""In bytes."""

PATIENCE_SECONDS = 1.0
"""How long a pipe may stay silent when nobody said that a text comes; a parent's pipe is silent for ever."""


def is_piped(*, patient: bool) -> bool:
    """Return whether a text comes by standard input; without patience, whether it comes at once."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return False
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return stat.S_ISREG(mode)
    return patient or bool(select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0])


def is_empty() -> bool:
    """Return whether standard input is the system's empty file, named on purpose."""
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
