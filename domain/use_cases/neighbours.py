"""Find the entries that are nearest to an entry by meaning."""

from collections.abc import Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.entries import RankingReads
from hardwon.ports.vectors import VectorIndex, VectorStore


class Neighbour(NamedTuple):
    """An entry and its cosine similarity to another one, `[-1, 1]`."""

    entry: Entry
    cosine: float


@attrs.frozen
class FindNeighbours:
    """
    Compare an entry with all others of the kinds that share its vector space.

    Attributes:
        vectors: The space; None without one.
        index: Searches it.
    """

    repository: RankingReads
    vectors: VectorStore | None
    index: VectorIndex | None

    def of(self, entry: Entry, limit: int) -> Sequence[Neighbour]:
        """
        Return at most *limit* neighbours, the nearest first; none for an entry without a vector.

        Raises:
            VectorIndexUnavailableError: vectors can't be compared in this process.
            StorageError: the store can't be read.
        """
        vector = self.vectors.vectors_of([entry.entry_id]).get(entry.entry_id) if self.vectors else None
        if vector is None or self.vectors is None or self.index is None:
            return ()
        others = EntryFilter(kinds=self.vectors.kinds, ranked=True, except_for=(entry.number or 0,))
        cosines = {hit.seq: hit.score for hit in self.index.compare(vector, others).top(limit)}
        return [Neighbour(found, cosines[found.number or 0]) for found in self.repository.hydrate([*cosines])]
