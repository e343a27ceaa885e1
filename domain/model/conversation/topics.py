"""Topics: the words and slugs that memory files are named after."""

import hashlib
import unicodedata
from collections.abc import Iterable

from hardwon.domain.model.conversation.words import salient_words
from hardwon.domain.model.keywords import search_terms

LONGEST_SLUG = 60
MAX_TOPIC_WORDS = 6
MIN_SHARED = 2
HASH_DIGITS = 8

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def slug(topic: str) -> str:
    """
    Return *topic* as part of a file's name: small letters a to z, digits, and hyphens between words; 1 to 60 characters.

    Accents are removed; a topic without any of these letters becomes a hash, so that two of them stay distinct.
    """
    plain = unicodedata.normalize("NFKD", topic).lower()
    spaced = "".join(
        character if character in _LETTERS else "" if unicodedata.combining(character) else " " for character in plain
    )
    if words := spaced.split():
        return _first_of(words)
    return f"topic-{hashlib.sha256(topic.encode('utf-8', 'replace')).hexdigest()[:HASH_DIGITS]}"


def is_like(left: str, right: str) -> bool:
    """Return whether two slugs are similar: equal, or two words and half of the shorter one in common."""
    left_words, right_words = set(left.split("-")), set(right.split("-"))
    shared = len(left_words & right_words)
    return left == right or (shared >= MIN_SHARED and 2 * shared >= min(len(left_words), len(right_words)))


def informative_words(text: str) -> str:
    """Return the first informative words of *text*, separated by spaces; the first search terms if there is hardly any."""
    words = [*dict.fromkeys(salient_words(text))]
    return " ".join((words if len(words) > 1 else search_terms(text))[:MAX_TOPIC_WORDS]) or text


def _first_of(words: Iterable[str]) -> str:
    """Return as many of *words*, joined by hyphens, as fit; of the first as much as fits."""
    found = ""
    for word in words:
        longer = f"{found}-{word}" if found else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        found = longer
    return found
