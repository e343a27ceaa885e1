"""Line ends, passages, size in tokens, and repeated titles of texts. Standard library only, for the hook."""

import re
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.scripts import runs


def with_newlines(text: str) -> str:
    """Return *text* with newlines as line ends, whatever system it was written on."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


MAX_WORDS = 100
"""Of 50, 100 and 200 the best on the development sets, by little (`docs/quality.md`)."""

_UNIT_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def passages(title: str, text: str) -> list[str]:
    """
    Return *text* in parts of at most 100 words, *title* before each; at least one part.

    A part is made of whole sentences or lines; a longer one is a part by itself.
    """
    parts, words = list[list[str]]([[]]), 0
    for unit in filter(str.strip, _UNIT_END.split(text)):
        length = _length(unit)
        if parts[-1] and words + length > MAX_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(unit)
        words += length
    return ["\n".join(filter(None, (title, *part))) for part in parts]


def _length(unit: str) -> int:
    """Return about how many words *unit* has: two signs of a script without spaces are one."""
    return len(unit.split()) + sum(map(len, runs(unit))) // 2


def identifier_words(text: str) -> list[str]:
    """Return the words in identifiers such as `parseHTTPRequest`, of each identifier once."""
    identifiers = (word for word in dict.fromkeys(_WORD.findall(text)) if not word.islower())
    return [part for identifier in identifiers if len(parts := split_at_humps(identifier)) > 1 for part in parts]


def split_at_humps(word: str) -> list[str]:
    """Return the parts of *word*, which begin where a capital follows a small letter or a digit, or ends capitals."""
    return _HUMP.split(word)


CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    """Return an estimate of the tokens of *text*: 4 characters each, rounded up."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


CONTINUES = "\u2026"
"""Replaces the title at the beginning of a text that continues it."""

MIN_WORDS = 2
"""Words of a title that is not repeated; a single word at the beginning of a text is mostly just its subject."""

_TITLE_WORD = re.compile(r"[^\W_]+")
_CLOSING_MARKS = "`*_"


class Split(NamedTuple):
    """
    A text, split where its title ends.

    Attributes:
        beginning: The part that repeats the title, on one line; empty if it does not begin with the title.
        rest: All else, verbatim.
    """

    beginning: str
    rest: str

    @property
    def continued(self) -> str:
        """The text to print below the title: all of it, or the rest after an ellipsis."""
        return CONTINUES + self.rest if self.beginning else self.rest


def split_by_title(title: str, text: str) -> Split:
    """Return *text* split after its beginning, if that repeats *title* word for word; case and marks don't count."""
    wanted = _TITLE_WORD.findall(title.lower())
    found = list(islice(_TITLE_WORD.finditer(text), len(wanted)))
    if not wanted or [word[0].lower() for word in found] != wanted:
        return Split("", text)
    end = found[-1].end()
    end += len(text[end:]) - len(text[end:].lstrip(_CLOSING_MARKS))
    if len(wanted) < MIN_WORDS and has_word(text[end:]):
        return Split("", text)
    return Split(" ".join(text[:end].split()), text[end:])


def has_word(text: str) -> bool:
    """Return whether there is a word in *text*."""
    return _TITLE_WORD.search(text) is not None
