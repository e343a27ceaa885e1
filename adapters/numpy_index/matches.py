"""Vectors as numpy arrays, and the matches of a query among them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.embedding import COSINE_DECIMALS, Vector
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches, VectorSource


class VectorRows(NamedTuple):
    """
    Vectors ready to be compared.

    Attributes:
        seqs: The numbers of the rows' entries, int64.
        categories: The categories of the rows' entries, empty for an entry that is no learning.
        values: float32, a row for an entry.

    """

    seqs: NDArray[np.int64]
    categories: NDArray[np.str_]
    values: NDArray[np.float32]

    def among(self, seqs: Sequence[int]) -> "VectorRows":
        """Return the rows of the entries of *seqs*."""
        wanted = np.isin(self.seqs, np.array(seqs, dtype=np.int64))
        return VectorRows(self.seqs[wanted], self.categories[wanted], self.values[wanted])


def load_rows(source: VectorSource, only: EntryFilter) -> VectorRows:
    """Load the vectors of *only*; damaged ones are left out."""
    block = source.load(only)
    values = np.asarray(block.values, dtype=np.float32).reshape(len(block.seqs), source.dimensions)
    seqs = np.array(block.seqs, dtype=np.int64)
    categories = np.array([category or "" for category in block.categories], dtype=np.str_)
    sound = np.isfinite(values @ np.ones(source.dimensions, dtype=np.float32))
    if sound.all():
        return VectorRows(seqs, categories, values)
    return VectorRows(seqs[sound], categories[sound], values[sound])


MARGIN = 2e-6
"""Upper bound of the error of a float32 product and of rounding to 1e-6."""

STEPS = 10**COSINE_DECIMALS


class NumpyMatches(Matches):
    """
    The stored vectors, scored against a query.

    A float32 product finds candidates, which are then scored in float64.
    """

    def __init__(self, rows: VectorRows, source: VectorSource, query: Vector) -> None:
        self._rows = rows
        self._source = source
        self._query = np.frombuffer(query, dtype=np.float32)
        # A dot product for each row: as fast as one for all rows, and independent of the position of a row.
        self._found: NDArray[np.float32] = (rows.values[:, np.newaxis, :] @ self._query[:, np.newaxis]).ravel()

    @override
    def count(self) -> int:
        return len(self._found)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        places = self._places(category)
        if len(places) > k:
            found = self._found[places]
            places = places[found >= np.partition(found, -k)[-k] - MARGIN]
        scores = self._exact(places)
        nearest = sorted(self._source.in_tie_order(list(scores)), key=lambda seq: -scores[seq])
        return [Hit(seq, scores[seq]) for seq in nearest[:k]]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return self._exact(np.flatnonzero(np.isin(self._rows.seqs, list(seqs))))

    @override
    def statistics(self) -> ScoreStatistics:
        # Sums of whole millionths do not depend on the order of rows.
        steps = np.rint(self._found.astype(np.float64) * STEPS).astype(np.int64)
        if not len(steps):
            return ScoreStatistics()
        return ScoreStatistics(
            found=len(steps),
            total=int(steps.sum()) / STEPS,
            squares=int((steps * steps).sum()) / STEPS**2,
            best=self.top(1)[0].score,
            low=int(np.partition(steps, place_of_low(len(steps)))[place_of_low(len(steps))]) / STEPS,
        )

    def _places(self, category: Category | None) -> NDArray[np.intp]:
        return np.flatnonzero(self._rows.categories == category) if category else np.arange(len(self._found))

    def _exact(self, places: NDArray[np.intp]) -> dict[int, float]:
        products = self._rows.values[places].astype(np.float64) * self._query.astype(np.float64)
        cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
        return dict(zip(self._rows.seqs[places].tolist(), cosines.tolist(), strict=True))
