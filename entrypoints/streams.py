"""Standard output and error, whatever they are connected to. Standard library only."""

import io
import os
import sys

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
