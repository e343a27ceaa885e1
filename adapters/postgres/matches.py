"""The matches of one search whose scores are all known."""

from collections.abc import Iterable, Mapping
from heapq import nlargest

from hardwon.adapters.postgres.database import Row
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches


class ScoredMatches(Matches):
    """
    The matches of one search.

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

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "ScoredMatches":
        """Return the matches of rows of a number, a category and a score, in the order of ties."""
        found = [*rows]
        return cls(
            {number: score for number, _, score in found},
            {number: category for number, category, _ in found},
        )

    @override
    def count(self) -> int:
        return len(self._scores)

    @override
    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        found = [number for number in self._scores if category is None or self._categories[number] == category]
        best = nlargest(k, found, key=self._scores.__getitem__)  # of equal ones the first
        return [Hit(number, self._scores[number]) for number in best]

    @override
    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        return {number: self._scores[number] for number in seqs if number in self._scores}

    @override
    def statistics(self) -> ScoreStatistics:
        return ScoreStatistics.of(self._scores.values())._replace(full=self._full)
