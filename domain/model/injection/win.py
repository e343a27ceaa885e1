"""
The probability that an entry helps with a prompt.

It is a logistic regression of six features::

    probability = 1 / (1 + exp(-x))
    x = constant + a closeness + b sqrt(coverage information / L) + c lead / L
        - d ln(max(length, 60) / 60) + e quoted - f ln N
    L = ln max(N, 20)

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

`docs/quality.md` says on which prompts the weights were fitted.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

MIN_PROBABILITY = 0.9

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


class WinWeights(NamedTuple):
    """The weights of the features."""

    constant: float
    closeness: float
    words: float
    lead: float
    excess: float
    quoted: float
    breadth: float


SEMANTIC = WinWeights(
    constant=-2.8, closeness=9.7, words=2.2, lead=1.7, excess=-0.8, quoted=1.6, breadth=-0.68
)
"""For semantic and keyword search."""

KEYWORDS = WinWeights(
    constant=-1.0, closeness=0.0, words=4.5, lead=2.5, excess=-1.0, quoted=2.6, breadth=-0.55
)
"""For keyword search alone."""


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
    def terms(self) -> list[tuple[str, float, float]]:
        """Name, weight and value of each term of `x` but the constant."""
        weights = self._weights
        return [
            (name, getattr(weights, name), getattr(self, name)) for name in WinWeights._fields[1:]
        ]

    @property
    def constant(self) -> float:
        """The constant of `x`."""
        return self._weights.constant

    @property
    def probability(self) -> float:
        """
        The probability that it helps.

        It is monotone in score, closeness, coverage and information.
        """
        return 1 / (
            1
            + math.exp(
                -self.constant - math.fsum(weight * value for _, weight, value in self.terms)
            )
        )

    @property
    def is_clear(self) -> bool:
        """Whether the probability reaches the threshold."""
        return self.probability >= MIN_PROBABILITY

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

    @property
    def _weights(self) -> WinWeights:
        return SEMANTIC if self.semantic else KEYWORDS


class CitationWin(NamedTuple):
    """The win of an entry that cites the opened file: nothing is estimated."""

    probability: float = 1.0
    is_clear: bool = True
    parts: Mapping[str, float] = {}


def win_of_parts(score: float, parts: Mapping[str, float]) -> Win:
    """
    Return the win with these *parts*.

    Raises:
        KeyError: a part is missing.
    """
    return Win(score, **{name: parts[name] for name in Win._fields[1:]})
