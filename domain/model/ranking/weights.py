from typing import NamedTuple, Self

from hardwon.domain.model.errors import HardwonError


class InvalidWeightsError(HardwonError, ValueError):
    """A weight is negative, or all are zero."""


class _Parts(NamedTuple):
    vector: float
    keyword: float
    prominence: float


class Weights(_Parts):
    """What each signal counts for; at least one is positive."""

    __slots__ = ()

    def __new__(cls, vector: float = 0.5, keyword: float = 0.2, prominence: float = 0.3) -> Self:
        """Check the weights at birth."""
        parts = (vector, keyword, prominence)
        if not all(0 <= part <= 1 for part in parts) or not any(parts):
            raise InvalidWeightsError(f"weights {parts} must lie within 0 to 1 and not all be zero")
        return super().__new__(cls, *parts)

    def redistributed(self, *, vector: bool, keyword: bool) -> "Weights":
        """
        Return the weights with those of missing signals shared among the others.

        In proportion to what the others have, so the sum is 1; when nothing
        that is there had a weight, prominence decides alone.
        """
        kept = (self.vector * vector, self.keyword * keyword, self.prominence)
        total = sum(kept)
        return Weights(*(part / total for part in kept)) if total else PROMINENCE_ALONE


PROMINENCE_ALONE = Weights(0.0, 0.0, 1.0)
