"""Standard output and error, whatever the terminal's encoding. Standard library only."""

import io
import sys


def never_fail_to_print() -> None:
    """Let characters that the terminal's encoding lacks be escaped instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
