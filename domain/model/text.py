"""
How lines of a text end. Standard library only.

Parts of a text that are short enough to be about one thing.

How much room a text takes in an agent's context. Standard library only.

A text without the beginning that its title says already. Standard library only, for the hook.
"""

import re
from itertools import islice
from typing import NamedTuple


def with_newlines(text: str) -> str:
    """Return *text* with a newline at the end of each line, whatever system it was written on."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


MAX_WORDS = 100
"""Of 50, 100 and 200 the best on the development sets, by little (`docs/quality.md`)."""

_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def passages(title: str, text: str) -> list[str]:
    """
    Return *text* in parts of at most 100 words, *title* before each; at least one part.

    A part is made of whole sentences or lines; one that is longer by itself stays whole.
    """
    parts, words = list[list[str]]([[]]), 0
    for unit in filter(str.strip, _UNIT_END.split(text)):
        length = len(unit.split())
        if parts[-1] and words + length > MAX_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(unit)
        words += length
    return ["\n".join(filter(None, (title, *part))) for part in parts]


def identifier_words(text: str) -> list[str]:
    """Return the words that identifiers such as `parseHTTPRequest` are made of, each identifier's once."""
    identifiers = dict.fromkeys(_WORD.findall(text))
    return [part for each in identifiers if len(parts := _HUMP.split(each)) > 1 for part in parts]


CHARACTERS_A_TOKEN = 4


def tokens(text: str) -> int:
    """Return about how many tokens *text* takes: 4 characters each, a begun one counts."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


CONTINUES = "\u2026"
"""Stands for the title at the beginning of a text that goes on where the title ends."""

MIN_WORDS = 2
"""Of a title: a single word at the beginning of a text is most often just its subject."""

_TITLE_WORD = re.compile(r"[^\W_]+")
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
