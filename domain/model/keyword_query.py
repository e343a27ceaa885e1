"""Which words of a text are worth searching for."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

MAX_TERMS = 64
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


def search_terms(text: str) -> tuple[str, ...]:
    """
    Return the words of *text* that carry meaning: lower case, without repeats, at most 64.

    Stop words and everything that is not a letter or a digit fall away, so
    no text can be mistaken for query syntax (M-A1).
    """
    words = _WORD.findall(unicodedata.normalize("NFC", text).lower().translate(_WITHOUT_MARKS))
    return tuple(dict.fromkeys(word for word in words if word not in STOP_WORDS))[:MAX_TERMS]


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
