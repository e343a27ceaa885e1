"""
Detect conflict markers that git leaves in a file.

A text is conflicted if it has the lines `<<<<<<< label`, `=======` and `>>>>>>>` label in that
order, with any text between them: the base of a diff3 conflict, half a code block. A set that is
wholly in one code block or comment counts as an example, so a real conflict there is missed.
Standard library only, for the hook.
"""

import re

from hardwon.domain.model.plain_text import COMMENT_OR_FENCE
from hardwon.domain.model.text import with_newlines

CONFLICTED = "git left conflict markers in it: solve the conflict, then it is read again"
"""The reason for leaving out a file."""

OPENING = "<<<<<<<"

_SET = tuple(
    re.compile(line, re.MULTILINE) for line in (rf"^{OPENING}<* \S", r"^={7,}$", r"^>{7,} \S")
)
_OPENING_LINE = re.compile(rf"^(?={OPENING})", re.MULTILINE)


def has_conflict(text: str) -> bool:
    """Return whether *text* holds a conflict, in linear time."""
    return OPENING in text and _has_set(COMMENT_OR_FENCE.sub(_without_example, with_newlines(text)))


def without_conflict(text: str) -> str:
    """Put a space before the lines that would begin a conflict."""
    return _OPENING_LINE.sub(" ", text) if has_conflict(text) else text


def _without_example(block: re.Match[str]) -> str:
    return "" if _has_set(block[0]) else block[0]


def _has_set(text: str) -> bool:
    at = 0
    for line in _SET:
        if not (found := line.search(text, at)):
            return False
        at = found.end()
    return True
