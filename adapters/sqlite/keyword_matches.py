"""
The matches of one keyword search.

The filter is applied to the best matches only.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import nlargest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import admits_all, tallied
from hardwon.adapters.sqlite.query import in_tie_order, where
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics
from hardwon.domain.model.text import without_marks
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

TOKENIZER = "porter unicode61"

COLUMNS = ("name", "description", "notes", "keywords", "reasoning")
"""The columns of the index of entries."""


def quoted(term: str) -> str:
    """Quote *term* as a phrase of FTS5."""
    return '"' + without_marks(term).replace('"', '""').replace("\0", " ") + '"'


def any_of(terms: Iterable[str]) -> str:
    """Return the FTS5 query for any of *terms*."""
    return " OR ".join(map(quoted, terms))


def frequencies(
    database: SqliteDatabase, table: str, terms: Sequence[str], first: int = 0
) -> Mapping[str, int]:
    """
    Count the rows of an FTS5 table that contain each term.

    Counts from row *first* on, for at most 65 terms.
    """
    if not terms:
        return {}
    counts = ", ".join(
        [f"(SELECT count(*) FROM {table} WHERE {table} MATCH ? AND rowid >= {first})"] * len(terms)
    )
    return dict(
        zip(terms, database.rows(f"SELECT {counts}", list(map(quoted, terms)))[0], strict=True)
    )


SELECT_ADMITTED = """
    SELECT e.seq, e.category FROM json_each(:wanted) found CROSS JOIN entry e ON e.seq = found.value WHERE {within}
"""

SELECT_ALL = "SELECT e.seq, e.category FROM entry e WHERE {within}"

FIRST_LOOK, GROWTH = 4, 8
"""
Multiples of the wanted matches that are looked up.

The first is for the first lookup, the second for more while too few pass the filter.
"""


class KeywordMatches(Matches):
    """
    The matches of one search.

    Args:
        scores: The score of every match, by number, before *only* is applied.
        only: The filter of the search.
        full: The minimum score of a full match, 0 if unknown.

    """

    def __init__(
        self,
        database: SqliteDatabase,
        scores: Mapping[int, float],
        only: EntryFilter = EVERYTHING,
        full: float = 0.0,
    ) -> None:
        self._database = database
        self._scores = scores
        self._only = only
        self._full = full
        self._best = dict[int, dict[int, Category | None]]()

    @override
    def count(self) -> int:
        return len(self._counted())

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        looked = FIRST_LOOK * k
        while len(found := self._among_best(looked, category)) < k and looked < len(self._scores):
            looked = len(self._scores) if self._at_most < looked * GROWTH else looked * GROWTH
        least = nlargest(k, map(self._scores.__getitem__, found))[-1:]
        best = [number for number in found if self._scores[number] >= least[0]]
        ordered = sorted(
            in_tie_order(self._database, best), key=lambda number: -self._scores[number]
        )
        return [IndexHit(number, self._scores[number]) for number in ordered[:k]]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        return {
            number: self._scores[number]
            for number in self._admitted(number for number in numbers if number in self._scores)
        }

    @override
    def statistics(self) -> ScoreStatistics:
        return ScoreStatistics.of(self._scores[number] for number in self._counted())._replace(
            full=self._full
        )

    def _counted(self) -> Collection[int]:
        if self._only == EVERYTHING or admits_all(self._database, self._only):
            return self._scores
        return self._admitted(self._scores)

    def _among_best(self, k: int, category: Category | None) -> list[int]:
        """Return the admitted ones of the *k* best matches, ties included."""
        if k not in self._best:
            least = nlargest(k, self._scores.values())[-1:]
            self._best[k] = self._admitted(
                number for number, score in self._scores.items() if score >= least[0]
            )
        found = self._best[k]
        return [number for number in found if category is None or found[number] == category]

    def _admitted(self, numbers: Iterable[int]) -> dict[int, Category | None]:
        within, wanted = where(self._only), set(numbers)
        if self._at_most < len(wanted):
            rows = self._database.rows(SELECT_ALL.format(within=within.sql), **within.parameters)
            return {number: category for number, category in rows if number in wanted}
        sql = SELECT_ADMITTED.format(within=within.sql)
        return dict(self._database.rows(sql, wanted=[*wanted], **within.parameters))

    @cached_property
    def _at_most(self) -> int:
        return sum(tallied(self._database, self._only).values())
