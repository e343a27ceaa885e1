"""Sanitize text for printing: nothing hidden, no control codes, no host markup."""

import datetime as dt
import re

from hardwon.domain.model.injection.neutral_text import defused, neutral, neutral_line
from hardwon.domain.model.redaction import without_invisible

# All but tab and newline: a stored text must not be able to steer the terminal it is shown on.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def spelt_out(text: str) -> str:
    r"""
    Escape control characters, such as `\x1b`, and remove invisible ones.

    Tabs and newlines stay.
    """
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", without_invisible(text))


def visible(text: str) -> str:
    """Apply `spelt_out`, then `defused` as in the block."""
    return defused(spelt_out(text))


def on_one_line(text: str) -> str:
    """Apply `visible`, with newlines escaped."""
    return visible(text).replace("\n", "\\n")


def stored_text(text: str) -> str:
    """Sanitize a stored text, so that no line reads as structure."""
    return neutral(visible(text))


def stored_line(text: str) -> str:
    """Sanitize a stored text for one line, as `stored_text` does."""
    return neutral_line(visible(text))


def utc_text(when: dt.datetime) -> str:
    """Format *when* in UTC, to the minute."""
    return f"{when.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def counted(number: int, noun: str, plural: str) -> str:
    """Return *number* with its noun."""
    return f"{number} {noun if number == 1 else plural}"
