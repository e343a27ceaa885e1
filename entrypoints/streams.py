"""Standard output and error, whatever they are connected to. Standard library only."""

import io
import os
import re
import sys

# All but tab and newline, and what turns the reading direction: a stored text must not be able to
# steer the terminal it is shown on, nor read there as what it is not.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def never_fail_to_print() -> None:
    """Escape characters that the terminal's encoding lacks, and let a stream that is closed swallow what it gets."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for the process's whole life
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def visible(text: str) -> str:
    r"""Return *text* with its control characters spelt out, such as `\x1b`; tabs and newlines stay."""
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1] if found[0] > "\xff" else f"\\x{ord(found[0]):02x}", text)


def readable(argument: str) -> str:
    """Return a command's *argument* as text that can be searched and printed, whatever bytes were typed."""
    return os.fsencode(argument).decode("utf-8", "replace")


def on_one_line(text: str) -> str:
    """Return *text* as `visible` does, on one line."""
    return visible(text).replace("\n", "\\n")


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
