from collections.abc import Iterable, Mapping
from typing import Protocol

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.hit import Hit


class Matches(Protocol):
    """
    All that one query found in one index; the search ran once, reading is cheap.

    Scores are as the index defines them, higher is better.
    """

    def count(self, only: EntryFilter) -> int:
        """Return how many entries of *only* were found, uncut."""
        ...

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        """
        Return the *k* best of *only*, best first, fewer when fewer were found.

        Ties go to the newest `updated_at`, then to the smallest id.
        """
        ...

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that were found; the same values `top` gives."""
        ...
