"""How a forgotten text is recognised wherever it comes back: by its passages, not by its place."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hardwon.domain.model.plain_text import plain_text

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MIN_CHARACTERS = 40
"""Shorter passages are said often: they identify a text only as a whole, or when they hold a forgotten word."""

_BLANK_LINES = re.compile(r"\n\s*\n")


def comparable(text: str) -> str:
    """Return *text* without formatting, letter case and differences in white space."""
    return " ".join(unicodedata.normalize("NFKC", plain_text(text)).casefold().split())


def texts_of(entry: "Entry") -> tuple[str, ...]:
    """Return the texts of *entry* that may be forgotten, the one that identifies it first."""
    labels = (*entry.trigger_phrases, *entry.keywords, *entry.tags)
    return (entry.description, entry.reasoning, entry.notes, entry.name, *labels)


def passages(text: str) -> Iterator[str]:
    """Yield *text* as a whole, then its paragraphs, each as `comparable` returns it; empty ones are left out."""
    parts = (text, *_BLANK_LINES.split(plain_text(text)))
    return iter(dict.fromkeys(filter(None, map(comparable, parts))))


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


def without_passages(text: str, dropped: Iterable[str]) -> str:
    """Return the paragraphs of *text* that are not among *dropped*, which are as `comparable` returns them."""
    gone = {*dropped}
    return "\n\n".join(part for part in _BLANK_LINES.split(text) if comparable(part) not in gone).strip()
