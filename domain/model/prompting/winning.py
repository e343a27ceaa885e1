"""
When an entry clearly wins, so that it may be put beside a prompt unasked.

::

    strength = coverage * sqrt(score * lead) / sqrt(2 ln N)

`score` is that of the policy `adaptive`: how far the entry stands out of the background of this prompt. `lead` is how
far it is ahead of the best that is not shown: where many entries are about the same, none of them wins. Of N draws at
random the best is expected at `sqrt(2 ln N)` deviations: so a small store, where nothing can stand out by far, may
speak too. `coverage` is the share of the words of one sentence of the prompt that stand in the entry, of the sentence
that it covers best: one that shares a rare word with the prompt and nothing else was found by chance. `docs/quality.md` says what the constants were chosen on.
"""

import math
from collections.abc import Sequence

from hardwon.domain.model.keyword_query import words_of

MOST_SHOWN = 2

LEAST_STRENGTH = 1.85
"""Where both meaning and words were searched."""

LEAST_STRENGTH_OF_WORDS = 0.9
"""Where only words were: then half of the score is missing."""

ENDINGS = ("ing", "ed", "es", "e", "s")
SHORTEST_STEM = 3
"""Letters that are left of a word when its ending falls."""


def strength(score: float, runner_up: float, coverage: float, size: int) -> float:
    """
    Return how clearly an entry wins; it never falls when its score or its coverage grows.

    Args:
        score: What `adaptive` gives it.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        coverage: The share of a sentence's words that it holds, `[0, 1]`.
        size: How many entries were searched.

    """
    lead = score - max(runner_up, 0.0)
    if lead <= 0:
        return 0.0
    return coverage * math.sqrt(score * lead) / math.sqrt(2 * math.log(max(size, 2)))


def wins(strength: float, *, by_meaning: bool) -> bool:
    """Tell whether an entry of that *strength* may be shown, given whether meaning was searched too."""
    return strength >= (LEAST_STRENGTH if by_meaning else LEAST_STRENGTH_OF_WORDS)


def coverage(sentences: Sequence[Sequence[str]], text: str) -> float:
    """
    Return the greatest share of a sentence's words, `[0, 1]`, that stand in *text*, whatever their endings.

    Args:
        sentences: The words of each; one without words counts 0.
        text: What the entry says.

    """
    held = {_stem(word) for word in words_of(text)}
    asked = [{_stem(term) for term in sentence} for sentence in sentences]
    return max((len(stems & held) / len(stems) for stems in asked if stems), default=0.0)


def _stem(word: str) -> str:
    fitting = (each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= SHORTEST_STEM)
    return word.removesuffix(next(fitting, ""))
