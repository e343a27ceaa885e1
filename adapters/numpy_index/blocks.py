"""
Match a query against vectors, loaded block by block.

A vector is an exact float32 row and an int8 code that bounds scores; blocks of codes are packed
into bytes. Of a large store, `signs` reads one bit a dimension instead.
"""

import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.embedding import COSINE_DECIMALS, Vector
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics, place_of_low
from hardwon.domain.model.ranking.selection import best_hits
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockSource, BlockState, Matches, VectorBlock

Floats: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int64]

LONGEST = 1.001
"""Upper bound of a unit vector's length with rounding. A longer one is damaged."""

LARGEST_CODE = 127

HALF_A_STEP: float = 0.5 / 10**COSINE_DECIMALS
CHUNK = 256
"""Rows that are computed with at once: more no longer fit the processor's cache."""

ROOM = 5e-7  # for the rounding of the bounds themselves


def find(wanted: Numbers, numbers: Numbers) -> NDArray[np.intp]:
    """Return the places of *wanted* in ascending *numbers*, -1 if missing."""
    # Not np.isin: that imports numpy.ma, a twentieth of a session start.
    if not len(numbers):
        return np.full(len(wanted), -1)
    if np.array_equal(wanted, numbers):
        return np.arange(len(wanted))
    places = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[places] == wanted, places, -1)


class QueryCodes(NamedTuple):
    """
    A coded query.

    Attributes:
        values: Its codes, as whole floating-point numbers.
        scale: It is rounded to multiples of it.
        residual: Upper bound of the length of its rounding error.
        length: Its length, at least 1.
    """

    values: NDArray[np.floating[Any]]
    scale: float
    residual: float
    length: float

    @classmethod
    def of(cls, query: Floats) -> "QueryCodes":
        """Encode a unit vector."""
        coded = Codes.of(VectorRows(np.zeros(1, dtype=np.int64), query[np.newaxis]))
        # Sums of products of codes must be exact: float32 holds all integers below 2^24.
        product = np.float32 if len(query) * LARGEST_CODE**2 < 2**24 else np.float64
        return cls(
            coded.values[0].astype(product),
            scale=float(coded.scales[0]),
            residual=float(coded.residuals[0]),
            length=max(1.0, float(np.linalg.norm(query.astype(np.float64)))),
        )


class Comparison(NamedTuple):
    """
    The rows of a block, compared with a query.

    Attributes:
        scores: float64, the scores of the codes, independent of order and blocks.
        errors: float32, upper bounds of their distance from the exact scores (rounded to 1e-6).
    """

    scores: NDArray[np.float64]
    errors: Floats


class VectorRows(NamedTuple):
    """
    The vectors of some entries.

    Attributes:
        numbers: Entry numbers, ascending, int64.
        values: float32, a row for an entry.
    """

    numbers: Numbers
    values: Floats


