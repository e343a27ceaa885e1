from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.vector import Vector


class VectorBlock(NamedTuple):
    """
    Vectors side by side.

    Attributes:
        seqs: The store's number of each row's entry.
        categories: The category of each row's entry.
        values: `len(seqs) * dimensions` float32 values, row by row.

    """

    seqs: Sequence[int]
    categories: Sequence[str]
    values: Vector


class VectorSource(Protocol):
    """Where an index gets its vectors from."""

    @property
    def dimensions(self) -> int:
        """Width of every vector."""
        ...

    def load(self) -> VectorBlock:
        """
        Return the vectors of all learnings, in no particular order.

        A stored value of another width is skipped with a warning.
        """
        ...

    def fetch(self, seqs: Sequence[int]) -> VectorBlock:
        """Return the vectors of those of *seqs* that have one, in no particular order."""
        ...

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        """Return *seqs* ordered by the newest `updated_at`, then by id."""
        ...
