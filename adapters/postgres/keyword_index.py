"""Keyword search by BM25 over postings, with the scores of FTS5."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.matches import BEST, MatchPage, PagedMatches, ScoredMatches
from hardwon.adapters.postgres.query import where
from hardwon.adapters.postgres.rows import TEXT
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.postgres.words import stems
from hardwon.adapters.sql.filter import Where
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError, StorageError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.keywords import (
    SMALLEST_FREQUENCY_WEIGHT,
    completions,
    index_term,
    inverse_document_frequency,
    max_hits,
)
from hardwon.domain.model.ranking.adaptive import passage_score
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.keyword_index import KeywordIndex, Mode
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

K1, B = 1.2, 0.75
"""The parameters of FTS5's `bm25()`."""

PAGE = 500
"""How many of the best matches are read first: the server scores all anyway."""

COUNTED = """
    (
        SELECT count(*) FROM (
            SELECT FROM hardwon.posting p
            WHERE p.tenant = %(tenant)s AND p.term = q.term AND p.{times} > 0 LIMIT {up_to}
        ) counted
    )
"""
FREQUENCIES = f"SELECT q.term, {COUNTED} FROM unnest(%(terms)s::text[]) AS q (term)"
# Frequent ones are counted further, unless they can't be read beside the rare ones anyway.
RAREST = f"""
    WITH q AS MATERIALIZED (
        SELECT q.term, {COUNTED.format(times="passage_times", up_to="%(up_to)s")} AS times FROM unnest(%(terms)s::text[]) AS q (term)
    ), rare AS MATERIALIZED (SELECT coalesce(sum(times), 0) + %(rare)s AS times FROM q WHERE times < %(up_to)s)
    SELECT q.term, CASE WHEN q.times < %(up_to)s OR (rare.times > 0 AND rare.times + %(up_to)s > %(most)s) THEN q.times
        ELSE {COUNTED.format(times="passage_times", up_to="%(further)s")} END
    FROM q CROSS JOIN rare
"""

FIRST_COUNT = 4_000
"""Up to which terms are counted first."""

FURTHER = 8
"""How many times further the frequent ones are counted then."""

Counted = Literal["times", "own_times", "passage_times"]
"""Columns that count a term: in an entry, its own words, or a passage."""

BM25 = (
    "q.weight * ((p.{times} * ({k1} + 1)) / (p.{times} + {k1} * (1 - {b} + {b} * p.{words} /"
    " %(average)s::float8)))"
)
ASKED = (
    "unnest(%(terms)s::text[], %(weights)s::float8[]) WITH ORDINALITY AS q (term, weight, place)"
)
POSTINGS = "JOIN hardwon.posting p ON p.tenant = %(tenant)s AND p.term = q.term AND p.{times} > 0"

# The weight of a term whose frequency is not known, as `inverse_document_frequency` has it.
COUNTED_WEIGHT = f"""
    (SELECT greatest(ln((greatest(0, %(entries)s - f.n) + 0.5::float8) / (f.n + 0.5::float8)), {SMALLEST_FREQUENCY_WEIGHT})
    FROM (SELECT {COUNTED.format(times="{times}", up_to="ALL")} AS n) f)
"""

TEXTS = "concat_ws(' ', t.name, t.description, t.notes, t.reasoning)"
CONTAINING = f"""
    SELECT {TEXTS} FROM hardwon.entry e {TEXT}
    WHERE e.tenant = %(tenant)s AND NOT e.retired AND {{within}} AND (
        strpos(lower({TEXTS}), %(beginning)s) > 0 OR e.number IN (
            SELECT p.number FROM hardwon.posting p
            WHERE p.tenant = %(tenant)s AND p.term >= %(first)s AND p.term < %(beyond)s
        )
    )
    ORDER BY e.number DESC LIMIT %(limit)s
"""

LAST_CHARACTER = "\U0010ffff"
MAX_SCANNED = 500
"""Newest texts scanned to complete a word that is being typed."""

