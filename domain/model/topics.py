"""Names of topics: the words that distinguish each from the others."""

import math
from collections import Counter
from collections.abc import Sequence

from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.prompt_terms import informative_words, stem

MAX_WORDS = 3
SHORTEST = 3
"""The fewest letters of a word in a name."""

MIN_TEXTS = 2
"""The fewest texts of a topic with a word of its name.

A topic of one text needs one.
"""


def distinctive_words(topics: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """
    Return at most three words for each topic, from the *texts* of its entries.

    A word counts by the share of the topic's texts that contain it, times the logarithm of its
    rarity among all texts.

    >>> distinctive_words([["the wheel of pip", "a pip wheel"], ["index of a table", "a table scan", "table locks"]])
    [('pip', 'wheel'), ('table',)]
    """
    words = [[_words(text) for text in texts] for texts in topics]
    everywhere = Counter(word for texts in words for text in texts for word in text)
    size = sum(map(len, words))
    return [_distinctive(texts, everywhere, size) for texts in words]


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in informative_words(search_terms(text))
        if len(word) >= SHORTEST and not word.isdigit()
    )


def _distinctive(
    texts: Sequence[frozenset[str]], everywhere: Counter[str], size: int
) -> tuple[str, ...]:
    counts = Counter(word for text in texts for word in text)
    least = min(MIN_TEXTS, len(texts))
    scores = {
        word: count / len(texts) * math.log(1 + size / everywhere[word])
        for word, count in counts.items()
        if count >= least
    }
    by_stem = dict[str, str]()
    for word in sorted(scores, key=lambda word: (-scores[word], word)):
        by_stem.setdefault(stem(word), word)
    return tuple(by_stem.values())[:MAX_WORDS]
