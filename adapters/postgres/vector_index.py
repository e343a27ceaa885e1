"""
Nearest neighbours by the server.

Few vectors are compared one by one. Of many, an approximate index finds the nearest; what it finds is scored exactly, and the statistics
are estimated from a sample. No vector leaves the server: scores do.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.adapters.postgres.matches import BEST, Page, PagedMatches
from hardwon.adapters.postgres.query import where
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.postgres.vectors import FROM_VECTORS, PostgresVectorStore, literal
from hardwon.adapters.sql.filter import Where
from hardwon.domain.model.embedding import COSINE_DECIMALS, Vector
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import Hit, ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches, VectorIndex

LARGEST_SCAN = 20_000
"""Vectors that are compared one by one at most; above, the index of the server finds the nearest."""

MARGIN = 2e-5
"""Twice the error of a cosine that the server computes in float32; entries so close to the last one wanted are scored exactly."""

SAMPLE = 2_000
"""
Vectors of the sample from which the scores of many are estimated.

The standard error of the mean is the deviation / sqrt(SAMPLE), 2.2 % of it; that of the deviation is about 1 / sqrt(2 * SAMPLE), 1.6 %.
"""

CANDIDATES = 3
"""How many times as many neighbours as are wanted the approximate index is asked for."""

PAGE = 100
"""How many of the best, of all and of each category, are scored at once: those that a session start reads, without another round trip."""

# In float64, as the domain does it; pgvector computes in float32.
EXACT = "(SELECT sum(a * b) FROM unnest(v.vec::float4[]::float8[], %(values)s::float8[]) pair (a, b))"

NEAREST = BEST.format(
    scored=f"""
        SELECT e.number, e.category, e.updated_at, e.id, -(v.vec <#> %(query)s::vector) AS score {FROM_VECTORS} {{within}}
    """,
    exact=EXACT,
    joined="""
        CROSS JOIN LATERAL (
            SELECT v.vec FROM hardwon.vector v
            WHERE v.tenant = %(tenant)s AND v.space = %(space)s AND v.number = b.number OFFSET 0
        ) v
    """,  # one by one, as they are few, which the server can't know
)
SCORES = f"SELECT e.number, {EXACT} {FROM_VECTORS} {{within}} AND e.number = ANY(%(wanted)s)"
NEAR = f"""
    SELECT v.number, {EXACT} FROM (
        SELECT e.number, e.updated_at, e.id, v.vec {FROM_VECTORS} {{within}} AND vector_dims(v.vec) = {{width}}
        ORDER BY v.vec::halfvec({{width}}) <=> %(query)s::halfvec({{width}}) LIMIT %(most)s
    ) v ORDER BY v.updated_at DESC, v.id
"""
TUNED = (
    "SET LOCAL hnsw.ef_search = 200",
    "SET LOCAL hnsw.iterative_scan = relaxed_order",
    "SET LOCAL hnsw.max_scan_tuples = 100000",
)
# In a fixed order that has nothing to do with time, by an index: the same vectors each time; NULL for those that are not wanted.
SAMPLED = f"""
    SELECT CASE WHEN e.number IS NOT NULL THEN -(v.vec <#> %(query)s::vector) END FROM (
        SELECT number, vec FROM hardwon.vector WHERE tenant = %(tenant)s AND space = %(space)s
        ORDER BY (number * 2654435761) %% 4294967296 LIMIT {SAMPLE}
    ) v LEFT JOIN hardwon.entry e ON e.number = v.number AND {{within}}
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
        scan = _Scan(self._vectors, query, where(only._replace(ranked=True)))
        entries = self._vectors.database.entries_at_first
        if entries * 2 < self._largest_scan:
            return PagedMatches(scan, PAGE)
        sample = scan.sample()
        wanted = [score for score in sample if score is not None]
        # All were looked at, or as many are wanted as of the sample.
        found = len(wanted) if len(sample) < SAMPLE else round(entries * len(wanted) / len(sample))
        return _NearMatches(scan, wanted, found) if found > self._largest_scan else PagedMatches(scan, PAGE)


class _Scan(NamedTuple):
    """A query and the vectors that are compared with it, one by one."""

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
            values=self.query.tolist(),
        )

    def among(self, condition: str, **parameters: object) -> "_Scan":
        """Return the scan of those that meet *condition* too."""
        return self._replace(
            within=Where(f"{self.within.sql} AND {condition}", {**self.within.parameters, **parameters})
        )

    def sample(self) -> list[float | None]:
        """Return the cosines of some vectors of the space, None for those that are not among these."""
        return [score for (score,) in self.rows(SAMPLED)]

    def page(self, depth: int) -> Page:
        """Return at least the *depth* best of all and of each category."""
        return Page.of(depth, self.rows(NEAREST, depth=depth, margin=MARGIN), COSINE_DECIMALS)

    def scores(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return the cosine of those of *numbers* that are among the vectors."""
        return {number: round(score, COSINE_DECIMALS) for number, score in self.rows(SCORES, wanted=numbers)}


class _NearMatches(Matches):
    """
    Many vectors, of which the approximate index finds the nearest; where it finds too few, all are compared.

    Args:
        scan: The vectors.
        sample: The cosines of some of them.
        found: About how many they are.

    """

    def __init__(self, scan: _Scan, sample: Sequence[float], found: int) -> None:
        self._scan = scan
        self._sample = sorted(sample)
        self._found = found

    @override
    def count(self) -> int:
        return self._found

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        scan = (
            self._scan if category is None else self._scan.among("e.category = %(in_category)s", in_category=category)
        )
        with scan.vectors.database.tuned(TUNED):
            near = scan.rows(NEAR, most=CANDIDATES * k)
        if len(near) < k:
            return PagedMatches(scan, k).top(k)
        exact = [Hit(number, round(score, COSINE_DECIMALS)) for number, score in near]  # in the order of ties
        return sorted(exact, key=lambda hit: -hit.score)[:k]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return self._scan.scores([*seqs])

    @override
    def statistics(self) -> ScoreStatistics:
        """Estimate them from a sample that is always the same; the best score is exact."""
        sample = self._sample
        share = self._found / len(sample)
        return ScoreStatistics(
            found=self._found,
            total=sum(sample) * share,
            squares=sum(score * score for score in sample) * share,
            best=self.top(1)[0].score,
            low=sample[place_of_low(len(sample))],
        )
