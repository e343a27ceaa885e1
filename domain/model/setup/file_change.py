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

    def diff(self) -> str:
        """Return the first lines that come and go, each with a line around it, without secrets."""
        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, lineterm="", n=CONTEXT)
        told = [redact(line)[:LONGEST_LINE] for line in list(lines)[2:]]
        most = MOST_LINES[self.verb]
        return "\n".join([*told[:most], *([f"… and {len(told) - most} more lines"] if len(told) > most else [])])
