import math
from collections.abc import Iterable
from typing import NamedTuple

MIN_VARIANCE = 1e-12
"""Scores that differ by less are alike: what is left is rounding."""

LOW = 0.05
"""The share of scores that lie below `ScoreStatistics.low`."""

MAX_UNRELATED = 0.6
"""No model is known whose unrelated texts have a higher cosine."""

FEW_TO_KNOW_UNRELATED = 20
"""Texts; so few may all be about one subject, and then none of them shows where unrelated ones lie."""

FEW_FOR_A_BACKGROUND = 3
"""Texts; a background is counted as if so many unrelated ones stood beside those that were found."""


def place_of_low(found: int) -> int:
    """Return the place of `ScoreStatistics.low` among *found* scores in ascending order, from 0."""
    return int(LOW * found)


class ScoreStatistics(NamedTuple):
    """
    Statistics of the scores of one search, by which a score becomes a z-score.

    Attributes:
        found: How many entries were found.
        total: The sum of their scores.
        squares: The sum of their squares.
        best: The highest score, 0 when nothing was found.
        low: The score that a twentieth of them stay below; 0 for keyword scores.
        full: The keyword score that a full match begins at, 0 where that is not known.

    """

    found: int = 0
    total: float = 0.0
    squares: float = 0.0
    best: float = 0.0
    low: float = 0.0
    full: float = 0.0

    @classmethod
    def of(cls, scores: Iterable[float]) -> "ScoreStatistics":
        """Return the statistics of *scores*; their order does not matter, to the last digit."""
        values = list(scores)
        return cls(len(values), math.fsum(values), math.fsum(x * x for x in values), max(values, default=0.0))

    def mean(self, size: int) -> float:
        """Return the mean over *size* entries; those not found count as 0."""
        return self.total / size if size else 0.0

    def deviation(self, size: int) -> float:
        """Return the population standard deviation over *size* entries; those not found count as 0."""
        variance = self.squares / size - self.mean(size) ** 2 if size else 0.0
        return math.sqrt(variance) if variance > MIN_VARIANCE else 0.0

    def closeness(self, cosine: float) -> float:
        """
        Return *cosine* on a scale that can be compared between questions and models: 0 unrelated, 1 the same text.

        Cosines of unrelated texts lie around 0 in one model and around 0.5 in another. Most of what is stored has
        nothing to do with a question, so `low` shows where they lie; of a few texts it shows little.
        """
        unrelated = min(max(self.low, 0.0), MAX_UNRELATED) * self.found / (self.found + FEW_TO_KNOW_UNRELATED)
        return (cosine - unrelated) / (1 - unrelated)

    def background(self) -> float:
        """Return the mean closeness of what was found, less where that is little."""
        if not self.found:
            return 0.0
        return self.closeness(self.mean(self.found)) * self.found / (self.found + FEW_FOR_A_BACKGROUND)
