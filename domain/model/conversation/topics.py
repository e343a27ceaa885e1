"""Topics: the words that memory files are named after."""

import hashlib
import unicodedata
from collections.abc import Iterable

from hardwon.domain.model.conversation.words import salient_words
from hardwon.domain.model.keywords import search_terms

LONGEST_SLUG = 60
TELLING_WORDS = 6
ENOUGH_SHARED = 2
HASH_DIGITS = 8

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def slug(topic: str) -> str:
    """
    Return *topic* as part of a file's name: small letters a to z, digits, and hyphens between words.

    It has 1 to 60 characters. Accents go; a topic in letters that have none of
    those goes by a hash, so that two of them are not mixed up.
    """
    plain = unicodedata.normalize("NFKD", topic).lower()
    spaced = "".join(
        character if character in _LETTERS else "" if unicodedata.combining(character) else " " for character in plain
    )
    if words := spaced.split():
        return _first_of(words)
    return f"topic-{hashlib.sha256(topic.encode('utf-8', 'replace')).hexdigest()[:HASH_DIGITS]}"


def is_like(one: str, other: str) -> bool:
    """Return whether two slugs are about the same: equal, or two words and half of the shorter one in common."""
    words, others = set(one.split("-")), set(other.split("-"))
    shared = len(words & others)
    return one == other or (shared >= ENOUGH_SHARED and 2 * shared >= min(len(words), len(others)))


def informative_words(text: str) -> str:
    """Return the first words of *text* that tell something, with a space between; any where hardly one does."""
    words = [*dict.fromkeys(salient_words(text))]
    return " ".join((words if len(words) > 1 else search_terms(text))[:TELLING_WORDS]) or text


def _first_of(words: Iterable[str]) -> str:
    """Return *words* with hyphens between, as many as fit; of the first one what fits."""
    found = ""
    for word in words:
        longer = f"{found}-{word}" if found else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        found = longer
    return found