class Codes:
    """
    The vectors of some entries, rounded to multiples of their scale.

    Attributes:
        numbers: Entry numbers, ascending, int64.
        scales: float32, of each row.
        residuals: float32, the length of each row's rounding error, rounded up.
        values: int8, a row for an entry.
    """

    __slots__ = ("__weakref__", "numbers", "residuals", "scales", "values")

    def __init__(
        self, *, numbers: Numbers, scales: Floats, residuals: Floats, values: NDArray[np.int8]
    ) -> None:
        self.numbers = numbers
        self.scales = scales
        self.residuals = residuals
        self.values = values

    @classmethod
    def of(cls, rows: VectorRows) -> Self:
        """Return the codes of *rows*."""
        scales = np.abs(rows.values).max(axis=1) / np.float32(LARGEST_CODE)
        scales[scales == 0] = 1
        codes = np.rint(rows.values / scales[:, np.newaxis]).clip(-LARGEST_CODE, LARGEST_CODE)
        lost = rows.values - codes * scales[:, np.newaxis]
        residuals = np.sqrt((lost * lost) @ np.ones(lost.shape[1], dtype=np.float32)) * np.float32(
            LONGEST
        ) + np.float32(ROOM)
        return cls(
            numbers=rows.numbers, scales=scales, residuals=residuals, values=codes.astype(np.int8)
        )

    @classmethod
    def read(cls, source: BlockSource, number: int, stamp: int) -> Self | None:
        """Return the codes of a packed block, as `unpack` does."""
        return cls.unpack(source.packed(number) or b"", stamp, source.dimensions)

    @classmethod
    def unpack(cls, packed: bytes, stamp: int, dimensions: int) -> Self | None:
        """
        Return the codes that `pack_codes` made for *stamp*.

        It returns None if they are damaged, of another version or width, or of another stamp.
        """
        packed = _after_signs(packed)
        if len(packed) < HEADER.size:
            return None
        version, checksum, own_stamp, count, width = HEADER.unpack_from(packed)
        if version not in CHECKSUMS or (own_stamp, width) != (stamp, dimensions):
            return None
        if len(packed) != HEADER.size + count * (ROW_BYTES + width):
            return None
        if checksum != CHECKSUMS[version](packed):
            return None
        numbers, scales = HEADER.size, HEADER.size + 8 * count
        return cls(
            numbers=np.frombuffer(packed, "<i8", count, numbers),
            scales=np.frombuffer(packed, "<f4", count, scales),
            residuals=np.frombuffer(packed, "<f4", count, scales + 4 * count),
            values=np.frombuffer(packed, np.int8, count * width, scales + 8 * count).reshape(
                count, width
            ),
        )

    def compare(self, query: QueryCodes) -> Comparison:
        """
        Return the scores against *query*, each within its error bound.

        The bound is that of both residuals, by Cauchy and Schwarz.
        """
        products = np.empty(len(self.values), dtype=query.values.dtype)
        room = np.empty((CHUNK, len(query.values)), dtype=query.values.dtype)
        for at in range(0, len(self.values), CHUNK):
            codes = self.values[at : at + CHUNK]
            chunk = room[: len(codes)]
            np.copyto(chunk, codes)
            np.dot(chunk, query.values, out=products[at : at + CHUNK])
        return Comparison(
            scores=products.astype(np.float64) * self.scales * query.scale,
            errors=self.residuals * np.float32(query.length + query.residual)
            + np.float32(query.residual * LONGEST + HALF_A_STEP + ROOM),
        )


def no_rows(dimensions: int) -> VectorRows:
    """Return no vectors."""
    return VectorRows(np.empty(0, dtype=np.int64), np.empty((0, dimensions), dtype=np.float32))


def rows_of(block: VectorBlock, dimensions: int) -> VectorRows:
    """
    Return the vectors of *block* in order of their entries.

    Damaged vectors are left out: they are longer than a unit vector.
    """
    values = np.asarray(block.values, dtype=np.float32).reshape(len(block.numbers), dimensions)
    numbers = np.array(block.numbers, dtype=np.int64)
    with np.errstate(all="ignore"):
        sound = (values * values) @ np.ones(dimensions, dtype=np.float32) <= LONGEST**2
    if not sound.all():
        numbers, values = numbers[sound], values[sound]
    if (numbers[1:] > numbers[:-1]).all():
        return VectorRows(numbers, values)
    order = np.argsort(numbers)
    return VectorRows(numbers[order], values[order])


VERSION = 2
WITH_SIGNS = 3
"""A block of `VERSION` that comes after the signs of its vectors."""

HEADER = struct.Struct("<IIqII")
"""Version, checksum, stamp, number of rows, dimensions. Then `Codes` or `Signs`, little-endian."""

AFTER_CHECKSUM = struct.calcsize("<II")
ROW_BYTES = 16  # of a number, a scale and a residual


def pack_codes(block: VectorBlock, stamp: int) -> bytes | None:
    """
    Return the codes of *block* as bytes that belong to *stamp*.

    It returns None if a vector is damaged.
    """
    if not block.numbers:
        return None
    dimensions = len(block.values) // len(block.numbers)
    codes = Codes.of(rows_of(block, dimensions))
    if len(codes.numbers) < len(block.numbers):
        return None
    body = (
        codes.numbers.astype("<i8"),
        codes.scales.astype("<f4"),
        codes.residuals.astype("<f4"),
        codes.values,
    )
    return sealed(body, version=VERSION, stamp=stamp, dimensions=dimensions)


def sealed(
    body: Sequence[NDArray[np.generic]], *, version: int, stamp: int, dimensions: int
) -> bytes:
    """
    Return *body* under a header with its checksum.

    It begins with the numbers of entries.
    """
    fields = stamp, len(body[0]), dimensions
    rest = b"".join(part.tobytes() for part in body)
    checksum = crc_of_sums(HEADER.pack(version, 0, *fields) + rest)
    return HEADER.pack(version, checksum, *fields) + rest


WORD_BYTES = 8


