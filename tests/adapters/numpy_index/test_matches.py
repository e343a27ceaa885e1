import math
from array import array
from collections.abc import Mapping, Sequence

from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.ports.vectors import BlockState, VectorBlock


class DamagedSource:
    """Three vectors, the second of which is damaged."""

    dimensions = 2

    def version(self) -> int:
        return 1

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        rows: Mapping[int, Sequence[float]] = {1: [1, 0], 2: [math.nan, 0], 3: [0.6, 0.8]}
        return VectorBlock(
            numbers, array("f", [value for number in numbers for value in rows[number]])
        )

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        del only
        return {"patterns": "1,2,3"}

    def blocks(self) -> Mapping[int, BlockState]:
        return {0: BlockState(1, is_packed=False)}

    def load_block(self, number: int) -> VectorBlock:
        del number
        return self.load([1, 2, 3])

    def packed(self, number: int) -> None:
        del number

    def unpack(self, number: int) -> None:
        del number

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        return sorted(numbers)


def test_a_damaged_vector_is_ignored() -> None:
    matches = NumpyVectorIndex(DamagedSource()).compare(array("f", [1, 0]), LEARNINGS)

    assert matches.count() == 2
    assert matches.top(1) == [IndexHit(1, 1.0)]
    assert matches.top(3) == [IndexHit(1, 1.0), IndexHit(3, 0.6)]
    assert matches.scores([1, 2, 3]) == {1: 1.0, 3: 0.6}
