"""Compare the semantic matches of several spaces: closeness on one scale, and z-scores."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.vectors import Matches


class _Space(NamedTuple):
    matches: Matches
    statistics: ScoreStatistics


class Closeness(NamedTuple):
    """
    The semantic closeness of entries to a query, on one scale for all models.

    See `ScoreStatistics.closeness`.
    """

    spaces: tuple[_Space, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Matches]) -> "Closeness":
        """Return the closeness of the entries *found*, from the cosines of each space."""
        return cls(tuple(_Space(matches, matches.statistics()) for matches in found))

    def scores(self, found: Mapping[int, float]) -> Mapping[int, float]:
        """Return the closeness of the entries *found*, from their scores in the vector list."""
        if len(self.spaces) == 1:
            return {
                number: self.spaces[0].statistics.closeness(cosine)
                for number, cosine in found.items()
            }
        return {
            number: space.statistics.closeness(cosine)
            for space in self.spaces
            for number, cosine in space.matches.scores(found).items()
        }

    def upper_bound(self, score: float) -> float:
        """Return the upper bound of closeness for *score* or less in the vector list."""
        if len(self.spaces) == 1:
            return self.spaces[0].statistics.closeness(score)
        return max(
            (space.statistics.closeness(_cosine(score, space.statistics)) for space in self.spaces),
            default=0.0,
        )

    def closest(self) -> float:
        """Return the closeness of the closest entry, 0 without matches."""
        return max(
            (
                space.statistics.closeness(space.statistics.best)
                for space in self.spaces
                if space.statistics.found
            ),
            default=0.0,
        )

    def background(self) -> float:
        """Return the mean closeness of all entries searched."""
        found = sum(space.statistics.found for space in self.spaces)
        return (
            sum(space.statistics.background() * space.statistics.found for space in self.spaces)
            / found
            if found
            else 0.0
        )


def _cosine(score: float, statistics: ScoreStatistics) -> float:
    return statistics.mean(statistics.found) + score * statistics.deviation(statistics.found)


class StandardisedMatches:
    """
    The matches of one query in several spaces with different entries, scored by z-score.

    Cosines of two models are not comparable; their z-scores are: the distance from the mean of
    the space, in its standard deviations.
    """

    def __init__(self, spaces: Sequence[Matches]) -> None:
        self._spaces = [(matches, matches.statistics()) for matches in spaces]

    def count(self) -> int:
        """Return the number of matches."""
        return sum(statistics.found for _, statistics in self._spaces)

    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        """Return the *k* best."""
        lists = [
            [
                IndexHit(hit.number, _standardised(hit.score, statistics))
                for hit in matches.top(k, category)
            ]
            for matches, statistics in self._spaces
        ]
        return list(islice(merge(*lists, key=lambda hit: -hit.score), k))

    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of the matches among *numbers*."""
        wanted = list(numbers)
        return {
            number: _standardised(score, statistics)
            for matches, statistics in self._spaces
            for number, score in matches.scores(wanted).items()
        }

    def statistics(self) -> ScoreStatistics:
        """Return the statistics of z-scores: mean 0, deviation 1."""
        best = [_standardised(statistics.best, statistics) for _, statistics in self._spaces]
        return ScoreStatistics(self.count(), 0.0, float(self.count()), max(best, default=0.0))


def _standardised(score: float, statistics: ScoreStatistics) -> float:
    deviation = statistics.deviation(statistics.found)
    return (score - statistics.mean(statistics.found)) / deviation if deviation > 0 else 0.0
