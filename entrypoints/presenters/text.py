"""Text that can be printed without harm: control characters spelt out. Standard library only."""

import datetime as dt
import re

# All but tab and newline, and what turns the reading direction: a stored text must not be able to
# steer the terminal it is shown on, nor read there as what it is not.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return *text* with its control characters spelt out, such as `\x1b`; tabs and newlines stay."""
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1] if found[0] > "\xff" else f"\\x{ord(found[0]):02x}", text)


def on_one_line(text: str) -> str:
    """Return *text* as `visible` does, on one line."""
    return visible(text).replace("\n", "\\n")


def utc_text(when: dt.datetime) -> str:
    """Return *when* to the minute, in UTC."""
    return f"{when.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def counted(number: int, noun: str, plural: str) -> str:
    """Return *number* with its noun."""
    return f"{number} {noun if number == 1 else plural}"
