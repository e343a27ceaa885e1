"""
Nearest neighbours by the server.

Few vectors are compared one by one. Of many, an approximate index finds the nearest; what it finds is scored exactly, and the statistics
are estimated from a sample.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from hardwon.adapters.postgres.database import Row
from hardwon.adapters.postgres.query import Where, where
from hardwon.adapters.postgres.vectors import FROM_VECTORS, PostgresVectorStore, literal
from hardwon.domain.model.embedding import Vector, cosine
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches, VectorIndex

LARGEST_SCAN = 20_000
"""Vectors that are compared one by one at most; above, the index of the server finds the nearest."""

MARGIN = 2e-5
"""Twice the error of a cosine that the server computes in float32; entries so close to the last one wanted are scored exactly."""

STEPS = 10**6
SAMPLE = 2_000
"""
Vectors of the sample from which the scores of many are estimated.

The standard error of the mean is the deviation / sqrt(SAMPLE), 2.2 % of it; that of the deviation is about 1 / sqrt(2 * SAMPLE), 1.6 %.
"""

CANDIDATES = 3
"""How many times as many neighbours as are wanted the approximate index is asked for."""

PREFETCHED = 40
"""How many of the best, of all and of each category, are scored exactly at once: each further look costs a round trip."""

SCAN = f"""
    SELECT e.number, e.category, -(v.vec <#> %(query)s::vector) {FROM_VECTORS} {{within}} ORDER BY e.updated_at DESC, e.id
"""
COUNT = f"SELECT count(*) FROM (SELECT 1 {FROM_VECTORS} {{within}}) compared"
NEAR = f"""
    SELECT e.number {FROM_VECTORS} {{within}} AND vector_dims(v.vec) = {{width}}
    ORDER BY v.vec::halfvec({{width}}) <=> %(query)s::halfvec({{width}}) LIMIT %(most)s
"""
TUNED = (
    "SET LOCAL hnsw.ef_search = 200",
    "SET LOCAL hnsw.iterative_scan = relaxed_order",
    "SET LOCAL hnsw.max_scan_tuples = 100000",
)
# A fixed mixing of the number, so that the sample is the same each time and in no order of time.
SAMPLED = f"""
    SELECT -(v.vec <#> %(query)s::vector) {FROM_VECTORS} {{within}}
    ORDER BY (v.number * 2654435761) %% 4294967296 LIMIT {SAMPLE}
"""


class PostgresVectorIndex(VectorIndex):
    """
    Nearest neighbours among the vectors of a space.

    Args:
        vectors: The vectors.
        largest_scan: How many are compared one by one at most.

    """

    def __init__(self, vectors: PostgresVectorStore, largest_scan: int = LARGEST_SCAN) -> None:
        self._vectors = vectors
        self._largest_scan = largest_scan

    @override
    def ensure_usable(self) -> None:
        """The server compares: nothing is needed here."""

    @override
    def compare(self, query: Vector, only: EntryFilter) -> Matches:
        scope = _Scope(self._vectors, query, where(only._replace(ranked=True)))
        if self._vectors.database.entries_at_first * 2 < self._largest_scan:
            return _ScannedMatches(scope)
        found = scope.size()
        return _SearchedMatches(scope, found) if found > self._largest_scan else _ScannedMatches(scope)


class _Scope(NamedTuple):
    """The vectors that are compared with a query."""

    vectors: PostgresVectorStore
    query: Vector
    within: Where

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """Run *sql* for these vectors."""
        return self.vectors.database.rows(
            sql.format(within=self.within.sql, width=self.vectors.dimensions),
            **self.within.parameters,
            **parameters,
            space=self.vectors.number,
            query=literal(self.query),
        )

    def size(self) -> int:
        """Return how many there are."""
        return int(self.rows(COUNT)[0][0])

    def exact(self, numbers: Iterable[int]) -> dict[int, float]:
        """Return the cosine of each of *numbers*, in float64 and rounded to 1e-6."""
        return {number: cosine(vector, self.query) for number, vector in self.vectors.each([*numbers])}

    def best_of(self, exact: Mapping[int, float], k: int) -> list[Hit]:
        """Return the *k* best of *exact*, ties in their order."""
        ordered = sorted(self.vectors.in_tie_order([*exact]), key=lambda number: -exact[number])
        return [Hit(number, exact[number]) for number in ordered[:k]]


class _ScannedMatches(Matches):
    """Vectors all of which were compared; what may be among the best is scored exactly."""

    def __init__(self, scope: _Scope) -> None:
        self._scope = scope
        rows = scope.rows(SCAN)
        self._near = {number: score for number, _, score in rows}  # in the order of ties
        self._categories = {number: category for number, category, _ in rows}
        self._exact = dict[int, float]()

    @override
    def count(self) -> int:
        return len(self._near)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        if not self._exact:
            self._prefetch()
        exact = self.scores(self._best(k, category))
        best = nlargest(k, filter(exact.__contains__, self._near), key=exact.__getitem__)  # of equal ones the first
        return [Hit(number, exact[number]) for number in best]

    def _prefetch(self) -> None:
        groups = {None, *self._categories.values()}
        self.scores({number for group in groups for number in self._best(PREFETCHED, group)})

    def _best(self, k: int, category: Category | None) -> list[int]:
        """Return the *k* best of a category, or of all, and those that might be among them."""
        found = [number for number in self._near if category is None or self._categories[number] == category]
        if len(found) <= k:
            return found
        least = nlargest(k, map(self._near.__getitem__, found))[-1] - MARGIN
        return [number for number in found if self._near[number] >= least]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        wanted = [number for number in seqs if number in self._near]
        if missing := [number for number in wanted if number not in self._exact]:
            self._exact |= self._scope.exact(missing)
        return {number: self._exact[number] for number in wanted if number in self._exact}

    @override
    def statistics(self) -> ScoreStatistics:
        # Sums of whole millionths do not depend on the order of rows.
        steps = sorted(round(score * STEPS) for score in self._near.values())
        if not steps:
            return ScoreStatistics()
        return ScoreStatistics(
            found=len(steps),
            total=sum(steps) / STEPS,
            squares=sum(step * step for step in steps) / STEPS**2,
            best=self.top(1)[0].score,
            low=steps[place_of_low(len(steps))] / STEPS,
        )


class _SearchedMatches(Matches):
    """Many vectors, of which the approximate index finds the nearest; where it finds too few, all are compared."""

    def __init__(self, scope: _Scope, found: int) -> None:
        self._scope = scope
        self._found = found

    @override
    def count(self) -> int:
        return self._found

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        scope = self._scope
        if category is not None:
            condition, name = f"{scope.within.sql} AND e.category = %(in_category)s", {"in_category": category}
            scope = scope._replace(within=Where(condition, {**scope.within.parameters, **name}))
        exact = scope.exact(self._near(scope, CANDIDATES * k))
        if len(exact) < k:
            return _ScannedMatches(scope).top(k)
        return scope.best_of(exact, k)

    def _near(self, scope: _Scope, most: int) -> list[int]:
        database = scope.vectors.database
        with database.tuned(TUNED):
            return [number for (number,) in scope.rows(NEAR, most=most)]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        numbers = [*seqs]
        within = f"{self._scope.within.sql} AND e.number = ANY(%(wanted)s)"
        inside = self._scope._replace(within=Where(within, {**self._scope.within.parameters, "wanted": numbers}))
        return self._scope.exact(number for number, *_ in inside.rows(SCAN))

    @override
    def statistics(self) -> ScoreStatistics:
        """Estimate them from a sample that is always the same; the best score is exact."""
        return self._estimated

    @cached_property
    def _estimated(self) -> ScoreStatistics:
        sample = sorted(score for (score,) in self._scope.rows(SAMPLED))
        share = self._found / len(sample)
        return ScoreStatistics(
            found=self._found,
            total=sum(sample) * share,
            squares=sum(score * score for score in sample) * share,
            best=self.top(1)[0].score,
            low=sample[place_of_low(len(sample))],
        )
