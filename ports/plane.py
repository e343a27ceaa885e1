"""A picture of vectors in two dimensions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.filters import EntryFilter


class Plane(NamedTuple):
    """
    Vectors in two dimensions.

    Attributes:
        points: The place of each entry, by number, ascending: x and y in `[-1, 1]`, both in one unit.
        variance: The share of the variance of all vectors that x and y show, each in `[0, 1]`.
        groups: The numbers of entries that are near duplicates of each other, ascending, the largest group first; None where
            there are too many entries to compare.
    """

    points: Mapping[int, tuple[float, float]] = {}
    variance: tuple[float, float] = (0.0, 0.0)
    groups: Sequence[Sequence[int]] | None = ()


class Projection(Protocol):
    """The first two principal components of the vectors of one space."""

    def plane(self, only: EntryFilter) -> Plane:
        """
        Return the plane of the entries of *only* that have a vector; equal vectors give an equal plane.

        Raises:
            VectorIndexUnavailableError: vectors can't be compared in this process.
            StorageError: the vectors can't be read.
        """
        ...
