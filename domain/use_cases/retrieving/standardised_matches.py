from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice

from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.matches import Matches


class StandardisedMatches:
    """
    What one query found in several spaces, each of which holds other entries.

    Cosines of two models say nothing beside each other. How far each stands out in its own space does: a score
    is the distance from that space's mean, in its standard deviations.

    Args:
        spaces: What was found in each.

    """

    def __init__(self, spaces: Sequence[Matches]) -> None:
        self._spaces = [(matches, matches.spread()) for matches in spaces]

    def count(self) -> int:
        """Return how many entries were found."""
        return sum(spread.found for _, spread in self._spaces)

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """Return the *k* best."""
        lists = [
            [Hit(hit.seq, _standardised(hit.score, spread)) for hit in matches.top(k, category)]
            for matches, spread in self._spaces
        ]
        return list(islice(merge(*lists, key=lambda hit: -hit.score), k))

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that were found."""
        wanted = list(seqs)
        return {
            seq: _standardised(score, spread)
            for matches, spread in self._spaces
            for seq, score in matches.scores(wanted).items()
        }

    def spread(self) -> Spread:
        """Return how all scores are spread: around 0, by 1."""
        best = [_standardised(spread.best, spread) for _, spread in self._spaces]
        return Spread(self.count(), 0.0, float(self.count()), max(best, default=0.0))


def _standardised(score: float, spread: Spread) -> float:
    deviation = spread.deviation(spread.found)
    return (score - spread.mean(spread.found)) / deviation if deviation > 0 else 0.0
