"""The vectors of an embedding space on a server."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.matches import BEST, MatchPage, PagedMatches
from hardwon.adapters.postgres.query import where
from hardwon.adapters.postgres.rows import TEXT
from hardwon.adapters.postgres.server import Rows
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.sql.filter import Where
from hardwon.adapters.sql.vectors import SqlVectorStore
from hardwon.domain.model.embedding import COSINE_DECIMALS, Space, Vector
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches, PendingText, VectorBlock, VectorIndex

FROM_VECTORS = """
    FROM hardwon.vector v JOIN hardwon.entry e ON e.tenant = v.tenant AND e.number = v.number
    WHERE v.tenant = %(tenant)s AND v.space = %(space)s AND
"""
LOAD = """
    SELECT number, vec::float4[] FROM hardwon.vector
    WHERE tenant = %(tenant)s AND space = %(space)s AND number = ANY(%(numbers)s)
"""
PENDING_TEXT = f"""
    SELECT e.number, t.name, t.description, t.notes, t.reasoning, t.text_hash FROM hardwon.entry e {TEXT} WHERE {{within}}
"""
HAS_NO_VECTOR = """
    NOT EXISTS (SELECT 1 FROM hardwon.vector v
        WHERE v.tenant = %(tenant)s AND v.space = %(space)s AND v.number = e.number)
"""
# Two counts are quicker than a search for what has none. Each ranked entry is in the corpus, and no other has a vector.
COUNT_PENDING = f"""
    SELECT CASE WHEN (SELECT sum(entries) FROM hardwon.corpus WHERE tenant = %(tenant)s)
            = (SELECT count(*) FROM hardwon.vector WHERE tenant = %(tenant)s AND space = %(space)s) THEN 0
        ELSE (SELECT count(*) FROM hardwon.entry e WHERE {{within}} AND {HAS_NO_VECTOR}) END
"""
SPACE_COLUMNS = "provider, model, dimensions, task_scheme, weights_hash"
REGISTER = f"""
    INSERT INTO hardwon.space (tenant, space, {SPACE_COLUMNS})
    SELECT %(tenant)s, coalesce(max(space), 0) + 1, %(provider)s, %(model)s, %(dimensions)s, %(task_scheme)s, %(weights_hash)s
    FROM hardwon.space WHERE tenant = %(tenant)s
    ON CONFLICT (tenant, {SPACE_COLUMNS}) DO NOTHING
"""
COUNT_STORED = """
    UPDATE hardwon.space SET stored = stored + %(vectors)s WHERE tenant = %(tenant)s AND space = %(space)s
"""
NOTE_ACTIVE = """
    INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, 'active_space', %(space)s)
    ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value
