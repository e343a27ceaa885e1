"""The matches of a query among the vectors of a filter."""

from collections.abc import Iterable, Mapping

import numpy as np

from hardwon.adapters.numpy_index.blocks import Bounds, Codes, Floats, Rows, Seqs, find
from hardwon.adapters.numpy_index.loaded import LoadedVectors, Members
from hardwon.domain.model.embedding import COSINE_DECIMALS, Vector
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

STEPS = 10**COSINE_DECIMALS


class NumpyMatches(Matches):
    """
    The stored vectors of some entries, scored against a query.

    Packed blocks give bounds of scores. Only entries that the bounds can't exclude are scored, in float64, from their float32
    vectors; so every answer is the same as without packed blocks. Statistics compare all vectors.
    """

    def __init__(self, loaded: LoadedVectors, members: Members, query: Vector) -> None:
        self._loaded = loaded
        self._members = members
        self._query: Floats = np.frombuffer(query, dtype=np.float32)
        self._exact: dict[int, float] = {}
        self._compared: _Compared | None = None

    @override
    def count(self) -> int:
        return len(self._bounds().seqs)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        scores = self._scored(self._bounds().nearest(k, category))
        nearest = sorted(self._loaded.source.in_tie_order(list(scores)), key=lambda seq: -scores[seq])
        return [Hit(seq, scores[seq]) for seq in nearest[:k]]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        wanted = np.array(sorted({*seqs}), dtype=np.int64)
        return self._scored(wanted[find(wanted, self._bounds().seqs) >= 0])

    @override
    def statistics(self) -> ScoreStatistics:
        self._compared = self._compare(packed=False)
        # Sums of whole millionths do not depend on the order of rows.
        steps = np.rint(self._compared.found.astype(np.float64) * STEPS).astype(np.int64)
        if not len(steps):
            return ScoreStatistics()
        return ScoreStatistics(
            found=len(steps),
            total=int(steps.sum()) / STEPS,
            squares=int((steps * steps).sum()) / STEPS**2,
            best=self.top(1)[0].score,
            low=int(np.partition(steps, place_of_low(len(steps)))[place_of_low(len(steps))]) / STEPS,
        )

    def _bounds(self) -> "_Compared":
        if self._compared is None:
            self._compared = self._compare(packed=True)
        return self._compared

    def _compare(self, *, packed: bool) -> "_Compared":
        return _Compared(self._loaded.parts(self._members, packed=packed), self._members, self._query)

    def _scored(self, seqs: Seqs) -> dict[int, float]:
        """Return the exact scores of *seqs*, ascending."""
        left = np.array([seq for seq in seqs.tolist() if seq not in self._exact], dtype=np.int64)
        for rows in self._bounds().rows:
            left = left[find(left, self._score(rows.among(left))) < 0]
        if len(left):
            self._score(self._loaded.rows_among(left))
        return {seq: self._exact[seq] for seq in seqs.tolist() if seq in self._exact}

    def _score(self, rows: Rows) -> Seqs:
        products = rows.values.astype(np.float64) * self._query.astype(np.float64)
        cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
        self._exact.update(zip(rows.seqs.tolist(), cosines.tolist(), strict=True))
        return rows.seqs


class _Compared:
    """
    The members that have a vector, with bounds of their scores.

    Args:
        parts: Blocks with the vectors of all *members*, and of others, in ascending order.
        members: The entries compared.
        query: A unit vector.

    Attributes:
        rows: Those of the blocks that have the vectors themselves.
        seqs: The numbers of the members with a vector, ascending.
        found: Their scores, as the blocks bound them.

    """

    def __init__(self, parts: Iterable[Rows | Codes], members: Members, query: Floats) -> None:
        self.rows = list[Rows]()
        seqs, bounds = [np.empty(0, dtype=np.int64)], [Bounds.none()]
        for part in parts:  # codes are dropped as soon as they are compared
            seqs.append(part.seqs)
            bounds.append(part.bounds(query))
            if isinstance(part, Rows):
                self.rows.append(part)
        together = np.concatenate(seqs)
        places = find(together, members.seqs)
        inside = places >= 0
        self.seqs: Seqs = together[inside]
        self.found: Floats = np.concatenate([bound.scores for bound in bounds])[inside]
        self._errors: Floats = np.concatenate([bound.errors for bound in bounds])[inside]
        self._categories = members.categories[places[inside]]
        self._names = members.names

    def nearest(self, k: int, category: Category | None) -> Seqs:
        """Return the numbers of the *k* best of a category, or of all, and of those that might be among them, ascending."""
        seqs, found, errors = self.seqs, self.found, self._errors
        if category is not None:
            own = np.zeros(len(seqs), dtype=bool)
            if category in self._names:
                own = self._categories == self._names.index(category)
            seqs, found, errors = seqs[own], found[own], errors[own]
        if len(seqs) > k:
            kth = np.partition(found - errors, -k)[-k]
            seqs = seqs[found + errors >= kth]
        return seqs
