from collections.abc import Iterable, Mapping

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.tie_order import in_tie_order
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.vocabulary import Category

SELECT_CATEGORIES = "SELECT e.seq, e.category FROM json_each(?) found JOIN entry e ON e.seq = found.value"


class FtsMatches:
    """
    What one search found.

    Args:
        database: The store.
        scores: The score of every match, by number.
        categories: Their categories, where they are known already.
        full: The score that a full match begins at, 0 where that is not known.

    """

    def __init__(
        self,
        database: Database,
        scores: Mapping[int, float],
        categories: Mapping[int, Category | None] | None = None,
        full: float = 0.0,
    ) -> None:
        self._database = database
        self._scores = scores
        self._categories = categories
        self._full = full
        self._rankings: dict[Category | None, list[int]] = {}

    def count(self) -> int:
        """Return how many entries matched."""
        return len(self._scores)

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """Return the *k* best."""
        best = self._best(self._ranked(category), k)
        ordered = sorted(in_tie_order(self._database, best), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in ordered[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that matched."""
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    def spread(self) -> Spread:
        """Return how all scores are spread."""
        return Spread.of(self._scores.values())._replace(full=self._full)

    def _ranked(self, category: Category | None) -> list[int]:
        """Return all matches, or those of a category, best first; sorted once."""
        if category not in self._rankings:
            self._rankings[category] = sorted(self._of(category), key=self._scores.__getitem__, reverse=True)
        return self._rankings[category]

    def _of(self, category: Category | None) -> Iterable[int]:
        if category is None:
            return self._scores
        if self._categories is None:
            self._categories = dict(self._database.rows(SELECT_CATEGORIES, (in_list(self._scores),)))
        return (seq for seq in self._scores if self._categories[seq] == category)

    def _best(self, group: list[int], k: int) -> list[int]:
        """Return the *k* best of *group*, and those that tie with the last of them."""
        end = k
        while 0 < end < len(group) and self._scores[group[end]] == self._scores[group[k - 1]]:
            end += 1
        return group[:end]
