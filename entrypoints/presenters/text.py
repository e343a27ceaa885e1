"""Text that can be printed without harm: nothing of it is hidden, steers a terminal, or speaks as a host. Standard library only."""

import datetime as dt
import re

from hardwon.domain.model.injection.neutral_text import defused, neutral, neutral_line
from hardwon.domain.model.redaction import without_invisible

# All but tab and newline: a stored text must not be able to steer the terminal it is shown on.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def spelt_out(text: str) -> str:
    r"""Return *text* with its control characters spelt out, such as `\x1b`, and no others that are not seen; tabs and newlines stay."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", without_invisible(text))


def visible(text: str) -> str:
    """Return *text* as people and agents may read it: `spelt_out`, and `defused` as in the block."""
    return defused(spelt_out(text))


def on_one_line(text: str) -> str:
    """Return *text* as `visible` does, on one line."""
    return visible(text).replace("\n", "\\n")


def stored_text(text: str) -> str:
    """Return a stored *text* to print on lines of its own: `visible`, and no line of it is structure."""
    return neutral(visible(text))


def stored_line(text: str) -> str:
    """Return a stored *text* to print on one line, as `stored_text` does."""
    return neutral_line(visible(text))


def utc_text(when: dt.datetime) -> str:
    """Return *when* to the minute, in UTC."""
    return f"{when.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def counted(number: int, noun: str, plural: str) -> str:
    """Return *number* with its noun."""
    return f"{number} {noun if number == 1 else plural}"
