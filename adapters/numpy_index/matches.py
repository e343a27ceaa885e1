"""The matches of a query among the vectors of a filter."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from hardwon.adapters.numpy_index.blocks import Codes, Floats, QueryCodes, Seqs, find
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

    Codes give bounds of scores. Only entries that the bounds can't exclude are scored, in float64, from their float32 vectors; so
    matches and scores are those of comparing every vector. The statistics but for the best score are those of the codes' scores.
    """

    def __init__(self, loaded: LoadedVectors, members: Members, query: Vector) -> None:
        self._loaded = loaded
        self._members = members
        self._query: Floats = np.frombuffer(query, dtype=np.float32)
        self._exact: dict[int, float] = {}

    @override
    def count(self) -> int:
        return len(self._compared.seqs)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        scores = self._scored(self._compared.nearest(k, category))
        nearest = sorted(self._loaded.source.in_tie_order(list(scores)), key=lambda seq: -scores[seq])
        return [Hit(seq, scores[seq]) for seq in nearest[:k]]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        wanted = np.array(sorted({*seqs}), dtype=np.int64)
        return self._scored(wanted[find(wanted, self._compared.seqs) >= 0])

    @override
    def statistics(self) -> ScoreStatistics:
        # Sums of whole millionths do not depend on the order of rows.
        steps = np.rint(self._compared.coarse * STEPS).astype(np.int64)
        if not len(steps):
            return ScoreStatistics()
        return ScoreStatistics(
            found=len(steps),
            total=int(steps.sum()) / STEPS,
            squares=int((steps * steps).sum()) / STEPS**2,
            best=self.top(1)[0].score,
            low=int(np.partition(steps, place_of_low(len(steps)))[place_of_low(len(steps))]) / STEPS,
        )

    @cached_property
    def _compared(self) -> "_Compared":
        return _Compared(self._loaded.codes(self._members), self._members, self._query)

    def _scored(self, seqs: Seqs) -> dict[int, float]:
        """Return the exact scores of *seqs*, ascending."""
        left = np.array([seq for seq in seqs.tolist() if seq not in self._exact], dtype=np.int64)
        if len(left):
            rows = self._loaded.rows_among(left)
            products = rows.values.astype(np.float64) * self._query.astype(np.float64)
            cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
            self._exact.update(zip(rows.seqs.tolist(), cosines.tolist(), strict=True))
        return {seq: self._exact[seq] for seq in seqs.tolist() if seq in self._exact}


class _Compared:
    """
    The members that have a vector, compared with a query.

    Args:
        blocks: The codes of the vectors of all *members*, and of others, in ascending order.
        members: The entries compared.
        query: A unit vector.

    Attributes:
        seqs: The numbers of the members with a vector, ascending.
        coarse: The score of each, as codes give it, float64.

    """

    def __init__(self, blocks: Iterable[Codes], members: Members, query: Floats) -> None:
        coded = QueryCodes.of(query)
        none = Codes.none(len(query))
        seqs, compared = [none.seqs], [none.compare(coded)]
        for block in blocks:  # each is dropped as soon as it is compared, unless it is kept
            seqs.append(block.seqs)
            compared.append(block.compare(coded))
        together = np.concatenate(seqs)
        places = find(together, members.seqs)
        inside = places >= 0
        self.seqs: Seqs = together[inside]
        self.coarse = np.concatenate([comparison.coarse for comparison in compared])[inside]
        self._scores = np.concatenate([comparison.scores for comparison in compared])[inside]
        self._errors = np.concatenate([comparison.errors for comparison in compared])[inside]
        self._categories = members.categories[places[inside]]
        self._names = members.names

    def nearest(self, k: int, category: Category | None) -> Seqs:
        """Return the numbers of the *k* best of a category, or of all, and of those that might be among them, ascending."""
        seqs, scores, errors = self.seqs, self._scores, self._errors
        if category is not None:
            own = np.zeros(len(seqs), dtype=bool)
            if category in self._names:
                own = self._categories == self._names.index(category)
            seqs, scores, errors = seqs[own], scores[own], errors[own]
        if len(seqs) > k:
            kth = np.partition(scores - errors, -k)[-k]
            seqs = seqs[scores + errors >= kth]
        return seqs
