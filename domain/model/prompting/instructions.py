"""What the agent is told anyway, so that memory need not say it again."""

import re

_SPACE = re.compile(r"\s+")
_MARKS = dict.fromkeys(map(ord, "*_`#>-+~|\\[]()"))
"""What markdown emphasises, quotes, lists and links with."""


def plain(text: str) -> str:
    """Return *text* without letter case, without markdown's marks, and with one space for every run of white space."""
    return _SPACE.sub(" ", text.casefold().translate(_MARKS)).strip()


def says(told: str, lesson: str) -> bool:
    """
    Tell whether a text says all of *lesson*.

    Args:
        told: The text, as `plain` returns it.
        lesson: As it was written; one that is nothing but marks is said nowhere.

    """
    wanted = plain(lesson)
    return bool(wanted) and wanted in told
