"""Informative words of a conversation, their stems, and slugs."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from hardwon.domain.model.keywords import STOP_WORDS, words_of

READ = 20_000
"""Characters read of a prompt, and of a reply."""

SHORTEST = 3
SHORTEST_STEM = 4

CHATTER = frozenset(
    """
    actually add added adding adds already alright another anything approach around ask asked back bad best better bit cannot considering
    case check come could course create curious decide decided decision different done easy else ensure even every everything example exactly
    feel find first fine follow get gets getting give go goes going gonna good got great hello help hey hi hmm idea
    instead issue keep kind kinda know last let lets like line little long look looking looks lot made make makes
    making many may maybe mean might much must need needs new next nice no ok okay one part perfect place please point
    possible probably problem put question quick quickly quite ready really right run running said say second see seem
    seems set show simple small someone something sort sounds specific start started still step steps struggling stuck stuff suggest
    sure take talk tell thank thanks thing things think thought three tips today together took towards tried try trying
    two use used useful uses using various via want wants way ways well went without wanna wonder wondering work worked worried
    working works worry write writing wrong yeah yep yes yet
    aren couldn didn doesn don hadn hasn haven isn ll re shouldn ve wasn weren won wouldn
    """.split()
)
"""Words common in any conversation."""

_UNINFORMATIVE = STOP_WORDS | CHATTER
_NAMED_AFTER_JS = re.compile(
    r"\b(next|node|vue|nuxt|react|express|three|d3|ember|backbone|chart|socket|alpine|solid|asp)\.(js|net|io)\b",
    re.IGNORECASE,
)
"""Names whose first word alone is ambiguous: `Next.js` becomes `nextjs`."""

_MAY_BE_NAMED_SO = re.compile(r"\.(?:js|net|io)\b", re.IGNORECASE)
"""A quick test: it matches every text with such a name."""

_ENDINGS = ("ings", "ing", "ers", "er", "ed", "es", "s", "e")


def salient_words(text: str) -> list[str]:
    """Return the informative words of *text*, lower case, in order, with repeats."""
    read = text[:READ]
    if _MAY_BE_NAMED_SO.search(read):
        read = _NAMED_AFTER_JS.sub(r"\1\2", read)
    words = words_of(read)
    return [word for word in words if len(word) >= SHORTEST and word not in _UNINFORMATIVE]


def is_informative(sentence: str) -> bool:
    """Return whether *sentence* has several informative words."""
    return len(salient_words(sentence)) > 1


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Strip the commonest endings: `parser` and `parsing` become equal."""
    for ending in _ENDINGS:
        if (
            word.endswith(ending)
            and not word.endswith("ss")
            and len(word) - len(ending) >= SHORTEST_STEM
        ):
            return word.removesuffix(ending)
    return word


LONGEST_SLUG = 60
MAX_TOPIC_WORDS = 6
MIN_SHARED = 2
HASH_DIGITS = 8

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def slug(topic: str) -> str:
    """
    Return *topic* as part of a file's name, 1 to 60 characters.

    It has small letters a to z, digits, and hyphens between words. Accents are removed; a topic
    without any of these letters becomes a hash, so that two of them stay distinct.
    """
    plain = unicodedata.normalize("NFKD", topic).lower()
    spaced = "".join(
        character if character in _LETTERS else "" if unicodedata.combining(character) else " "
        for character in plain
    )
    if words := spaced.split():
        return _first_of(words)
    return f"topic-{hashlib.sha256(topic.encode('utf-8', 'replace')).hexdigest()[:HASH_DIGITS]}"


def name_words(text: str) -> frozenset[str]:
    """
    Return the words in the name of a file on *text*.

    There are none if it is too long for a name.
    """
    words = [*dict.fromkeys(salient_words(text))]
    return frozenset(slug(" ".join(words)).split("-") if 0 < len(words) <= MAX_TOPIC_WORDS else ())


def is_like(left: str, right: str) -> bool:
    """
    Return whether two slugs are similar.

    They are equal, or have two words and half of the shorter one in common.
    """
    left_words, right_words = set(left.split("-")), set(right.split("-"))
    shared = len(left_words & right_words)
    return left == right or (
        shared >= MIN_SHARED and 2 * shared >= min(len(left_words), len(right_words))
    )


def informative_words(text: str) -> str:
    """
    Return the first informative words of *text*, joined by spaces.

    With at most one informative word, the search terms are taken.
    """
    words = [*dict.fromkeys(salient_words(text))]
    if len(words) <= 1:
        words = [word for word in dict.fromkeys(words_of(text)) if word not in STOP_WORDS]
    return " ".join(words[:MAX_TOPIC_WORDS]) or text


def _first_of(words: Iterable[str]) -> str:
    found = ""
    for word in words:
        longer = f"{found}-{word}" if found else word[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        found = longer
    return found
