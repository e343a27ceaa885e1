from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.vector import Vector


class VectorBlock(NamedTuple):
    """
    Vectors side by side.

    Attributes:
        seqs: The store's number of each row's entry.
        categories: The category of each row's entry, None for what is no learning.
        values: `len(seqs) * dimensions` float32 values, row by row.

    """

    seqs: Sequence[int]
    categories: Sequence[str | None]
    values: Vector


class VectorSource(Protocol):
    """Where an index gets its vectors from."""

    @property
    def dimensions(self) -> int:
        """Width of every vector."""
        ...

    def version(self) -> int:
        """Return a number that is another one whenever `load` may return something else."""
        ...

    def load(self, only: EntryFilter) -> VectorBlock:
        """
        Return the vectors of the entries of *only*, in no particular order.

        A stored value of another width is skipped with a warning.
        """
        ...

    def in_tie_order(self, seqs: Sequence[int]) -> list[int]:
        """Return *seqs* ordered by the newest `updated_at`, then by id."""
        ...
