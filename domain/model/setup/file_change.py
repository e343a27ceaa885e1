"""What is to become of one file of the user's."""

import difflib
from typing import NamedTuple

from hardwon.domain.model.redaction import redact

CONTEXT = 1
LONGEST_LINE = 200
MOST_LINES = {"create": 12, "remove": 4, "change": 100}


class FileChange(NamedTuple):
    """
    One file before and after.

    Attributes:
        path: The file.
        before: What it holds; None where there is none.
        after: What it is to hold; None where there is to be none.

    """

    path: str
    before: str | None
    after: str | None

    @property
    def verb(self) -> str:
        """What happens to it, in one word."""
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"

    def diff(self, *, whole: bool = True) -> str:
        """Return the lines that come and go, each with a line around it, without secrets; not *whole*: the first of them."""
        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        lines = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))[2:]
        told = [redact(line) for line in lines]
        return "\n".join(told if whole else _cut(told, MOST_LINES[self.verb]))


def _cut(lines: list[str], most: int) -> list[str]:
    kept = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:most]]
    return [*kept, *([f"… and {len(lines) - most} more lines"] if len(lines) > most else [])]
