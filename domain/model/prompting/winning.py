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
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.keyword_query import words_of

MOST_SHOWN = 2

LEAST_STRENGTH = 1.85
"""Where both meaning and words were searched."""

LEAST_STRENGTH_OF_WORDS = 0.9
"""Where only words were: then half of the score is missing."""

ENDINGS = ("ing", "ed", "es", "e", "s")
SHORTEST_STEM = 3
"""Letters that are left of a word when its ending falls."""


class Win(NamedTuple):
    """
    What an entry needs to be shown, and what it has.

    Attributes:
        score: What `adaptive` gives it.
        coverage: The share of a sentence's words that it holds, `[0, 1]`.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        searched: How many entries were searched.
        least: The strength that is needed, as `least_strength` gives it.

    """

    score: float
    coverage: float
    runner_up: float
    searched: float
    least: float

    @property
    def lead(self) -> float:
        """How far it is ahead of the runner-up."""
        return self.score - max(self.runner_up, 0.0)

    @property
    def strength(self) -> float:
        """How clearly it wins; it never falls when its score or its coverage grows."""
        if self.lead <= 0:
            return 0.0
        return self.coverage * math.sqrt(self.score * self.lead) / math.sqrt(2 * math.log(max(self.searched, 2)))

    @property
    def is_clear(self) -> bool:
        """Whether it may be shown."""
        return self.strength >= self.least

    @property
    def parts(self) -> dict[str, float]:
        """All but the score, with the strength that comes of them, for a receipt."""
        return {**{name: getattr(self, name) for name in Win._fields[1:]}, "strength": self.strength}


def win_of_parts(score: float, parts: Mapping[str, float]) -> Win:
    """
    Return the win that left *parts* behind.

    Raises:
        KeyError: a part is missing.
    """
    return Win(score, **{name: parts[name] for name in Win._fields[1:]})


def least_strength(*, by_meaning: bool) -> float:
    """Return the strength that an entry needs, given whether meaning was searched too."""
    return LEAST_STRENGTH if by_meaning else LEAST_STRENGTH_OF_WORDS


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
