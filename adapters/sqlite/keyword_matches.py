"""
The matches of one keyword search, and the entries that pass its filter.

The filter is applied to the best matches only.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from heapq import nlargest

from hardwon.adapters.sqlite.database import Row, SqliteDatabase
from hardwon.adapters.sqlite.derived import LAST_PLACE, SHIFT, admits_all, tallied
from hardwon.adapters.sqlite.query import in_tie_order, where
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.keywords import index_term
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics
from hardwon.domain.model.ranking.selection import best_hits
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

TOKENIZER = "porter unicode61"

COLUMNS = ("name", "description", "notes", "keywords", "reasoning")
"""The columns of the index of entries."""

PLACE_BITS = 20
"""The bits of a passage's place in its row id, below its entry's number."""


def quoted(term: str) -> str:
    """Quote *term* as a phrase of FTS5."""
    return '"' + index_term(term).replace('"', '""').replace("\0", " ") + '"'


def any_of(terms: Iterable[str]) -> str:
    """Return the FTS5 query for any of *terms*."""
    return " OR ".join(map(quoted, terms))


def frequencies(
    database: SqliteDatabase, table: str, terms: Sequence[str], first: int = 0, most: int = -1
) -> Mapping[str, int]:
    """
    Count the rows of an FTS5 table that contain each term.

    Counts from row *first* on, for at most 65 terms, and no further than *most* if it is positive.
    """
    if not terms:
        return {}
    found = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid >= {first} LIMIT {most}"
    counts = ", ".join([f"(SELECT count(*) FROM ({found}))"] * len(terms))
    return dict(
        zip(terms, database.rows(f"SELECT {counts}", list(map(quoted, terms)))[0], strict=True)
    )


KEPT_COUNTS = 10_000
"""Terms whose frequencies are kept: a megabyte."""


class TermCounts:
    """
    The frequencies of terms in an FTS5 table.

    They are kept while the store does not change.

    Args:
        table: Its rows are entries or passages.
    """

    def __init__(self, database: SqliteDatabase, table: str) -> None:
        self.database = database
        self._table = table
        self._kept: dict[str, tuple[int, float]] = {}
        self._version = 0

    def of(self, terms: Sequence[str], most: int = -1) -> dict[str, int]:
        """Count the rows with each term, no further than *most* if it is positive."""
        limit = most if most > 0 else math.inf
        version, kept = self.database.version(), self._kept
        if version != self._version or len(kept) > KEPT_COUNTS:
            kept.clear()
        missing = [term for term in terms if not _suffices(kept.get(term), limit)]
        counted = frequencies(self.database, self._table, missing, most=most)
        kept |= {term: (count, limit) for term, count in counted.items()}
        self._version = version
        return {term: int(min(kept[term][0], limit)) for term in terms}


def _suffices(known: tuple[int, float] | None, limit: float) -> bool:
    """Return whether a count that ended at its own limit says enough for *limit*."""
    return known is not None and (known[0] < known[1] or limit <= known[1])


SELECT_ADMITTED = """
    SELECT e.seq, e.category FROM json_each(:wanted) found CROSS JOIN entry e ON e.seq = found.value WHERE {within}