ENTRY = "JOIN hardwon.entry e ON e.tenant = %(tenant)s AND e.number = m.number"

# Summed in the query's order, as FTS5 does: the floating-point sum depends on it.
MATCH = f"""
    WITH asked AS MATERIALIZED (SELECT q.term, coalesce(q.weight, {COUNTED_WEIGHT}) AS weight, q.place FROM {ASKED}),
    matched AS MATERIALIZED (
        SELECT p.number, sum({BM25.format(times="{times}", words="words", k1=K1, b=B)} ORDER BY q.place) AS score
        FROM asked q {POSTINGS} {{among}} GROUP BY p.number HAVING count(*) >= %(at_least)s
    )
    SELECT e.number, e.category, e.updated_at, e.id, m.score FROM matched m {ENTRY} WHERE {{within}}
"""
PASSAGES = f"""
    WITH matched AS MATERIALIZED (
        SELECT p.number, sum({BM25.format(times="passage_times", words="passage_words", k1=K1, b=B)} ORDER BY q.place) AS score,
            sum(q.weight ORDER BY q.place) AS matched
        FROM {ASKED} {POSTINGS.format(times="passage_times")} GROUP BY p.number, p.passage
    )
    SELECT e.number, e.category, m.score, m.matched FROM matched m {ENTRY} WHERE {{within}} ORDER BY e.updated_at DESC, e.id
"""


class _Figures(NamedTuple):
    """Numbers of entries and passages, and of the words in them."""

    entries: int
    entry_words: int
    passages: int
    passage_words: int


SUMS = ", ".join(f"coalesce(sum({figure}), 0)::bigint" for figure in _Figures._fields)
FIGURES = f"SELECT {SUMS} FROM hardwon.corpus WHERE tenant = %(tenant)s"


class _Match(NamedTuple):
    """A keyword search: its counting column and its parameters."""

    database: PostgresDatabase
    within: Where
    times: Counted
    parameters: Mapping[str, object]

    def page(self, depth: int) -> MatchPage:
        """Return at least the *depth* best of all and by category."""
        rows = self._rows(
            BEST.format(scored=self._scored(), exact="b.score", joined=""), depth=depth, margin=0
        )
        page = MatchPage.of(depth, rows)
        return page._replace(statistics=page.statistics._replace(low=0.0))

    def scores(self, numbers: Sequence[int]) -> Mapping[int, float]:
        """Return the scores of the *numbers* that match."""
        among = self._scored("WHERE p.number = ANY(%(numbers)s)")
        return dict(self._rows(f"SELECT number, score FROM ({among}) found", numbers=numbers))

    def _scored(self, among: str = "") -> str:
        return MATCH.format(times=self.times, among=among, within=self.within.sql)

    def _rows(self, sql: str, **parameters: object) -> list[Row]:
        return self.database.rows(sql, **self.within.parameters, **self.parameters, **parameters)


