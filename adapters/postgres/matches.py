"""Matches of one search, read in pages to save transfer."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple, Protocol

from hardwon.adapters.postgres.session import Row
from hardwon.domain.model.ranking.candidates import LOW, IndexHit, ScoreStatistics
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

BEST = f"""
    WITH scored AS MATERIALIZED ({{scored}}),
    figures AS MATERIALIZED (
        SELECT count(*) AS found, coalesce(sum(round(score * 1e9)::bigint), 0)::float8 / 1e9 AS total,
            coalesce(sum(round(score * score * 1e9)::bigint), 0)::float8 / 1e9 AS squares
        FROM scored
    ),
    low AS MATERIALIZED (SELECT score FROM scored ORDER BY score OFFSET (SELECT floor({LOW}::float8 * found)::bigint FROM figures) LIMIT 1),
    least AS MATERIALIZED (
        SELECT category, (
            SELECT s.score FROM scored s WHERE s.category = c.category ORDER BY s.score DESC OFFSET %(depth)s - 1 LIMIT 1
        ) AS score FROM (SELECT DISTINCT category FROM scored WHERE category IS NOT NULL) c
    ),
    best AS MATERIALIZED (
        SELECT s.* FROM scored s LEFT JOIN least ON least.category = s.category
        WHERE s.score >= coalesce(
            (SELECT score FROM scored ORDER BY score DESC OFFSET %(depth)s - 1 LIMIT 1), '-infinity'
        ) - %(margin)s OR (s.category IS NOT NULL AND s.score >= coalesce(least.score, '-infinity') - %(margin)s)
    )
    SELECT b.number, b.category, {{exact}}, figures.*, low.score
    FROM best b {{joined}} CROSS JOIN figures CROSS JOIN low ORDER BY b.updated_at DESC, b.id
"""
"""
The best matches of all and of each category, in tie order.

Each row has the statistics of all matches. The query `scored` has the columns number, category,
updated_at, id and score. Scores are summed as whole billionths, so that the order of rows does not
change the sums.
"""


class MatchPage(NamedTuple):
    """
    The best matches of a search.

    Attributes:
        depth: How many of all, and of each category, are included at least.
        hits: Best first, ties in their order.
    """

    depth: int
    hits: Sequence[IndexHit] = ()
    categories: Mapping[int, Category | None] = {}
    statistics: ScoreStatistics = ScoreStatistics()

    @classmethod
    def of(cls, depth: int, rows: Sequence[Row], decimals: int | None = None) -> "MatchPage":
        """Make a page from rows of `BEST`, rounding scores to *decimals*."""
        if not rows:
            return cls(depth)
        scores = [
            IndexHit(number, score if decimals is None else round(score, decimals))
            for number, _, score, *_ in rows
        ]
        hits = sorted(scores, key=lambda hit: -hit.score)
        found, total, squares, low = rows[0][3:]
        return cls(
            depth=depth,
            hits=hits,
            categories={number: category for number, category, *_ in rows},
            statistics=ScoreStatistics(found, total, squares, best=hits[0].score, low=low),
        )


class PagedSearch(Protocol):
    """A search on the server, read page by page."""

    def page(self, depth: int) -> MatchPage:
        """Return at least the *depth* best of all and by category."""
        ...

    def scores(self, numbers: Sequence[int]) -> Mapping[int, float]:
        """Return the scores of the *numbers* that match."""
        ...


class PagedMatches(Matches):
    """
    The matches of one search, read in pages.

    Args:
        depth: How many of the best are read first.
        likely: Numbers whose scores are read first.

    """

    def __init__(self, search: PagedSearch, depth: int, likely: Sequence[int] = ()) -> None:
        self._search = search
        self._page = search.page(depth)
        self._scores: dict[int, float | None] = {hit.number: hit.score for hit in self._page.hits}
        self._scores |= {**dict.fromkeys(likely), **(search.scores(likely) if likely else {})}

    @override
    def count(self) -> int:
        return self._page.statistics.found

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        if k > self._page.depth and len(self._page.hits) < self.count():
            self._page = self._search.page(2 * k)
            self._scores |= {hit.number: hit.score for hit in self._page.hits}
        of_category = (
            hit
            for hit in self._page.hits
            if category is None or self._page.categories[hit.number] == category
        )
        return [hit for _, hit in zip(range(k), of_category, strict=False)]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        wanted = [*numbers]
        unknown = [number for number in wanted if number not in self._scores]
        if unknown and len(self._page.hits) < self.count():
            self._scores |= dict.fromkeys(unknown) | dict(self._search.scores(unknown))
        return {
            number: score for number in wanted if (score := self._scores.get(number)) is not None
        }

    @override
    def statistics(self) -> ScoreStatistics:
        return self._page.statistics


class ScoredMatches(Matches):
    """
    The matches of one search whose scores are all known.

    Args:
        scores: The score of every match, by number, in the order of ties.
        categories: The category of every match, by number.
        full: The minimum score of a full match, 0 if unknown.

    """

    def __init__(
        self,
        scores: Mapping[int, float],
        categories: Mapping[int, Category | None],
        full: float = 0.0,
    ) -> None:
        self._scores = scores
        self._categories = categories
        self._full = full

    @override
    def count(self) -> int:
        return len(self._scores)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        found = [
            number
            for number in self._scores
            if category is None or self._categories[number] == category
        ]
        best = nlargest(k, found, key=self._scores.__getitem__)  # of equal ones the first
        return [IndexHit(number, self._scores[number]) for number in best]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        return {number: self._scores[number] for number in numbers if number in self._scores}

    @override
    def statistics(self) -> ScoreStatistics:
        return ScoreStatistics.of(self._scores.values())._replace(full=self._full)