"""


class PostgresVectorStore(SqlVectorStore[PostgresDatabase]):
    """The vectors of one embedding space."""

    HAS_ANY = f"SELECT 1 {FROM_VECTORS} {{within}} LIMIT 1"
    COUNT = f"SELECT count(*) {FROM_VECTORS} {{within}}"
    PENDING = f"{PENDING_TEXT} AND {HAS_NO_VECTOR} ORDER BY e.updated_at DESC, e.id LIMIT %(limit)s"
    TEXTS = f"{PENDING_TEXT} AND e.number > %(after)s ORDER BY e.number LIMIT %(limit)s"
    # The rows are locked as by the repository, so that the text can't change meanwhile.
    PUT = """
        INSERT INTO hardwon.vector (tenant, space, number, owner, text_hash, vec)
        SELECT t.tenant, %(space)s, t.number, t.owner, t.text_hash, given.vec
        FROM json_populate_recordset(NULL::hardwon.vector, %(rows)s::json) given
        JOIN hardwon.entry e ON e.tenant = %(tenant)s AND e.number = given.number AND NOT e.retired
        JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number AND t.text_hash = given.text_hash
        FOR SHARE OF e, t
        ON CONFLICT (tenant, space, number) DO UPDATE SET text_hash = excluded.text_hash, vec = excluded.vec
    """
    MEMBERS = "SELECT e.category, string_agg(e.number::text, ',') FROM hardwon.entry e WHERE {within} GROUP BY 1"
    IN_TIE_ORDER = """
        SELECT e.number FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s)
        ORDER BY e.updated_at DESC, e.id
    """
    _number = 0
    _unindexed = 0

    @property
    def database(self) -> PostgresDatabase:
        """The connection, for an index of these vectors."""
        return self._database

    @property
    @override
    def number(self) -> int:
        self._number = self._number or read_spaces(self._database).get(self._space, 0)
        return self._number

    @override
    def count_pending(self, only: EntryFilter) -> int:
        within = where(self._served_of(only))
        sql = COUNT_PENDING.format(within=within.sql)
        return int(self._database.value(sql, **within.parameters, space=self.number) or 0)

    @override
    def vectors_of(self, entry_ids: Sequence[str]) -> Mapping[str, Vector]:
        rows = self._database.rows(
            f"SELECT DISTINCT ON (e.id) e.id, v.vec::float4[] {FROM_VECTORS} e.tenant = %(tenant)s"
            " AND e.id = ANY(%(ids)s) ORDER BY e.id, e.owner DESC",
            ids=[*entry_ids],
            space=self.number,
        )
        return {entry_id: array("f", values) for entry_id, values in rows}

    @override
    def _register(self) -> int:
        if not self.number:
            self._database.rows(REGISTER, **self._space._asdict())
            if self._is_active:
                self._note_as_active(self.number)
        return self.number

    @override
    def _note_as_active(self, number: int) -> None:
        self._database.rows(NOTE_ACTIVE, space=str(number))

    @override
    def _insert(self, space: int, given: Sequence[tuple[PendingText, Vector]]) -> None:
        latest = {(text.number, text.text_hash): vector for text, vector in given}
        rows = Rows(
            {"number": number, "text_hash": text_hash, "vec": vector}
            for (number, text_hash), vector in latest.items()
        )
        counted = {"space": space, "vectors": len(given)}
        self._database.together(
            [(self.PUT, {"space": space, "rows": rows}), (COUNT_STORED, counted)]
        )

    @override
    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        given = [*vectors]
        super().put(given)
        self._unindexed += len(given)
        if self._unindexed >= INDEX_EVERY and not self._database.session.is_within:
            self._unindexed = 0
            with suppress(StorageError):  # others write: it is asked again
                self._database.value(INDEX_VECTORS, width=self.dimensions)

    @override
    def load(self, numbers: Sequence[int]) -> VectorBlock:
        rows = self._database.rows(LOAD, numbers=[*numbers], space=self.number)
        usable = {number: values for number, values in rows if len(values) == self.dimensions}
        for number, values in rows:
            if number not in usable:
                self._database.warn(
                    f"the vector of entry {number} has {len(values)} values: skipped, run: hardwon"
                    " embed --all"
                )
        return VectorBlock(list(usable), array("f", chain.from_iterable(usable.values())))


def read_spaces(database: PostgresDatabase) -> dict[Space, int]:
    """Return the numbers of the tenant's embedding spaces."""
    rows = database.rows(
        f"SELECT space, {SPACE_COLUMNS} FROM hardwon.space WHERE tenant = %(tenant)s"
    )
    return {Space(*columns): number for number, *columns in rows}


def index_vectors(database: PostgresDatabase) -> None:
    """Make an index for each width of vectors that takes only seconds."""
    for width in sorted({space.dimensions for space in read_spaces(database)}):
        database.value(INDEX_VECTORS, width=width)


def slow_searches(database: PostgresDatabase) -> list[str]:
    """Return a line for each width of many vectors without an index."""
    return [
        f"{vectors:,} vectors of {width} dimensions are not indexed, so searches take longer; the"
        " owner of the database runs: hardwon store migrate"
        for width, vectors in database.rows(SLOW, largest=LARGEST_SCAN)
    ]


INDEX_VECTORS = "SELECT hardwon.index_vectors(%(width)s)"
INDEX_EVERY = 500
"""Vectors stored by one process until it asks again for an index of them."""