class PostgresKeywordIndex(KeywordIndex):
    """
    Keyword search over the postings of a tenant.

    Args:
        enabled: False, by the settings, refuses every search.

    """

    def __init__(self, database: PostgresDatabase, *, enabled: bool = True) -> None:
        self._database = database
        self._enabled = enabled
        self._frequencies: Mapping[str, int] = {}

    @override
    def size(self) -> int:
        self._ensure_usable()
        return self._figures().entries

    @override
    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        with self._bounded(deadline):
            stemmed = dict(zip(terms, stems(terms), strict=True))
            with self._database.ahead():
                self._figures()
                self._counted(stemmed.values(), "times")
            counted = self._counted(stemmed.values(), "times")
            self._frequencies = {stem: counted.get(stem, 0) for stem in stemmed.values()}
            return {term: self._frequencies[stem] for term, stem in stemmed.items()}

    @override
    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        with self._bounded(deadline):
            within, plain = where(only), index_term(beginning)
            sql = CONTAINING.format(within=within.sql)
            rows = self._database.rows(
                sql,
                **within.parameters,
                beginning=plain,
                first=plain,
                beyond=plain + LAST_CHARACTER,
                limit=MAX_SCANNED,
            )
            return completions(beginning, (text for (text,) in rows))

    @override
    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> Matches:
        with self._bounded(deadline):
            if not terms:
                return ScoredMatches({}, {})
            wanted, figures, counted = stems(terms), self._figures(), self._frequencies
            times: Counted = "times" if mode == "any" else "own_times"
            parameters = {
                "terms": wanted,
                "weights": [
                    inverse_document_frequency(figures.entries, counted[stem])
                    if mode == "any" and stem in counted
                    else None
                    for stem in wanted
                ],
                "entries": figures.entries,
                "average": figures.entry_words / max(figures.entries, 1),
                "at_least": 1 if mode == "any" else len(wanted),
            }
            search = _Match(
                database=self._database, within=where(only), times=times, parameters=parameters
            )
            return PagedMatches(search, PAGE)

    @override
    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> ScoredMatches:
        with self._bounded(deadline):
            wanted, figures = dict.fromkeys(stems(terms)), self._figures()
            most = max_hits(is_filtered=only != EVERYTHING)
            counted = self._counted_for(wanted, most)
            idf = {
                stem: inverse_document_frequency(figures.passages, count)
                for stem, count in _rarest(wanted, counted, most)
            }
            within, asked = where(only), sum(idf.values())
            rows = self._database.rows(
                PASSAGES.format(within=within.sql),
                **within.parameters,
                terms=[*idf],
                weights=[*idf.values()],
                average=figures.passage_words / max(figures.passages, 1),
            )
            best, categories = dict[int, float](), dict[int, Category | None]()
            for number, category, bm25, matched in rows:
                categories[number] = category
                best[number] = max(best.get(number, 0.0), passage_score(bm25, matched, asked))
            return ScoredMatches(best, categories, full=asked)

    def _counted(self, terms: Iterable[str], times: Counted) -> dict[str, int]:
        sql = FREQUENCIES.format(times=times, up_to="ALL")
        return dict(self._database.rows(sql, terms=[*terms]))

    def _counted_for(self, terms: Iterable[str], most: int) -> dict[str, int]:
        """
        Return the passage counts of the rarest *terms*.

        Those of terms that would exceed *most* may be lower bounds.
        """
        counted, asked, rare, up_to = dict[str, int](), [*terms], 0, FIRST_COUNT
        while asked:
            further = up_to * FURTHER
            counted |= self._database.rows(
                RAREST, terms=asked, up_to=up_to, further=further, rare=rare, most=most
            )
            asked = [term for term in asked if counted[term] == further]
            rare = sum(counted.values()) - len(asked) * further
            if rare and rare + further > most:
                break
            up_to = further * FURTHER
        return counted

    def _figures(self) -> _Figures:
        return _Figures(*next(iter(self._database.rows(FIGURES)), (0, 0, 0, 0)))

    def _ensure_usable(self) -> None:
        if not self._enabled:
            raise KeywordIndexUnavailableError("keyword search is switched off")

    @contextmanager
    def _bounded(self, deadline: Deadline) -> Iterator[None]:
        """Convert a storage failure within into `KeywordIndexUnavailableError`."""
        self._ensure_usable()
        try:
            yield
        except StorageError as error:
            reason = "no answer in time" if deadline.passed() else str(error)
            raise KeywordIndexUnavailableError(reason) from error


def _rarest(
    terms: Iterable[str], counted: Mapping[str, int], most: int
) -> Iterator[tuple[str, int]]:
    """
    Yield terms and their passage counts, the rarest first.

    Stops before the counts exceed *most* in sum, but yields at least one term.
    """
    hits = 0
    for term in sorted(terms, key=lambda term: (counted.get(term, 0), term)):
        if hits and hits + counted.get(term, 0) > most:
            return
        hits += counted.get(term, 0)
        yield term, counted.get(term, 0)
