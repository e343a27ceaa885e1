import math
from collections.abc import Iterable
from typing import NamedTuple

LEAST_VARIANCE = 1e-12
"""Scores that differ by less are alike: what is left is rounding."""


class Spread(NamedTuple):
    """
    How the scores of one search are spread, so that a score tells how far it stands out.

    Attributes:
        found: How many entries were found.
        total: The sum of their scores.
        squares: The sum of their squares.
        best: The highest score, 0 when nothing was found.

    """

    found: int = 0
    total: float = 0.0
    squares: float = 0.0
    best: float = 0.0

    @classmethod
    def of(cls, scores: Iterable[float]) -> "Spread":
        """Return the spread of *scores*; their order does not matter, to the last digit."""
        values = list(scores)
        return cls(len(values), math.fsum(values), math.fsum(x * x for x in values), max(values, default=0.0))

    def mean(self, size: int) -> float:
        """Return the mean over *size* entries; those not found count as 0."""
        return self.total / size if size else 0.0

    def deviation(self, size: int) -> float:
        """Return the population standard deviation over *size* entries; those not found count as 0."""
        variance = self.squares / size - self.mean(size) ** 2 if size else 0.0
        return math.sqrt(variance) if variance > LEAST_VARIANCE else 0.0
