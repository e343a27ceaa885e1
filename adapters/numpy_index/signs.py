"""
Estimate scores by one bit a dimension.

It is for stores that are too large to read every code. The bits are the signs of what a vector has
beside its block's centre. The entries with the highest estimates are scored by their vectors. Few are
missed: docs/performance.md says how many.

Sources: the estimate is that of RaBitQ (Gao and Long, 2024), without its rotation.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hardwon.adapters.numpy_index.blocks import (
    HEADER,
    WITH_SIGNS,
    WORD_BYTES,
    Admitted,
    Codes,
    Compared,
    Floats,
    Numbers,
    VectorRows,
    bytes_of_signs,
    crc_of_sums,
    find,
    pack_codes,
    rows_of,
    sealed,
    words_of,
)
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import MAX_BLOCK_VECTORS, BlockSource, VectorBlock

Words: TypeAlias = NDArray[np.uint64]

LEVELS = 4
"""Levels of a query's values. They weigh 1, 3, 5 and 7 half steps."""

LARGE = 0.97
"""The part of a query's values below the end of the last step."""


class QuerySigns(NamedTuple):
    """
    A query, to be compared with signs.

    Attributes:
        exact: The query.
        values: A bit a dimension, uint64 of shape `(words, 1)`.
        planes: Of each bit of a dimension's level, which dimensions have it, like `values`.
        half_step: The value of a weight of 1.
        length: The sum of all weights.
    """

    exact: Floats
    values: Words
    planes: tuple[Words, ...]
    half_step: np.float32
    length: int

    @classmethod
    def of(cls, query: Floats) -> Self:
        """Return a unit vector's signs and levels."""
        sizes = np.abs(query)
        step = (np.sort(sizes)[int(LARGE * len(sizes))] or sizes.max()) / LEVELS
        levels = np.minimum(sizes / step, LEVELS - 1).astype(np.uint8)
        return cls(
            exact=query,
            values=_words(query[np.newaxis] > 0),
            planes=tuple(_words((levels & bit > 0)[np.newaxis]) for bit in (1, 2)),
            half_step=np.float32(step / 2),
            length=int(np.add.reduce(2 * levels + 1, dtype=np.int64)),
        )


class Signs:
    """
    The signs of the vectors of some entries, from their centre.

    Attributes:
        numbers: Entry numbers, ascending, int64.
        values: A bit a dimension, set if the vector's value is above the centre's, uint64 of shape
            `(words, entries)`.
        factors: float32, by which the product of a row's signs and a query is multiplied.
        centre: float32, the mean of the vectors.
    """

    __slots__ = ("__weakref__", "centre", "factors", "numbers", "values")

    def __init__(self, *, numbers: Numbers, values: Words, factors: Floats, centre: Floats) -> None:
        self.numbers = numbers
        self.values = values
        self.factors = factors
        self.centre = centre

    @classmethod
    def of(cls, rows: VectorRows) -> Self:
        """Return the signs of vectors, as their codes have them."""
        return cls.of_codes(Codes.of(rows))

    @classmethod
    def of_codes(cls, codes: Codes) -> Self:
        """Return the signs of *codes*."""
        vectors = codes.values * codes.scales[:, np.newaxis]
        centre = np.add.reduce(vectors) / np.float32(max(1, len(vectors)))
        beside = vectors - centre
        sums = np.add.reduce(np.abs(beside), axis=1)
        squares = np.add.reduce(beside * beside, axis=1)
        return cls(
            numbers=codes.numbers.copy(),
            values=_words(beside > 0),
            factors=np.divide(squares, sums, out=np.zeros_like(sums), where=sums > 0),
            centre=centre,
        )

    @classmethod
    def read(cls, source: BlockSource, number: int, stamp: int) -> Self | None:
        """
        Return the signs of a packed block, None if they do not fit.

        A block that was packed without signs is read whole.
        """
        dimensions = source.dimensions
        packed = source.packed(number, bytes_of_signs(MAX_BLOCK_VECTORS, dimensions)) or b""
        if len(packed) < HEADER.size:
            return None
        version, checksum, own_stamp, count, width = HEADER.unpack_from(packed)
        if version != WITH_SIGNS:
            codes = Codes.read(source, number, stamp)
            return None if codes is None else cls.of_codes(codes)
        packed = packed[: bytes_of_signs(count, width)]
        if (own_stamp, width, len(packed)) != (stamp, dimensions, bytes_of_signs(count, width)):
            return None
        if checksum != crc_of_sums(packed):
            return None
        words = HEADER.size + WORD_BYTES * count
        floats = words + WORD_BYTES * count * words_of(width)
        return cls(
            numbers=np.frombuffer(packed, "<i8", count, HEADER.size),
            values=np.frombuffer(packed, "<u8", count * words_of(width), words).reshape(-1, count),
            factors=np.frombuffer(packed, "<f4", count, floats),
            centre=np.frombuffer(packed, "<f4", width, floats + 4 * count),
        )

    def estimates(self, query: QuerySigns) -> Floats:
        """
        Return an estimate of each score.

        Of unit vectors with 384 dimensions it is mostly within 0.07 of the score.
        """
        unlike = self.values ^ query.values
        weights = _count(unlike)  # of the dimensions whose sign is not the query's
        for level, plane in enumerate(query.planes, 1):
            weights += _count(unlike & plane) << level
        products = query.length - 2 * weights.astype(np.float32)
        return self.centre @ query.exact + self.factors * products * query.half_step


