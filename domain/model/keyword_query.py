"""Which words of a text are worth searching for."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

MAX_TERMS = 64
SMALLEST_FREQUENCY_WEIGHT = 1e-6
SMALLEST_STORE_TO_DROP_COMMON_TERMS = 50

STOP_WORDS = frozenset(
    """
          a about above after again all also am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further had has have having he her here
    hers him his how i if in into is it its itself just me more most my no nor not now of off on once only or
    other our ours out over own same she should so some such than that the their theirs them then there these they
    this those through to too under until up us very was we were what when where which while who whom why will
    with would you your yours
    """.split()
)

_WITHOUT_MARKS = dict.fromkeys(range(0x0300, 0x0332))
"""Accents that stand by themselves, such as the dot that lower-casing `İ` leaves: FTS5 drops them too."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Return the words of *text* in order, lower case, with repeats: runs of letters and digits."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower().translate(_WITHOUT_MARKS))


def search_terms(text: str) -> tuple[str, ...]:
    """
    Return the words of *text* that carry meaning: lower case, without repeats, at most 64.

    Stop words and everything that is not a letter or a digit fall away, so
    no text can be mistaken for query syntax (M-A1).
    """
    return tuple(dict.fromkeys(word for word in words_of(text) if word not in STOP_WORDS))[:MAX_TERMS]


def inverse_document_frequency(size: int, frequency: int) -> float:
    """
    Return how much a word tells that occurs in *frequency* of *size* texts, above 0.

    As FTS5's `bm25()` has it: `ln((N - n + 0.5) / (n + 0.5))`, at least 1e-6.
    """
    return max(math.log((size - frequency + 0.5) / (frequency + 0.5)), SMALLEST_FREQUENCY_WEIGHT)


def distinctive_terms(terms: Sequence[str], frequencies: Mapping[str, int], size: int) -> tuple[str, ...]:
    """
    Return *terms* without those found in more than half of the entries.

    Their BM25 is noise that dividing by the maximum would blow up to a full
    score. Small stores, and queries of common words only, keep them (M-A50).

    Args:
        terms: What was asked for.
        frequencies: In how many entries each term occurs.
        size: How many entries there are.

    """
    if size < SMALLEST_STORE_TO_DROP_COMMON_TERMS:
        return tuple(terms)
    distinctive = tuple(term for term in terms if frequencies.get(term, 0) * 2 <= size)
    return distinctive if any(frequencies.get(term, 0) for term in distinctive) else tuple(terms)
