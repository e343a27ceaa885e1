from collections.abc import Iterable, Mapping

from hardwon.adapters.sqlite.database import Database, Row
from hardwon.adapters.sqlite.tie_order import in_tie_order
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.hit import Hit


class FtsMatches:
    """
    What one search found.

    Args:
        database: The store.
        found: The number, the score, the kind and the category of every match.

    """

    def __init__(self, database: Database, found: Iterable[Row]) -> None:
        self._database = database
        self._scores: dict[int, float] = {}
        self._groups: dict[tuple[str, str | None], list[int]] = {}
        for seq, score, kind, category in found:
            self._scores[seq] = score
            self._groups.setdefault((kind, category), []).append(seq)
        for group in self._groups.values():
            group.sort(key=self._scores.__getitem__, reverse=True)

    def count(self, only: EntryFilter) -> int:
        """Return how many entries of *only* matched."""
        return sum(map(len, self._of(only)))

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        """Return the *k* best of *only*."""
        best = [seq for group in self._of(only) for seq in self._best(group, k)]
        ordered = sorted(in_tie_order(self._database, best), key=lambda seq: -self._scores[seq])
        return [Hit(seq, self._scores[seq]) for seq in ordered[:k]]

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of those of *seqs* that matched."""
        return {seq: self._scores[seq] for seq in seqs if seq in self._scores}

    def _of(self, only: EntryFilter) -> list[list[int]]:
        return [
            group
            for (kind, category), group in self._groups.items()
            if kind == only.kind and only.category in {None, category}
        ]

    def _best(self, group: list[int], k: int) -> list[int]:
        """Return the *k* best of *group*, and those that tie with the last of them."""
        end = k
        while 0 < end < len(group) and self._scores[group[end]] == self._scores[group[k - 1]]:
            end += 1
        return group[:end]
