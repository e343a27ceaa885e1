"""
The features of the likelihood that an entry helps with a prompt.

Its model is in `likelihood.py`. With `L = ln max(N, 20)`::

    words = sqrt(coverage information / L)        excess = ln(max(length, 60) / 60)
    lead = (score - runner-up) / L                breadth = ln N

- `closeness` is the similarity of meaning, on a scale for all models; 0 without semantic search.
- `information` is that of the words of one sentence of the prompt that occur in the entry, in nats,
  at most `2 L`; `ln N` singles out one entry of N.
- `coverage` is its share of the information of all words of that sentence: an entry that shares a
  rare word and nothing else was found by chance.
- `lead` is the distance of its score (by `adaptive`) from the best entry that is not shown: where
  many entries are about the same, none wins.
- `length` is that of the entry, in words: a long text matches by chance.
- `quoted` is 1 for an entry that alone holds an identifier of the prompt, else 0.
- `N` is how many entries were searched: in a larger store more of them match by chance.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.likelihood import MODELS, Likelihood

MIN_SEARCHED = 20
"""
Entries.

The frequencies of a smaller store do not show how rare a word is.
"""

FREE_LENGTH = 60.0
"""Words. A longer entry is penalised."""

MAX_INFORMATION = 2.0
"""
Upper bound of `information`, as a multiple of `L`.

A long sentence matches words by chance.
"""


class Win(NamedTuple):
    """
    The features of an entry beside a prompt.

    Attributes:
        score: By the policy `adaptive`.
        closeness: The similarity of meaning, `[-1, 1]`; 0 without a vector.
        runner_up: The score of the best entry that is not to be shown; below 0 counts as 0.
        semantic: 1 if semantic search took part, else 0.
    """

    score: float
    closeness: float
    length: float
    coverage: float
    information: float
    quoted: float
    runner_up: float
    searched: float
    semantic: float

    @property
    def words(self) -> float:
        """The root of coverage times information, `[0, 1.42]`."""
        return math.sqrt(self.coverage * min(self.information / self._unit, MAX_INFORMATION))

    @property
    def lead(self) -> float:
        """The distance from the runner-up, 0 for a lower score."""
        return max(self.score - max(self.runner_up, 0.0), 0.0) / self._unit

    @property
    def excess(self) -> float:
        """The logarithm of its length over that of a short entry."""
        return math.log(max(self.length, FREE_LENGTH) / FREE_LENGTH)

    @property
    def breadth(self) -> float:
        """The logarithm of the number of entries searched."""
        return math.log(max(self.searched, 2.0))

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood, monotone in score, closeness, coverage and information."""
        model = MODELS["prompt" if self.semantic else "prompt by keywords"]
        return model.of({name: getattr(self, name) for name in model.weights})

    @property
    def probability(self) -> float:
        """The probability that it helps."""
        return self.likelihood.probability

    @property
    def is_likely(self) -> bool:
        """Whether the probability reaches the threshold."""
        return self.likelihood.is_likely

    @property
    def parts(self) -> dict[str, float]:
        """All fields but the score, and the probability, for a receipt."""
        return {
            **{name: getattr(self, name) for name in Win._fields[1:]},
            "probability": self.probability,
        }

    @property
    def _unit(self) -> float:
        return math.log(max(self.searched, MIN_SEARCHED))


class CitationWin(NamedTuple):
    """The win of an entry that cites the opened file: nothing is estimated."""

    probability: float = 1.0
    is_likely: bool = True
    parts: Mapping[str, float] = {}


def win_of_parts(score: float, parts: Mapping[str, float]) -> Win:
    """
    Return the win with these *parts*.

    Raises:
        KeyError: a part is missing.
    """
    return Win(score, **{name: parts[name] for name in Win._fields[1:]})
