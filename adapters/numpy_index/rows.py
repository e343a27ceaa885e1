from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.ports.vector_source import VectorSource


class VectorRows(NamedTuple):
    """
    Vectors ready to be compared.

    Attributes:
        seqs: The store's number of each row's entry, int64.
        categories: The category of each row's entry, empty text for what is no learning.
        values: float32, one row an entry.

    """

    seqs: NDArray[np.int64]
    categories: NDArray[np.str_]
    values: NDArray[np.float32]

    def among(self, seqs: Sequence[int]) -> "VectorRows":
        """Return the rows of the entries of *seqs*."""
        wanted = np.isin(self.seqs, np.array(seqs, dtype=np.int64))
        return VectorRows(self.seqs[wanted], self.categories[wanted], self.values[wanted])


def load_rows(source: VectorSource, only: EntryFilter) -> VectorRows:
    """Load the vectors of *only*; a damaged one is as good as none."""
    block = source.load(only)
    values = np.asarray(block.values, dtype=np.float32).reshape(len(block.seqs), source.dimensions)
    seqs = np.array(block.seqs, dtype=np.int64)
    categories = np.array([category or "" for category in block.categories], dtype=np.str_)
    sound = np.isfinite(values @ np.ones(source.dimensions, dtype=np.float32))
    if sound.all():
        return VectorRows(seqs, categories, values)
    return VectorRows(seqs[sound], categories[sound], values[sound])
