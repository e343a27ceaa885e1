"""
When an entry clearly wins, so that it may be put beside a prompt unasked.

::

    strength = quoted * sqrt(coverage * told * score * lead / (ln N * L^3))        L = ln max(N, 20)

`score` is that of the policy `adaptive`: how far the entry stands out of the background of this prompt. `lead` is how
far it is ahead of the best that is not shown: where many entries are about the same, none of them wins. `told` is what
the words of one sentence of the prompt tell that stand in the entry, in nats and at most `2 L`: with `ln N` they single
out one of N. `coverage` is their share of what all the telling words of that sentence tell: an entry that shares a rare
word with the prompt and nothing else was found by chance. What is divided by is what chance gives in a store of N, and
how many entries of a larger store are about the same subject. `quoted` is 2 for an entry that alone holds an identifier of
the prompt, else 1. `docs/quality.md` says what all of it was chosen on.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

MOST_SHOWN = 2

LEAST_STRENGTH = 0.54
"""Where both meaning and words were searched."""

LEAST_STRENGTH_OF_WORDS = 0.26
"""Where only words were: then half of the score is missing."""

FEWEST = 20
"""Entries: a smaller store can't know how rare a word is."""

QUOTED = 2.0
"""What the strength is multiplied by where an identifier of the prompt stands in this entry alone."""

MOST_TOLD = 2.0
"""As a multiple of `L`: a long sentence collects words by chance."""


class Win(NamedTuple):
    """
    What an entry needs to be shown, and what it has.

    Attributes:
        score: What `adaptive` gives it.
        coverage: The share of what a sentence's words tell that is told by those in it, `[0, 1]`.
        told: What those words tell, in nats.
        quoted: 2 where it alone holds an identifier of the prompt, else 1.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        searched: How many entries were searched.
        least: The strength that is needed, as `least_strength` gives it.

    """

    score: float
    coverage: float
    told: float
    quoted: float
    runner_up: float
    searched: float
    least: float

    @property
    def lead(self) -> float:
        """How far it is ahead of the runner-up."""
        return self.score - max(self.runner_up, 0.0)

    @property
    def breadth(self) -> float:
        """The logarithm of how many entries were searched, 20 at least."""
        return math.log(max(self.searched, FEWEST))

    @property
    def counted(self) -> float:
        """What is told, in nats, as far as it counts."""
        return min(self.told, MOST_TOLD * self.breadth)

    @property
    def strength(self) -> float:
        """How clearly it wins; it never falls when its score, its coverage or what is told grows."""
        if self.lead <= 0 or self.score <= 0:
            return 0.0
        chance = math.log(max(self.searched, 2)) * self.breadth**3
        return self.quoted * math.sqrt(self.coverage * self.counted * self.score * self.lead / chance)

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