def _words(bits: NDArray[np.bool_]) -> Words:
    """Return rows of *bits* as columns of words, filled up with zeros."""
    octets = np.packbits(bits, axis=1)
    filled = np.zeros((len(octets), words_of(bits.shape[1]) * WORD_BYTES), dtype=np.uint8)
    filled[:, : octets.shape[1]] = octets
    return np.ascontiguousarray(filled.view("<u8").T)


def _count(words: Words) -> NDArray[np.uint16]:
    """Return the number of bits that are set in each column."""
    if hasattr(np, "bitwise_count"):
        counts = np.bitwise_count(words)
    else:  # numpy 1
        octets = words.view(np.uint8).reshape(*words.shape, WORD_BYTES)
        counts = BITS_SET[octets].sum(axis=2, dtype=np.uint8)
    sums: NDArray[np.uint16] = np.add.reduce(counts, axis=0, dtype=np.uint16)
    return sums


BITS_SET = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


def pack(block: VectorBlock, stamp: int) -> bytes | None:
    """
    Return the signs and codes of *block* as bytes that belong to *stamp*.

    It returns None if a vector is damaged.
    """
    codes = pack_codes(block, stamp)
    if codes is None:
        return None
    dimensions = len(block.values) // len(block.numbers)
    signs = Signs.of(rows_of(block, dimensions))
    body = (
        signs.numbers.astype("<i8"),
        signs.values.astype("<u8"),
        signs.factors.astype("<f4"),
        signs.centre.astype("<f4"),
    )
    return sealed(body, version=WITH_SIGNS, stamp=stamp, dimensions=dimensions) + codes


SPARE, TIMES = 3072, 4
"""
Bounds of what is scored.

For the *k* best, these are the `SPARE + TIMES * k` highest estimates.
"""

SAMPLE, MANY = 768, 1 << 16
"""
Entries that are scored for statistics, and estimates that are scaled by them.

Their mean is within 0.005 of that of all.
"""


class BySigns(Compared):
    """
    Entries compared by signs.

    Args:
        blocks: The signs of all *admitted*, and of others, in ascending order.
        admitted: The entries compared.
        query: A unit vector.
    """

    def __init__(self, blocks: Iterable[Signs], admitted: Admitted, query: Floats) -> None:
        signs = QuerySigns.of(query)
        numbers, estimates = list[Numbers](), [np.empty(0, dtype=np.float32)]
        for block in blocks:
            numbers.append(block.numbers.copy())  # a view would keep the block
            estimates.append(block.estimates(signs))
        joined = np.concatenate(estimates)
        super().__init__(numbers, admitted, lower=joined, upper=joined)

    @override
    def nearest(self, k: int, category: Category | None) -> Numbers:
        return super().nearest(SPARE + TIMES * k, category)

    @override
    def sample(self, score: Callable[[Numbers], Mapping[int, float]]) -> NDArray[np.float64]:
        numbers, estimates = self.numbers, self.bounds.upper
        places = np.linspace(0, len(numbers) - 1, min(SAMPLE, len(numbers))).astype(int)
        scored = score(numbers[places])
        scores: NDArray[np.float64] = np.array([*scored.values()])
        if len(scores) in {0, len(numbers)}:
            return scores
        own = estimates[find(np.array([*scored]), numbers)]
        scale = scores.std() / (own.std() or 1)
        others: NDArray[np.float64] = estimates[:: 1 + len(numbers) // MANY] - own.mean()
        shifted: NDArray[np.float64] = scores.mean() + scale * others
        return shifted