SLOW = """
    SELECT s.dimensions, sum(s.stored) FROM hardwon.space s WHERE s.tenant = %(tenant)s AND s.dimensions <= 4000
        AND to_regclass('hardwon.vector_near_' || s.dimensions) IS NULL
    GROUP BY s.dimensions HAVING sum(s.stored) > %(largest)s ORDER BY s.dimensions
"""

LARGEST_SCAN = 20_000
"""
Most vectors that are compared one by one.

Above, the server's approximate index finds the nearest.
"""

MARGIN = 2e-5
"""
Twice the error of a cosine that the server computes in float32.

Entries within it of the last wanted score are scored exactly.
"""

SAMPLE = 2_000
"""
Size of the sample from which the scores of many vectors are estimated.

The standard error of the mean is the deviation / sqrt(SAMPLE), 2.2 % of it; that of the deviation
is about 1 / sqrt(2 * SAMPLE), 1.6 %.
"""

NEAR = 700
"""Neighbours that the approximate index is asked for first: enough for a session start."""

MORE = 200
"""Neighbours that it is asked for beyond those wanted, as it may miss some."""

PAGE = 100
"""
How many of the best, of all and by category, are scored at once.

A session start reads no more, so it needs no other round trip.
"""

# In float64, as in the domain; pgvector computes in float32.
EXACT = (
    "(SELECT sum(a * b) FROM unnest(v.vec::float4[]::float8[], %(values)s::float8[]) pair (a, b))"
)

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
NEIGHBOURS = f"""
    SELECT v.number, v.category, {EXACT} FROM (
        SELECT e.number, e.category, e.updated_at, e.id, v.vec {FROM_VECTORS} {{within}} AND vector_dims(v.vec) = {{width}}
        ORDER BY v.vec::halfvec({{width}}) <=> %(query)s::halfvec({{width}}) LIMIT %(limit)s
    ) v ORDER BY v.updated_at DESC, v.id
"""
TUNED = (
    "SET LOCAL hnsw.ef_search = 200",
    "SET LOCAL hnsw.iterative_scan = relaxed_order",
    "SET LOCAL hnsw.max_scan_tuples = 100000",
)
# In a fixed order independent of time, by an index; NULL for vectors that are not wanted.
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
        largest_scan: How many are compared one by one at most.

    """

    def __init__(self, vectors: PostgresVectorStore, largest_scan: int = LARGEST_SCAN) -> None:
        self._vectors = vectors
        self._largest_scan = largest_scan

    @override
    def ensure_usable(self) -> None:
        """Do nothing: the server compares vectors."""

    @override
    def cpu_seconds(self) -> float:
        return 0.0

    @override
    def compare(self, query: Vector, only: EntryFilter, likely: Sequence[int] = ()) -> Matches:
        scan = _Scan(self._vectors, query, where(only._replace(ranked=True)))
        database, depth = self._vectors.database, max(PAGE, len(likely))
        with database.snapshot():
            if database.entries_at_first < self._largest_scan:
                return scan.paged(depth, likely)
            with database.ahead():
                scan.sample()
                scan.near(NEAR)
                scan.scores(likely)
            sample = scan.sample()
            wanted = [score for score in sample if score is not None]
            # Exact if the sample is the whole space, else extrapolated from it.
            share = len(wanted) / max(1, len(sample))
            found = (
                len(wanted) if len(sample) < SAMPLE else round(database.entries_at_first * share)
            )
            if found <= self._largest_scan:
                return scan.paged(depth, likely)
            return _NearMatches(scan, wanted, found=found, likely=likely)


class _Nearest(NamedTuple):
    """The nearest vectors that the approximate index was asked for, best first."""

    asked: int = 0
    hits: Sequence[tuple[IndexHit, Category | None]] = ()

    def of(self, category: Category | None) -> list[IndexHit]:
        """Return those of *category*, without one all."""
        return [hit for hit, of in self.hits if category is None or of == category]


class _Scan(NamedTuple):
    """A query with a condition for the vectors to compare."""

    vectors: PostgresVectorStore
    query: Vector
    within: Where

    def rows(self, sql: str, settings: Sequence[str] = (), **parameters: object) -> list[Row]:
        """Run *sql* with the query and the condition, under *settings*."""
        database = self.vectors.database
        run = partial(database.tuned_rows, settings) if settings else database.rows
        return run(
            sql.format(within=self.within.sql, width=self.vectors.dimensions),
            **self.within.parameters,
            **parameters,
            space=self.vectors.number,
            query=self.query,
            values=self.query.tolist(),
        )

    def among(self, condition: str, **parameters: object) -> "_Scan":
        """Return a scan with *condition* added."""
        return self._replace(
            within=Where(
                f"{self.within.sql} AND {condition}", {**self.within.parameters, **parameters}
            )
        )

    def sample(self) -> list[float | None]:
        """Return sampled cosines of the space, None outside the scan."""
        return [score for (score,) in self.rows(SAMPLED)]

    def near(self, limit: int) -> list[tuple[IndexHit, Category | None]]:
        """Return the *limit* nearest by the approximate index, best first."""
        rows = self.rows(NEIGHBOURS, TUNED, limit=limit)
        hits = [(IndexHit(number, round(score, COSINE_DECIMALS)), of) for number, of, score in rows]
        return sorted(hits, key=lambda hit: -hit[0].score)  # else in tie order

    def paged(self, depth: int, likely: Sequence[int]) -> PagedMatches:
        """Return the matches by comparing all, at first the *depth* best and *likely*."""
        with self.vectors.database.ahead():
            self.page(depth)
            self.scores(likely)
        return PagedMatches(self, depth, likely)

    def page(self, depth: int) -> MatchPage:
        """Return at least the *depth* best of all and by category."""
        return MatchPage.of(depth, self.rows(NEAREST, depth=depth, margin=MARGIN), COSINE_DECIMALS)

    def scores(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return the cosines of the *numbers* that are in the scan."""
        rows = self.rows(SCORES, wanted=numbers) if numbers else ()
        return {number: round(score, COSINE_DECIMALS) for number, score in rows}


