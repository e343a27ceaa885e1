from collections.abc import Iterable, Mapping

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.tie_order import in_tie_order
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.vocabulary import Category


class FtsMatches:
    """
    What one search found.

    Args:
        database: The store.
        found: The number, the score and the category of every match.

    """

    def __init__(self, database: Database, found: Iterable[tuple[int, float, Category | None]]) -> None:
        self._database = database
        self._scores: dict[int, float] = {}
        self._groups: dict[Category | None, list[int]] = {}
        for seq, score, category in found:
            self._scores[seq] = score
            self._groups.setdefault(category, []).append(seq)
        for group in self._groups.values():
            group.sort(key=self._scores.__getitem__, reverse=True)

    def count(self) -> int:
        """Return how many entries matched."""
        return len(self._scores)

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """Return the *k* best."""
        groups = [self._groups.get(category, [])] if category else self._groups.values()
        best = [seq for group in groups for seq in self._best(group, k)]
        ordered = sorted(in_tie_order(self._database, best), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in ordered[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that matched."""
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    def spread(self) -> Spread:
        """Return how all scores are spread."""
        return Spread.of(self._scores.values())

    def _best(self, group: list[int], k: int) -> list[int]:
        """Return the *k* best of *group*, and those that tie with the last of them."""
        end = k
        while 0 < end < len(group) and self._scores[group[end]] == self._scores[group[k - 1]]:
            end += 1
        return group[:end]
