"""What is to become of one file of the user's."""

import difflib
from typing import NamedTuple

from hardwon.domain.model.redaction import redact

CONTEXT = 1
LONGEST_LINE = 200


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
        """Return the lines that come and go, each with a line around it, without secrets."""
        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, lineterm="", n=CONTEXT)
        return "\n".join(redact(line)[:LONGEST_LINE] for line in list(lines)[2:])
