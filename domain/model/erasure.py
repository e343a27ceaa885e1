"""The texts and ids to erase, and the search for them."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

import attrs

from hardwon.domain.model.identity import OWN_CASE, Spellings, folded, readings, spelled_line
from hardwon.domain.model.plain_text import plain_text
from hardwon.domain.model.topic_words import name_words

MIN_TEXT_BYTES = 3
"""Bytes of the shortest text that can be searched for, folded."""

MIN_RUN = 8
"""
Minimum length of a readable run in which a short text counts.

A text of up to three bytes alone occurs by chance in vectors.
"""

MIN_LINE = 40
"""
Characters of a line that finds other copies of a forgotten text.

Shorter ones are common.
"""

MAX_LINES = 64

MIN_WORD = 6
"""
Characters of a word that proves anything.

A shorter one occurs in other words, and by chance in vectors.
"""

MIN_OVERLAP = 64 * 1024
BYTES_A_CHARACTER = 24
"""Of a character in JSON within JSON, decomposed."""

_WORD = re.compile(rf"[^\W_]{{{MIN_WORD},}}")
_OWN_NAME = re.compile(r"\b\d{4}-\d\d-\d\d-([a-z0-9-]{1,80})\.md\b")
"""The name of a memory file, which has words of its topic."""

_ID = re.compile(r"[0-9a-f]{16}")
_RUN = re.compile(rf"[^\0-\x08\x0e-\x1f\x7f]{{{MIN_RUN},}}")
_TEXT = re.compile("[^\ufffd]{2,}")
_UNFINISHED = "\u0301"
"""
A combining mark after the end of what was read.

No match ends there, as its last character may go on.
"""


def lines_of(texts: Iterable[str]) -> set[str]:
    """Return the lines of *texts* with at least 40 characters, folded."""
    lines = (spelled_line(line) for text in texts for line in text.split("\n"))
    return {line for line in lines if len(line) >= MIN_LINE}


def longest(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the 64 longest of *lines*, the longest first."""
    return tuple(sorted(lines, key=lambda line: (-len(line), line))[:MAX_LINES])


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of *texts* with 6 characters or more, folded."""
    return {word for text in texts for word in _WORD.findall(folded(text))}


def still_unused(texts: set[str], text: str) -> set[str]:
    """Return those of the folded *texts* that *text* lacks."""
    line = spelled_line(text)
    return {wanted for wanted in texts if wanted not in line}


@attrs.frozen(slots=False)
class Erasure:
    """
    The texts and ids to erase.

    Attributes:
        any_case: Whether texts of up to three characters are looked for in any letter case.
    """

    texts: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    any_case: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """
        Words for a quick test, in lower case.

        A text of ASCII without a backslash that contains none of them contains nothing to erase.
        """
        of_names = (max(words, key=len) for _, words in self._words_of_names)
        of_texts = (word.lower() for wanted in self._wanted if (word := wanted.word))
        return (*of_texts, *of_names, *self.ids)

    def is_in(self, text: str) -> bool:
        """Return whether *text* contains anything to erase."""
        return next(self._found(text), None) is not None

    def found_in(self, text: str) -> set[str]:
        """Return the texts and ids that *text* contains."""
        return {*self._found(text)}

    def found_in_bytes(self, chunks: Iterable[bytes]) -> set[str]:
        """
        Return the texts and ids in a file, read in *chunks*.

        The chunks are searched one by one, with an overlap.
        """
        if not (self.texts or self.ids):
            return set()
        overlap = max(MIN_OVERLAP, BYTES_A_CHARACTER * max(map(len, self.texts), default=0))
        found = set[str]()
        for window, is_last in _windows(chunks, overlap):
            for text in _readable(window, "" if is_last else _UNFINISHED):
                found |= self._certain(self.found_in(text), text)
        return found

    def without(self, text: str) -> str:
        """
        Return *text* without the lines that contain any of it.

        A match may span several lines.
        """
        lines = text.splitlines(keepends=True)
        while self.is_in("".join(lines)):
            del lines[self._first_holding(lines)]
        return "".join(lines)

    def _first_holding(self, lines: Sequence[str]) -> slice:
        end = _smallest(len(lines), lambda end: self.is_in("".join(lines[:end])))
        return slice(
            end - _smallest(end, lambda size: self.is_in("".join(lines[end - size : end]))), end
        )

    def _found(self, text: str) -> Iterator[str]:
        for name in _OWN_NAME.findall(text) if self._words_of_names and ".md" in text else ():
            named = frozenset(name.split("-"))
            yield from (wanted for wanted, words in self._words_of_names if words <= named)
        for reading in readings(text):
            lower = folded(reading)
            cased = (
                folded(reading, keeps_case=True)
                if any(wanted.keeps_case for wanted in self._wanted)
                else ""
            )
            for wanted in self._wanted_within(max(len(lower), len(cased))):
                if wanted.are_in_folded(cased if wanted.keeps_case else lower):
                    yield wanted.text
            yield from self.ids.intersection(_ID.findall(lower))

    def _wanted_within(self, length: int) -> Iterator[Spellings]:
        return takewhile(lambda wanted: wanted.length <= length, self._wanted)

    def _certain(self, found: set[str], text: str) -> set[str]:
        """Drop short matches that may be accidents in bytes that need not be text."""
        short = {wanted for wanted in found if len(folded(wanted).encode()) <= MIN_TEXT_BYTES}
        return found - short | (
            short & self.found_in("\0".join(_RUN.findall(text))) if short else set()
        )

    @cached_property
    def _wanted(self) -> tuple[Spellings, ...]:
        wanted = (spelled for text in dict.fromkeys(self.texts) for spelled in self._spelled(text))
        return tuple(sorted(wanted, key=lambda spellings: spellings.length))

    def _spelled(self, text: str) -> Iterator[Spellings]:
        """Yield *text* as written, and without its formatting, as entries have it."""
        yield Spellings(text, any_case=self.any_case)
        plain = plain_text(text)
        if plain != text and len(plain) > OWN_CASE:
            yield Spellings(plain, name=text)

    @cached_property
    def _words_of_names(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The texts, with the words of memory files named after them."""
        short = (text for text in self.texts if OWN_CASE < len(text) < MIN_LINE)
        named = ((text, name_words(text)) for text in short)
        return tuple((text, words) for text, words in named if words)


def _smallest(most: int, is_enough: Callable[[int], bool]) -> int:
    """
    Return the smallest number from 1 to *most* that is enough, by bisection.

    *most* is enough, and so are all numbers above one that is.
    """
    return 1 + bisect_left(range(1, most), 1, key=lambda number: int(is_enough(number)))


def _windows(chunks: Iterable[bytes], overlap: int) -> Iterator[tuple[bytes, bool]]:
    window, fresh = bytearray(), 0
    for chunk in chunks:
        window += chunk
        fresh += len(chunk)
        if fresh >= overlap:
            yield bytes(window), False
            del window[:-overlap]
            fresh = 0
    yield bytes(window), True


def _readable(window: bytes, end: str) -> Iterator[str]:
    pieces = _TEXT.findall(window.decode("utf-8", "replace") + end)
    yield "\0".join(piece for piece in pieces if piece.isascii())
    yield "\0".join(piece for piece in pieces if not piece.isascii())
