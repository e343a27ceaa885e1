"""The codes of vectors that a process has loaded, block by block: what changed in the store is read again, the rest is not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hardwon.adapters.numpy_index.blocks import Codes, Rows, Seqs, encode, find, rows_of, unpack
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.vectors import BlockSource, BlockState

KEPT = 2
FEW_A_BLOCK = 64
"""So many entries take as long to look up one by one as a packed block takes to scan."""


class Members(NamedTuple):
    """
    The entries of a filter, with a vector or without.

    Attributes:
        seqs: Their numbers, ascending, int64.
        categories: The category of each, as its place in `names`.
        names: The categories; None stands for other kinds than learnings.

    """

    seqs: Seqs
    categories: NDArray[np.int8]
    names: Sequence[str | None]

    @classmethod
    def of(cls, numbers: Mapping[str | None, str]) -> "Members":
        """Return the members of *numbers*, texts of numbers joined by commas."""
        groups = [np.fromstring(text, dtype=np.int64, sep=",") for text in numbers.values()]
        seqs = np.concatenate([np.empty(0, dtype=np.int64), *groups])
        places = np.repeat(np.arange(len(groups), dtype=np.int8), [len(group) for group in groups])
        order = np.argsort(seqs)
        return cls(seqs[order], places[order], tuple(numbers))

    def among(self, seqs: Sequence[int]) -> "Members":
        """Return those of *seqs*."""
        places = find(np.array(sorted({*seqs}), dtype=np.int64), self.seqs)
        places = places[places >= 0]
        return self._replace(seqs=self.seqs[places], categories=self.categories[places])


class LoadedVectors:
    """
    The codes of a source's vectors, read as they are needed.

    From the second query on they are kept until their block changes: a process that asks again will ask more, and one that asks once
    stays small.

    Args:
        source: Of the vectors.

    """

    def __init__(self, source: BlockSource) -> None:
        self.source = source
        self._queries = 0
        self._codes: dict[int, tuple[object, Codes]] = {}
        self._members: dict[tuple[int, EntryFilter], Members] = {}

    def members(self, only: EntryFilter) -> Members:
        """Return the entries of *only*; those of the last filters are kept until the store changes."""
        asked = (self.source.version(), only._replace(among=None))  # a list is rarely the same in two queries
        members = self._members.pop(asked, None) or Members.of(self.source.members(asked[1]))
        self._members[asked] = members
        while len(self._members) > KEPT:
            del self._members[next(iter(self._members))]
        return members if only.among is None else members.among(only.among)

    def codes(self, members: Members) -> Iterator[Codes]:
        """Yield the codes of all vectors of *members*, and of others, block by block in ascending order."""
        self._queries += 1
        blocks = self.source.blocks()
        self._codes = {number: kept for number, kept in self._codes.items() if number in blocks}
        if len(members.seqs) <= FEW_A_BLOCK * (len(blocks) - len(self._codes)):
            yield encode(self.rows_among(members.seqs))
            return
        for number, state in blocks.items():
            yield self._block(number, state)

    def rows_among(self, seqs: Seqs) -> Rows:
        """Return the vectors of a few entries, looked up one by one."""
        return rows_of(self.source.load(seqs.tolist()), self.source.dimensions)

    def _block(self, number: int, state: BlockState) -> Codes:
        stamp = ("version", self.source.version()) if state.stamp is None else state.stamp
        kept_stamp, kept = self._codes.get(number, (None, None))
        if kept is not None and kept_stamp == stamp:
            return kept
        codes = self._unpack(number, state) or encode(rows_of(self.source.load_block(number), self.source.dimensions))
        if self._queries > 1:
            self._codes[number] = (stamp, codes)
        return codes

    def _unpack(self, number: int, state: BlockState) -> Codes | None:
        """Return a block as it is packed; None if it is not, or does not fit its stamp."""
        if not state.is_packed or state.stamp is None:
            return None
        codes = unpack(self.source.packed(number) or b"", state.stamp, self.source.dimensions)
        if codes is None:
            self.source.unpack(number)
        return codes
