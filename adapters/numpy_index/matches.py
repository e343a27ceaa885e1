"""Load vectors block by block and match a query against them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hardwon.adapters.numpy_index.blocks import (
    Codes,
    Floats,
    Numbers,
    QueryCodes,
    VectorRows,
    encode,
    find,
    rows_of,
    unpack,
)
from hardwon.domain.model.embedding import COSINE_DECIMALS, Vector
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics, place_of_low
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockSource, BlockState, Matches

KEPT = 2
FEW_A_BLOCK = 64
"""
Up to so many entries of a block are looked up one by one.

More take longer than to scan the packed block.
"""


class Members(NamedTuple):
    """
    The entries of a filter, with a vector or without.

    Attributes:
        numbers: Their numbers, ascending, int64.
        categories: The category of each, as its place in `names`.
        names: The categories; None stands for other kinds than learnings.
    """

    numbers: Numbers
    categories: NDArray[np.int8]
    names: Sequence[str | None]

    @classmethod
    def of(cls, joined: Mapping[str | None, str]) -> "Members":
        """Parse the numbers of each category, *joined* by commas."""
        groups = [np.fromstring(text, dtype=np.int64, sep=",") for text in joined.values()]
        numbers = np.concatenate([np.empty(0, dtype=np.int64), *groups])
        places = np.repeat(np.arange(len(groups), dtype=np.int8), [len(group) for group in groups])
        order = np.argsort(numbers)
        return cls(numbers[order], places[order], tuple(joined))

    def among(self, numbers: Sequence[int]) -> "Members":
        """Return the members among *numbers*."""
        places = find(np.array(sorted({*numbers}), dtype=np.int64), self.numbers)
        places = places[places >= 0]
        return self._replace(numbers=self.numbers[places], categories=self.categories[places])


class LoadedVectors:
    """
    The codes of a source's vectors, read as they are needed.

    From the second query on they are kept until their block changes: a process that asks again will
    ask more, and one that asks once stays small.
    """

    def __init__(self, source: BlockSource) -> None:
        self.source = source
        self._queries = 0
        self._codes: dict[int, tuple[object, Codes]] = {}
        self._members: dict[tuple[int, EntryFilter], Members] = {}

    def members(self, only: EntryFilter) -> Members:
        """Return the entries of *only*, cached for the last filters until the store changes."""
        asked = (self.source.version(), only._replace(among=None))  # lists rarely repeat
        members = self._members.pop(asked, None) or Members.of(self.source.members(asked[1]))
        self._members[asked] = members
        while len(self._members) > KEPT:
            del self._members[next(iter(self._members))]
        return members if only.among is None else members.among(only.among)

    def codes(self, members: Members) -> Iterator[Codes]:
        """Yield the codes of *members*, and of others, in ascending order of blocks."""
        self._queries += 1
        blocks = self.source.blocks()
        self._codes = {number: kept for number, kept in self._codes.items() if number in blocks}
        if len(members.numbers) <= FEW_A_BLOCK * (len(blocks) - len(self._codes)):
            yield encode(self.rows_among(members.numbers))
            return
        for number, state in blocks.items():
            yield self._block(number, state)

    def rows_among(self, numbers: Numbers) -> VectorRows:
        """Return the vectors of a few entries, looked up one by one."""
        return rows_of(self.source.load(numbers.tolist()), self.source.dimensions)

    def _block(self, number: int, state: BlockState) -> Codes:
        stamp = ("version", self.source.version()) if state.stamp is None else state.stamp
        kept_stamp, kept = self._codes.get(number, (None, None))
        if kept is not None and kept_stamp == stamp:
            return kept
        codes = self._unpack(number, state) or encode(
            rows_of(self.source.load_block(number), self.source.dimensions)
        )
        if self._queries > 1:
            self._codes[number] = (stamp, codes)
        return codes

    def _unpack(self, number: int, state: BlockState) -> Codes | None:
        """Return a packed block, None if there is none with its stamp."""
        if not state.is_packed or state.stamp is None:
            return None
        codes = unpack(self.source.packed(number) or b"", state.stamp, self.source.dimensions)
        if codes is None:
            self.source.unpack(number)
        return codes


STEPS = 10**COSINE_DECIMALS


class NumpyMatches(Matches):
    """
    The stored vectors of some entries, scored against a query.

    Codes give bounds of scores. Only entries that the bounds can't exclude are scored, in float64
    from their float32 vectors, so matches and scores are those of comparing every vector. The
    statistics but for the best score are those of the codes' scores.
    """

    def __init__(self, loaded: LoadedVectors, members: Members, query: Vector) -> None:
        self._loaded = loaded
        self._members = members
        self._query: Floats = np.frombuffer(query, dtype=np.float32)
        self._exact: dict[int, float] = {}

    @override
    def count(self) -> int:
        return len(self._compared.numbers)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        scores = self._scored(self._compared.nearest(k, category))
        nearest = sorted(
            self._loaded.source.in_tie_order(list(scores)), key=lambda number: -scores[number]
        )
        return [IndexHit(number, scores[number]) for number in nearest[:k]]

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        wanted = np.array(sorted({*numbers}), dtype=np.int64)
        return self._scored(wanted[find(wanted, self._compared.numbers) >= 0])

    @override
    def statistics(self) -> ScoreStatistics:
        # Sums of whole millionths do not depend on the order of rows.
        steps = np.rint(self._compared.coarse * STEPS).astype(np.int64)
        if not len(steps):
            return ScoreStatistics()
        return ScoreStatistics(
            found=len(steps),
            total=int(steps.sum()) / STEPS,
            squares=int((steps * steps).sum()) / STEPS**2,
            best=self.top(1)[0].score,
            low=int(np.partition(steps, place_of_low(len(steps)))[place_of_low(len(steps))])
            / STEPS,
        )

    @cached_property
    def _compared(self) -> "_Compared":
        return _Compared(self._loaded.codes(self._members), self._members, self._query)

    def _scored(self, numbers: Numbers) -> dict[int, float]:
        left = np.array(
            [number for number in numbers.tolist() if number not in self._exact], dtype=np.int64
        )
        if len(left):
            rows = self._loaded.rows_among(left)
            products = rows.values.astype(np.float64) * self._query.astype(np.float64)
            cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
            self._exact.update(zip(rows.numbers.tolist(), cosines.tolist(), strict=True))
        return {number: self._exact[number] for number in numbers.tolist() if number in self._exact}


class _Compared:
    """
    The members that have a vector, compared with a query.

    Args:
        blocks: The codes of all *members*, and of others, in ascending order.
        members: The entries compared.
        query: A unit vector.

    Attributes:
        numbers: The numbers of the members with a vector, ascending.
        coarse: The score of each by its codes, float64.
    """

    def __init__(self, blocks: Iterable[Codes], members: Members, query: Floats) -> None:
        coded = QueryCodes.of(query)
        none = Codes.none(len(query))
        numbers, compared = [none.numbers], [none.compare(coded)]
        for block in blocks:  # each is dropped as soon as it is compared, unless it is kept
            numbers.append(block.numbers)
            compared.append(block.compare(coded))
        together = np.concatenate(numbers)
        places = find(together, members.numbers)
        inside = places >= 0
        self.numbers: Numbers = together[inside]
        self.coarse = np.concatenate([comparison.coarse for comparison in compared])[inside]
        self._scores = np.concatenate([comparison.scores for comparison in compared])[inside]
        self._errors = np.concatenate([comparison.errors for comparison in compared])[inside]
        self._categories = members.categories[places[inside]]
        self._names = members.names

    def nearest(self, k: int, category: Category | None) -> Numbers:
        """
        Return the entries that may be among the *k* best, ascending.

        With a category, only its entries count.
        """
        numbers, scores, errors = self.numbers, self._scores, self._errors
        if category is not None:
            own = np.zeros(len(numbers), dtype=bool)
            if category in self._names:
                own = self._categories == self._names.index(category)
            numbers, scores, errors = numbers[own], scores[own], errors[own]
        if len(numbers) > k:
            kth = np.partition(scores - errors, -k)[-k]
            numbers = numbers[scores + errors >= kth]
        return numbers
