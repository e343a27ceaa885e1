"""What stands in a prompt as it stands in code: names with marks in them, error codes, options, paths."""

import re
from collections.abc import Sequence
from typing import TypeAlias

from hardwon.domain.model.keyword_query import STOP_WORDS, words_of

Identifier: TypeAlias = tuple[str, ...]
"""Its words, lower case."""

SHORTEST = 5
"""Letters and digits of one that is a single word, such as `cp1252`."""

_TOKEN = re.compile(r"[^\s`(),;]+")
_AROUND = ".:!?'\"[]{}<>"
_JOINED = re.compile(r"[^\W_][_.=:/\\\"'@-]+[^\W_]")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_PROSE = re.compile(r"[^\W\d_]+(?:['\u2019/-][^\W\d_]+)+|[\d.:/-]+")
"""Words with a hyphen or an apostrophe in them, dates and versions."""


def identifiers(prompt: str) -> tuple[Identifier, ...]:
    """Return the words of each identifier in *prompt*, in order, without repeats."""
    tokens = (token.strip(_AROUND) for token in _TOKEN.findall(prompt))
    return tuple(dict.fromkeys(tuple(words_of(token)) for token in tokens if _is_identifier(token)))


def held_by_one(asked: Sequence[Identifier], texts: Sequence[str]) -> tuple[Identifier, ...]:
    """Return those of *asked* that stand, word for word, in exactly one of *texts*."""
    words = [words_of(text) for text in texts] if asked else []
    return tuple(each for each in asked if sum(_stands_in(each, held) for held in words) == 1)


def quotes(text: str, asked: Sequence[Identifier]) -> bool:
    """Tell whether *text* holds one of *asked*."""
    words = words_of(text) if asked else []
    return any(_stands_in(each, words) for each in asked)


def _is_identifier(token: str) -> bool:
    words = words_of(token)
    if _PROSE.fullmatch(token) or STOP_WORDS.issuperset(words):
        return False
    if len(words) == 1:
        return len(token) >= SHORTEST and bool(_MIXED.search(token))
    return bool(_JOINED.search(token))


def _stands_in(identifier: Identifier, words: Sequence[str]) -> bool:
    first, length = identifier[0], len(identifier)
    return any(word == first and tuple(words[at : at + length]) == identifier for at, word in enumerate(words))