class _NearMatches(Matches):
    """
    Matches among many vectors, from the approximate index.

    It is asked once, and again only for what that answer lacks. If it finds too few, all vectors are
    compared.

    Args:
        scan: The vectors.
        sample: The cosines of some of them.
        found: Their estimated total number.
        likely: Numbers whose scores are read at first.

    """

    def __init__(
        self, scan: _Scan, sample: Sequence[float], found: int, likely: Sequence[int]
    ) -> None:
        self._scan = scan
        self._sample = sorted(sample)
        self._found = found
        self._scores: dict[int, float | None] = {**dict.fromkeys(likely), **scan.scores(likely)}
        self._nearest = dict[Category | None, _Nearest]()
        self._nearest[None] = self._near(NEAR, None)

    @override
    def count(self) -> int:
        return self._found

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        for asked in (None, category):
            known = self._nearest.get(asked, _Nearest())
            if asked == category and known.asked < k + MORE:
                known = self._nearest[asked] = self._near(max(k + MORE, NEAR), asked)
            if len(nearest := known.of(category)) >= k:
                return nearest[:k]
        return self._among(category).paged(k, ()).top(k)

    def _near(self, limit: int, category: Category | None) -> "_Nearest":
        return _Nearest(limit, self._among(category).near(limit))

    def _among(self, category: Category | None) -> _Scan:
        if category is None:
            return self._scan
        return self._scan.among("e.category = %(in_category)s", in_category=category)

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        wanted = {*numbers}
        for nearest in self._nearest.values():
            self._scores |= {hit.number: hit.score for hit in nearest.of(None)}
        if unknown := [*(wanted - self._scores.keys())]:
            self._scores |= {**dict.fromkeys(unknown), **self._scan.scores(unknown)}
        return {number: score for number in wanted if (score := self._scores[number]) is not None}

    @override
    def statistics(self) -> ScoreStatistics:
        """Estimate statistics from a fixed sample, except the best score."""
        sample = self._sample
        share = self._found / len(sample)
        return ScoreStatistics(
            found=self._found,
            total=sum(sample) * share,
            squares=sum(score * score for score in sample) * share,
            best=self.top(1)[0].score,
            low=sample[place_of_low(len(sample))],
        )
