from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.vector import COSINE_DECIMALS, Vector
from hardwon.ports.vector_source import VectorSource

MARGIN = 2e-6
"""More than rounding to 1e-6 and a float32 product together can move a score."""


class NumpyMatches:
    """
    The stored vectors, scored against one query.

    One float32 matrix product finds; what it finds is scored again in float64.
    """

    def __init__(self, source: VectorSource, query: Vector) -> None:
        block = source.load()
        self._source = source
        self._query = np.frombuffer(query, dtype=np.float32)
        rows = np.asarray(block.values, dtype=np.float32).reshape(len(block.seqs), len(query))
        found = rows @ self._query
        sound = np.isfinite(found)  # a damaged vector is as good as none
        kept = slice(None) if sound.all() else np.flatnonzero(sound)
        self._seqs = np.array(block.seqs, dtype=np.int64)[kept]
        self._categories = np.array(block.categories, dtype=np.str_)[kept]
        self._rows = rows[kept]
        self._found = found[kept]

    def count(self, only: EntryFilter) -> int:
        """Return how many entries of *only* have a vector."""
        return len(self._places(only))

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        """Return the *k* entries of *only* nearest to the query."""
        places = self._places(only)
        if len(places) > k:
            found = self._found[places]
            places = places[found >= np.partition(found, -k)[-k] - MARGIN]
        scores = self._exact(places)
        nearest = sorted(self._source.in_tie_order(list(scores)), key=lambda seq: -scores[seq])
        return [Hit(seq, scores[seq]) for seq in nearest[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the cosine of those of *seqs* that have a vector."""
        return self._exact(np.flatnonzero(np.isin(self._seqs, list(seqs))))

    def _places(self, only: EntryFilter) -> NDArray[np.intp]:
        return np.flatnonzero(self._categories == only.category) if only.category else np.arange(len(self._seqs))

    def _exact(self, places: NDArray[np.intp]) -> dict[int, float]:
        products = self._rows[places].astype(np.float64) * self._query.astype(np.float64)
        cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
        return dict(zip(self._seqs[places].tolist(), cosines.tolist(), strict=True))
