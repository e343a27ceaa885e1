"""How a forgotten text is recognised wherever it comes back: by its passages, not by its place."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from hardwon.domain.model.plain_text import plain_text
from hardwon.domain.model.spelling import one_line

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MIN_CHARACTERS = 40
"""Shorter passages are said often: they identify a text only as a whole, or when they hold a forgotten word."""

_BLANK_LINES = re.compile(r"\n\s*\n")


def comparable(text: str) -> str:
    """Return *text* without formatting, in the form that all its spellings share."""
    return one_line(plain_text(text))


def _comparable_before(text: str) -> str:
    """Return *text* as it was compared until spellings were known: tombstones of then have it."""
    return " ".join(unicodedata.normalize("NFKC", plain_text(text)).casefold().split())


def names_of(owner: str) -> tuple[str, ...]:
    """Return by what a forgotten text is lifted again: *owner*, the first, and any other form of it that was kept."""
    return tuple(dict.fromkeys((comparable(owner) or owner, owner)))


def texts_of(entry: "Entry") -> tuple[str, ...]:
    """Return the texts of *entry* that may be forgotten, the one that identifies it first."""
    labels = (*entry.trigger_phrases, *entry.keywords, *entry.tags)
    return (entry.description, entry.reasoning, entry.notes, entry.name, *labels)


def passages(text: str) -> Iterator[str]:
    """Yield *text* as a whole, then its paragraphs, each as `comparable` returns it; empty ones are left out."""
    return iter(dict.fromkeys(filter(None, map(comparable, _parts(text)))))


def recognisable(text: str) -> set[str]:
    """Return the passages of *text*, also as they were compared before: any of them may be known as forgotten."""
    return {form for part in _parts(text) for form in _forms(part)}


def _parts(text: str) -> tuple[str, ...]:
    return (text, *_BLANK_LINES.split(plain_text(text)))


def _forms(text: str) -> set[str]:
    return {comparable(text), _comparable_before(text)} - {""}


def identifying(texts: Iterable[str], words: Iterable[str] = ()) -> set[str]:
    """
    Return the passages by which *texts* are recognised: each as a whole, and those paragraphs that hold any of *words*.

    Without such a paragraph all of at least 40 characters count.

    Args:
        texts: Of an entry, an exchange or a section.
        words: Words that the user wanted to be forgotten; empty for the texts themselves.

    """
    wanted = [*filter(None, map(comparable, words))]
    wholes, parts = set[str](), set[str]()
    for text in texts:
        whole, *paragraphs = [*passages(text)] or [""]
        wholes.add(whole)
        parts.update(paragraphs)
    holding = {part for part in parts if any(word in part for word in wanted)}
    return (wholes | (holding or {part for part in parts if len(part) >= MIN_CHARACTERS})) - {""}


def without_passages(text: str, dropped: AbstractSet[str]) -> str:
    """Return the paragraphs of *text* that are not among *dropped*, of its `recognisable` ones; empty if it is itself."""
    if not dropped:
        return text
    if _forms(text) & dropped:
        return ""
    return "\n\n".join(part for part in _BLANK_LINES.split(text) if not _forms(part) & dropped).strip()