"""
SELECT_ALL = "SELECT e.seq, e.category FROM entry e WHERE {within}"

UNKNOWN, LEFT_OUT, ADMITTED = 0, 1, 2
"""The state of an entry. One that passes adds the place of its category."""

KEPT = 4
"""Filters. A search by an agent has two."""


class FilterMembers:
    """
    The entries that pass a filter in one version of the store.

    An entry is looked up when it is first asked for. It takes a byte.
    """

    def __init__(self, database: SqliteDatabase, only: EntryFilter) -> None:
        self._database = database
        self._only = only
        self._states = defaultdict[int, bytearray](lambda: bytearray(1 << SHIFT))
        self._categories = list[Category | None]()

    @cached_property
    def at_most(self) -> int:
        """The number of entries that may pass."""
        return sum(tallied(self._database, self._only).values())

    @cached_property
    def are_all(self) -> bool:
        """Whether every indexed entry passes."""
        return self._only == EVERYTHING or admits_all(self._database, self._only)

    @cached_property
    def blocks(self) -> set[int]:
        """The blocks with an entry that passes."""
        return {number >> SHIFT for number, _ in self._read(SELECT_ALL)}

    def among(self, numbers: Iterable[int]) -> dict[int, Category | None]:
        """Return those of *numbers* that pass, with their categories."""
        wanted, states, categories = list(numbers), self._states, self._categories
        self._look_up(wanted)
        return {
            number: categories[state - ADMITTED]
            for number in wanted
            if (state := states[number >> SHIFT][number & LAST_PLACE]) >= ADMITTED
        }

    def _look_up(self, wanted: Sequence[int]) -> None:
        states = self._states
        unknown = {number for number in wanted if not states[number >> SHIFT][number & LAST_PLACE]}
        for number in unknown:
            states[number >> SHIFT][number & LAST_PLACE] = LEFT_OUT
        if self.at_most < len(unknown):
            self._read(SELECT_ALL)
        elif unknown:
            self._read(SELECT_ADMITTED, wanted=[*unknown])

    def _read(self, sql: str, **named: object) -> list[Row]:
        within = where(self._only)
        rows = self._database.rows(sql.format(within=within.sql), **named, **within.parameters)
        for number, category in rows:
            if category not in self._categories:
                self._categories.append(category)
            state = ADMITTED + self._categories.index(category)
            self._states[number >> SHIFT][number & LAST_PLACE] = state
        return rows


class MembersByFilter:
    """The members of the latest filters, kept while the store does not change."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._kept: dict[tuple[int, EntryFilter], FilterMembers] = {}

    def of(self, only: EntryFilter) -> FilterMembers:
        """Return the members of *only*, read again where use of an entry decides."""
        if (only.shown, only.used, only.idle_since) != (None, None, None):
            return FilterMembers(self._database, only)  # showing an entry leaves the version
        asked = (self._database.version(), only)
        members = self._kept.pop(asked, None) or FilterMembers(self._database, only)
        self._kept[asked] = members
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return members


FIRST_LOOK, GROWTH = 4, 8
"""
Multiples of the wanted matches that are looked up.

The first is for the first lookup, the second for more while too few pass the filter.
"""


class KeywordMatches(Matches):
    """
    The matches of one search.

    Args:
        scores: The score of every match, by number, before the filter is applied.
        members: The entries that pass the filter.
        full: The minimum score of a full match, 0 if unknown.

    """

    def __init__(
        self,
        database: SqliteDatabase,
        scores: Mapping[int, float],
        members: FilterMembers | None = None,
        full: float = 0.0,
    ) -> None:
        self._database = database
        self._scores = scores
        self._members = members or FilterMembers(database, EVERYTHING)
        self._full = full
        self._admitted = dict[int, Category | None]()
        self._looked, self._least = 0, math.inf

    @override
    def count(self) -> int:
        return len(self._counted)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        if k < 1:
            return []
        while len(found := self._found(category)) < k and self._looked < len(self._scores):
            self._look_further(k)
        return best_hits(found, k, partial(in_tie_order, self._database))

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        matched = [number for number in numbers if number in self._scores]
        return {number: self._scores[number] for number in self._members.among(matched)}

    @override
    def statistics(self) -> ScoreStatistics:
        scores = map(self._scores.__getitem__, self._counted)
        return ScoreStatistics.of(scores)._replace(full=self._full)

    @cached_property
    def _counted(self) -> Collection[int]:
        return self._scores if self._members.are_all else self._members.among(self._scores)

    def _found(self, category: Category | None) -> dict[int, float]:
        """Return the scores of the admitted matches that were looked up."""
        return {
            number: self._scores[number]
            for number, own in self._admitted.items()
            if category is None or own == category
        }

    def _look_further(self, k: int) -> None:
        """Look up the next best matches, ties of the last one included."""
        looked = max(FIRST_LOOK * k, GROWTH * self._looked)
        if self._looked and self._members.at_most < looked:
            looked = len(self._scores)
        least = nlargest(looked, self._scores.values())[-1]
        further = (number for number, score in self._scores.items() if least <= score < self._least)
        self._admitted |= self._members.among(further)
        self._looked, self._least = looked, least
