"""The texts and ids that `hardwon forget` erases, and how they are found."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

import attrs

MIN_TEXT_BYTES = 4
"""Bytes of the shortest text that can be searched for literally."""

MIN_LINE = 40
"""Characters of a line of a forgotten text by which other copies of it are found; shorter ones are written often."""

MAX_LINES = 64
"""Upper bound of such lines, the longest first."""

MIN_WORD = 6
"""Characters of a word that proves anything: a shorter one occurs in other words, and by chance in vectors."""

_WORD = re.compile(rf"[^\W_]{{{MIN_WORD},}}")
_ID = re.compile(r"[0-9a-f]{16}")


def lines_of(texts: Iterable[str]) -> set[str]:
    """Return the lines of *texts* with at least 40 characters, in lower case."""
    lines = (line.strip().casefold() for text in texts for line in text.split("\n"))
    return {line for line in lines if len(line) >= MIN_LINE}


def longest(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the 64 longest of *lines*, the longest first."""
    return tuple(sorted(lines, key=lambda line: (-len(line), line))[:MAX_LINES])


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of *texts* with at least 6 letters or digits, in lower case."""
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def still_unused(texts: set[str], text: str) -> set[str]:
    """Return those of *texts*, in lower case, that do not occur in *text*."""
    folded = text.casefold()
    return {wanted for wanted in texts if wanted not in folded}


@attrs.frozen(slots=False)
class Erasure:
    """
    The texts and ids to erase.

    Attributes:
        texts: Literal texts, in any letter case.
        ids: The ids of entries.

    """

    texts: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()

    def is_in(self, text: str) -> bool:
        """Return whether *text* holds any of it."""
        return next(self._found(text), None) is not None

    def found_in(self, text: str) -> set[str]:
        """Return what of it *text* holds, in lower case."""
        return {*self._found(text)}

    def _found(self, text: str) -> Iterator[str]:
        folded = text.casefold()
        yield from (form for form in self._forms if form in folded)
        yield from self.ids.intersection(_ID.findall(folded))

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """The texts in lower case, as they are and as JSON has them."""
        return tuple(dict.fromkeys(form for text in self.texts for form in _forms(text.casefold()) if form))


def _forms(text: str) -> tuple[str, ...]:
    return (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
