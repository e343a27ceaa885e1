from typing import Protocol

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.vector import Vector
from hardwon.ports.matches import Matches


class VectorIndex(Protocol):
    """Compares a query with the stored vectors of one space, exactly."""

    def ensure_usable(self) -> None:
        """
        Check, without loading anything, that comparing is possible here.

        Raises:
            NumpyMissingError: the library it needs is not installed.
        """
        ...

    def compare(self, query: Vector, only: EntryFilter) -> Matches:
        """
        Return every entry of *only* that has a vector, scored by cosine similarity, `[-1, 1]`.

        Scores are computed row by row in float64 and rounded to 1e-6.

        Args:
            query: L2-normalised, of the space's width.
            only: Which entries are searched.

        Raises:
            VectorIndexUnavailableError: its library can't be loaded.
            StorageError: the vectors can't be read.
        """
        ...
