"""A text without the beginning that its title says already. Standard library only, for the hook."""

import re
from itertools import islice
from typing import NamedTuple

CONTINUES = "\u2026"
"""Stands for the title at the beginning of a text that goes on where the title ends."""

FEWEST_WORDS = 2
"""Of a title: a single word at the beginning of a text is most often just its subject."""

_WORD = re.compile(r"[^\W_]+")
_CLOSING_MARKS = "`*_"


class Split(NamedTuple):
    """
    A text in two parts.

    Attributes:
        beginning: As much of it as says the title, on one line; empty when it does not begin with the title.
        rest: All else, as it stands.

    """

    beginning: str
    rest: str

    @property
    def continued(self) -> str:
        """What stands below the title: the text, or what is left of it behind an ellipsis."""
        return CONTINUES + self.rest if self.beginning else self.rest


def split_by_title(title: str, text: str) -> Split:
    """Return *text* in its beginning, which says *title* word for word, and the rest; case and marks don't count."""
    wanted = _WORD.findall(title.lower())
    found = list(islice(_WORD.finditer(text), len(wanted)))
    if not wanted or [word[0].lower() for word in found] != wanted:
        return Split("", text)
    end = found[-1].end()
    end += len(text[end:]) - len(text[end:].lstrip(_CLOSING_MARKS))
    if len(wanted) < FEWEST_WORDS and says_something(text[end:]):
        return Split("", text)
    return Split(" ".join(text[:end].split()), text[end:])


def says_something(text: str) -> bool:
    """Tell whether there is a word in *text*."""
    return _WORD.search(text) is not None