def words_of(dimensions: int) -> int:
    """Return how many words hold a bit for each dimension."""
    return -(-dimensions // (8 * WORD_BYTES))


def bytes_of_signs(count: int, dimensions: int) -> int:
    """Return the size of the signs of *count* vectors, with header, numbers and floats."""
    a_row = WORD_BYTES * (1 + words_of(dimensions)) + 4
    return HEADER.size + count * a_row + 4 * dimensions


def _crc_of_all(packed: bytes) -> int:
    """Return the checksum of version 1, which takes longer than to compare the vectors."""
    return zlib.crc32(memoryview(packed)[AFTER_CHECKSUM:])


def crc_of_sums(packed: bytes) -> int:
    """Return the checksum of version 2, of the sum and parity of whole words."""
    count = (len(packed) - HEADER.size) // WORD_BYTES
    words = np.frombuffer(packed, "<u8", count, HEADER.size)
    sums = struct.pack("<QQ", np.add.reduce(words), np.bitwise_xor.reduce(words))
    rest = packed[HEADER.size + count * WORD_BYTES :]
    return zlib.crc32(packed[AFTER_CHECKSUM : HEADER.size] + sums + rest)


CHECKSUMS = {1: _crc_of_all, VERSION: crc_of_sums}
"""The checksum of each version's blocks."""


def _after_signs(packed: bytes) -> bytes:
    """Return the part of a packed block that has the codes."""
    if len(packed) < HEADER.size:
        return packed
    version, _, _, count, dimensions = HEADER.unpack_from(packed)
    return packed[bytes_of_signs(count, dimensions) :] if version == WITH_SIGNS else packed


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


class Admitted:
    """
    The entries of a filter, read when they are first needed.

    Args:
        read: Returns them.
        are_all: Whether every vector belongs to them.
    """

    def __init__(self, read: Callable[[], Members], *, are_all: bool = False) -> None:
        self._read = read
        self.are_all = are_all

    @cached_property
    def members(self) -> Members:
        """The entries, with their categories."""
        return self._read()

    def places(self, numbers: Numbers) -> NDArray[np.intp]:
        """Return the places of *numbers* among them, -1 if missing."""
        return find(numbers, self.members.numbers)


class Bounded(NamedTuple):
    """
    Entries with bounds of their scores.

    Attributes:
        numbers: Their numbers, ascending.
    """

    numbers: Numbers
    lower: NDArray[np.floating[Any]]
    upper: NDArray[np.floating[Any]]

    def nearest(self, k: int) -> "Bounded":
        """Return those that may be among the *k* best."""
        if len(self.numbers) <= k:
            return self
        return self.at(self.upper >= np.partition(self.lower, -k)[-k])

    def at(self, places: NDArray[np.bool_] | slice) -> "Bounded":
        """Return those at some places."""
        return Bounded(self.numbers[places], self.lower[places], self.upper[places])


AHEAD = 4
"""The multiple of the wanted entries among which the next ones are looked for."""


class Compared(ABC):
    """
    The admitted entries that have a vector, compared with a query.

    Args:
        numbers: The numbers of all *admitted* that have a vector, and of others, ascending.
        admitted: The entries compared.
        lower: Lower bounds of the scores.
        upper: Upper bounds of the scores.

    Attributes:
        inside: Which of the given numbers are compared.
        bounds: The entries compared.
        numbers: Their numbers, ascending.
    """

    def __init__(
        self,
        numbers: Sequence[Numbers],
        admitted: Admitted,
        lower: NDArray[np.floating[Any]],
        upper: NDArray[np.floating[Any]],
    ) -> None:
        given = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
        self._admitted = admitted
        self.inside = slice(None) if admitted.are_all else admitted.places(given) >= 0
        self.bounds = Bounded(given, lower, upper).at(self.inside)
        self.numbers: Numbers = self.bounds.numbers
        self._near: dict[Category | None, tuple[int, Bounded]] = {}

    def nearest(self, k: int, category: Category | None) -> Numbers:
        """
        Return the entries that may be among the *k* best, ascending.

        With a category, only its entries count.
        """
        size, near = self._near.get(category, (-1, self.bounds))
        if k > size:
            size, near = AHEAD * k, self.bounds.at(self._of(category)).nearest(AHEAD * k)
            self._near[category] = size, near
        return near.nearest(k).numbers

    @abstractmethod
    def sample(self, score: Callable[[Numbers], Mapping[int, float]]) -> NDArray[np.float64]:
        """
        Return scores whose statistics are those of all.

        Args:
            score: Returns the exact scores of some entries.
        """

    def _of(self, category: Category | None) -> NDArray[np.bool_] | slice:
        """Return the places of the entries of *category*, of all for None."""
        if category is None:
            return slice(None)
        if category not in (names := self._admitted.members.names):
            return np.zeros(len(self.numbers), dtype=bool)
        own: NDArray[np.bool_] = self._categories == names.index(category)
        return own

    @cached_property
    def _categories(self) -> NDArray[np.int8]:
        """The place of each category in the names of all, -1 if missing."""
        places = self._admitted.places(self.numbers)
        return np.where(places >= 0, self._admitted.members.categories[places], np.int8(-1))


class ByCodes(Compared):
    """
    Entries compared by the codes of their vectors, which give bounds of scores.

    Args:
        blocks: The codes of all *admitted*, and of others, in ascending order.
        admitted: The entries compared.
        query: A unit vector.
    """

    def __init__(self, blocks: Iterable[Codes], admitted: Admitted, query: Floats) -> None:
        coded = QueryCodes.of(query)
        numbers, compared = list[Numbers](), [Codes.of(no_rows(len(query))).compare(coded)]
        for block in blocks:  # each is dropped as soon as it is compared, unless it is kept
            numbers.append(block.numbers.copy())  # a view would keep the packed block
            compared.append(block.compare(coded))
        scores = np.concatenate([part.scores for part in compared])
        errors = np.concatenate([part.errors for part in compared])
        super().__init__(numbers, admitted, lower=scores - errors, upper=scores + errors)
        self._scores = scores[self.inside]

    @override
    def sample(self, score: Callable[[Numbers], Mapping[int, float]]) -> NDArray[np.float64]:
        del score
        return self._scores


KEPT = 2
FEW_A_BLOCK = 64
"""
Up to so many entries of a block are looked up one by one.

More take longer than to scan the packed block.
"""

FEW_BESIDE_SIGNS = 8
"""The same, where only signs are read of a block."""


class Form(Protocol):
    """
    A form of the vectors of a block that is compared: `Codes`, or `signs.Signs`.

    Attributes:
        numbers: Entry numbers, ascending, int64.
    """

    numbers: Numbers

    @classmethod
    def of(cls, rows: VectorRows) -> Self:
        """Return the form of *rows*."""
        ...

    @classmethod
    def read(cls, source: BlockSource, number: int, stamp: int) -> Self | None:
        """Return a packed block in this form, None if it does not fit *stamp*."""
        ...


AnyForm = TypeVar("AnyForm", bound=Form)

SHARED = WeakValueDictionary[tuple[type[Form], int | None, int, int], Form]()
"""
The blocks that any index of this process keeps.

The key is a form, a block's stamp, its number and the dimensions. Stamps are random, so stores do
not share one.
"""


CompareLarge: TypeAlias = (
    "Callable[[LoadedVectors, Mapping[int, BlockState], Admitted, Floats], Compared]"
)
"""Compares the entries of many blocks."""


class LoadedVectors:
    """
    The vectors of a source in one form, read as they are needed.

    From the second query on they are kept until their block changes: a process that asks again will
    ask more, and one that asks once stays small.

    Args:
        source: The stored vectors.
        exact_blocks: Blocks up to which they are compared by codes.
        compare_large: Compares more than that.
    """

    def __init__(self, source: BlockSource, exact_blocks: int, compare_large: CompareLarge) -> None:
        self.source = source
        self._exact_blocks = exact_blocks
        self._compare_large = compare_large
        self._queries = 0
        self._kept: dict[int, tuple[object, Form]] = {}
        self._admitted: dict[tuple[int, EntryFilter], Admitted] = {}

    @property
    def kept(self) -> int:
        """The number of blocks that are kept."""
        return len(self._kept)

    def admitted(self, only: EntryFilter) -> Admitted:
        """Return the entries of *only*, cached until the store changes."""
        source = self.source  # not `self` in the lambda: a cycle would outlive its last user
        _, wanted = asked = (source.version(), only._replace(among=None))
        admitted = self._admitted.pop(asked, None) or Admitted(
            lambda: Members.of(source.members(wanted)), are_all=source.admits_all(wanted)
        )
        self._admitted[asked] = admitted
        while len(self._admitted) > KEPT:
            del self._admitted[next(iter(self._admitted))]
        among = only.among  # lists rarely repeat
        return admitted if among is None else Admitted(lambda: admitted.members.among(among))

    def compared(self, admitted: Admitted, query: Floats) -> Compared:
        """Return those *admitted*, compared with *query*."""
        self._queries += 1
        blocks = self.source.blocks()
        self._kept = {number: kept for number, kept in self._kept.items() if number in blocks}
        is_large = len(blocks) > self._exact_blocks
        unread = 0 if admitted.are_all else len(blocks) - len(self._kept)
        few = unread * (FEW_BESIDE_SIGNS if is_large else FEW_A_BLOCK)
        if few and len(numbers := admitted.members.numbers) <= few:
            return ByCodes([Codes.of(self.rows_among(numbers))], admitted, query)
        if is_large:
            return self._compare_large(self, blocks, admitted, query)
        return ByCodes(self.in_form(Codes, blocks), admitted, query)

    def in_form(self, form: type[AnyForm], blocks: Mapping[int, BlockState]) -> Iterator[AnyForm]:
        """Yield *blocks*, in ascending order."""
        for number, state in blocks.items():
            yield self._block(form, number, state)

    def rows_among(self, numbers: Numbers) -> VectorRows:
        """Return the vectors of a few entries, looked up one by one."""
        return rows_of(self.source.load(numbers.tolist()), self.source.dimensions)

    def _block(self, form: type[AnyForm], number: int, state: BlockState) -> AnyForm:
        stamp = ("version", self.source.version()) if state.stamp is None else state.stamp
        kept_stamp, kept = self._kept.get(number, (None, None))
        if isinstance(kept, form) and kept_stamp == stamp:
            return kept
        key = (form, state.stamp, number, self.source.dimensions)
        block = SHARED.get(key)
        if not isinstance(block, form):
            block = self._read(form, number, state)
        if self._queries > 1:
            self._kept[number] = (stamp, block)
            if state.stamp is not None:
                SHARED[key] = block
        return block

    def _read(self, form: type[AnyForm], number: int, state: BlockState) -> AnyForm:
        """Read a block, from its vectors if it is not packed under its stamp."""
        if state.is_packed and state.stamp is not None:
            packed = form.read(self.source, number, state.stamp)
            if packed is not None:
                return packed
            self.source.unpack(number)
        return form.of(rows_of(self.source.load_block(number), self.source.dimensions))


STEPS = 10**COSINE_DECIMALS


class NumpyMatches(Matches):
    """
    The stored vectors of some entries, scored against a query.

    Entries that the comparison can't exclude are scored, in float64 from their float32 vectors. By
    codes, matches and scores are those of comparing every vector; by signs, some may be missed.
    """

    def __init__(self, loaded: LoadedVectors, admitted: Admitted, query: Vector) -> None:
        self._loaded = loaded
        self._admitted = admitted
        self._query: Floats = np.frombuffer(query, dtype=np.float32)
        self._exact: dict[int, float] = {}

    @override
    def count(self) -> int:
        return len(self._compared.numbers)

    @override
    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        scores = self._scored(self._compared.nearest(k, category))
        return best_hits(scores, k, self._loaded.source.in_tie_order)

    @override
    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        wanted = np.array(sorted({*numbers}), dtype=np.int64)
        return self._scored(wanted[find(wanted, self._compared.numbers) >= 0])

    @override
    def statistics(self) -> ScoreStatistics:
        return self._statistics

    @cached_property
    def _statistics(self) -> ScoreStatistics:
        # Sums of whole millionths do not depend on the order of rows.
        steps = np.rint(self._compared.sample(self._scored) * STEPS).astype(np.int64)
        if not len(steps):
            return ScoreStatistics()
        found = self.count()
        return ScoreStatistics(
            found=found,
            total=int(steps.sum()) / STEPS * (found / len(steps)),
            squares=int((steps * steps).sum()) / STEPS**2 * (found / len(steps)),
            best=self.top(1)[0].score,
            low=int(np.partition(steps, place_of_low(len(steps)))[place_of_low(len(steps))])
            / STEPS,
        )

    @cached_property
    def _compared(self) -> Compared:
        return self._loaded.compared(self._admitted, self._query)

    def _scored(self, numbers: Numbers) -> dict[int, float]:
        left = np.array(
            [number for number in numbers.tolist() if number not in self._exact], dtype=np.int64
        )
        for at in range(0, len(left), CHUNK):
            rows = self._loaded.rows_among(left[at : at + CHUNK])
            products = rows.values.astype(np.float64) * self._query.astype(np.float64)
            cosines = np.round(products.sum(axis=1), COSINE_DECIMALS)
            self._exact.update(zip(rows.numbers.tolist(), cosines.tolist(), strict=True))
        return {number: self._exact[number] for number in numbers.tolist() if number in self._exact}
