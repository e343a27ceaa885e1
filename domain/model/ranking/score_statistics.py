"""Statistics of the scores of a search, for z-scores and for closeness."""

import math
from collections.abc import Iterable
from typing import NamedTuple

MIN_VARIANCE = 1e-12
"""A smaller variance is rounding."""

LOW = 0.05
"""The share of scores below `ScoreStatistics.low`."""

MAX_UNRELATED = 0.6
"""The upper bound of the cosine of unrelated texts; no known model exceeds it."""

UNRELATED_PRIOR = 20
"""Texts; so few may all be about one subject, so that `low` is not the cosine of unrelated ones."""

BACKGROUND_PRIOR = 3
"""Unrelated texts that are added to those found when their mean closeness is taken."""


def place_of_low(found: int) -> int:
    """Return the index of `ScoreStatistics.low` among *found* scores in ascending order, from 0."""
    return int(LOW * found)


class ScoreStatistics(NamedTuple):
    """
    Statistics of the scores of one search.

    Attributes:
        found: How many entries were found.
        total: The sum of their scores.
        squares: The sum of their squares.
        best: The highest score, 0 when nothing was found.
        low: The 5th percentile; 0 for keyword scores.
        full: The least keyword score of a full match, 0 when unknown.
    """

    found: int = 0
    total: float = 0.0
    squares: float = 0.0
    best: float = 0.0
    low: float = 0.0
    full: float = 0.0

    @classmethod
    def of(cls, scores: Iterable[float]) -> "ScoreStatistics":
        """Return the statistics of *scores*, exactly the same in any order."""
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
        Return *cosine* on a scale that is comparable between questions and models: 0 unrelated, 1 the same text.

        Cosines of unrelated texts are around 0 in one model and around 0.5 in another. Most stored texts are unrelated to a
        question, so `low` estimates where they are; with few texts the estimate counts less.
        """
        unrelated = min(max(self.low, 0.0), MAX_UNRELATED) * self.found / (self.found + UNRELATED_PRIOR)
        return (cosine - unrelated) / (1 - unrelated)

    def background(self) -> float:
        """Return the mean closeness of the entries found, reduced when they are few."""
        if not self.found:
            return 0.0
        return self.closeness(self.mean(self.found)) * self.found / (self.found + BACKGROUND_PRIOR)
