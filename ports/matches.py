from collections.abc import Iterable, Mapping
from typing import Protocol

from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.spread import Spread
from hardwon.domain.model.vocabulary import Category


class Matches(Protocol):
    """
    All that one query found in one index; the search ran once, reading is cheap.

    Scores are as the index defines them, higher is better.
    """

    def count(self) -> int:
        """Return how many entries were found, uncut."""
        ...

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """
        Return the *k* best, best first, fewer when fewer were found.

        Ties go to the newest `updated_at`, then to the smallest id.

        Args:
            k: At least 1.
            category: Only learnings of this category; None for all that was found.

        """
        ...

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that were found; the same values `top` gives."""
        ...

    def spread(self) -> Spread:
        """Return how all scores are spread, whatever order the entries were stored in."""
        ...
