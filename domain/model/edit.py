"""
An edit of a file, and the texts to search with.

Words are searched in all of it. The model reads less: its time grows with the length, and lines
that stay say little about the change.
"""

from typing import NamedTuple

from hardwon.domain.model.keywords import LONGEST_PROMPT
from hardwon.domain.model.redaction import redact

MAX_GIST = 300
"""The characters that are embedded."""


def beginning(text: str, most: int) -> str:
    """Return the beginning of *text* without secrets, one of which may cross its end."""
    return redact(text[: 2 * most])[:most]


class Edit(NamedTuple):
    """
    An edit of a file.

    Attributes:
        path: Relative to the project, if the file is in it.
        old: The replaced text, empty for a new file.
    """

    path: str
    old: str
    new: str

    @property
    def question(self) -> str:
        """The text to search with, without secrets."""
        texts = (beginning(text, LONGEST_PROMPT // 2) for text in (self.old, self.new))
        return "\n".join((redact(self.path), *texts))

    @property
    def gist(self) -> str:
        """The text to embed: path and new lines, or all lines."""
        kept = {*map(str.strip, self.old.splitlines())}
        lines = [*map(str.strip, beginning(self.new, LONGEST_PROMPT // 2).splitlines())]
        added = [line for line in lines if line not in kept]
        return "\n".join((redact(self.path), *(added or lines)))[:MAX_GIST]
