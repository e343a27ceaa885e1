"""
Vectors as exact float32 rows and as int8 codes that bound scores.

Blocks of codes are packed into bytes here too.
"""

import struct
import zlib
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.embedding import COSINE_DECIMALS
from hardwon.ports.vectors import VectorBlock

Floats: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int64]

LONGEST = 1.001
"""Upper bound of a unit vector's length with rounding. A longer one is damaged."""

LARGEST_CODE = 127

UNIT_ROUNDOFF = 2.0**-24
"""The relative error of one float32 operation."""

HALF_A_STEP: float = 0.5 / 10**COSINE_DECIMALS
CHUNK = 256
"""Rows that are made float32 at once: more no longer fit the processor's cache."""

ROOM = 5e-7  # for the rounding of the bounds themselves


def find(wanted: Numbers, numbers: Numbers) -> NDArray[np.intp]:
    """Return the places of *wanted* in ascending *numbers*, -1 if missing."""
    # Not np.isin: that imports numpy.ma, a twentieth of a session start.
    if not len(numbers):
        return np.full(len(wanted), -1)
    places = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[places] == wanted, places, -1)


class QueryCodes(NamedTuple):
    """
    A query, exact and coded.

    Attributes:
        exact: float32, a unit vector.
        codes: The query, rounded to whole multiples of its scale.
        scale: A step of the codes.
    """

    exact: Floats
    codes: NDArray[np.int8]
    scale: float

    @classmethod
    def of(cls, query: Floats) -> "QueryCodes":
        """Encode a unit vector."""
        coded = encode(VectorRows(np.zeros(1, dtype=np.int64), query[np.newaxis]))
        return cls(query, coded.values[0], float(coded.scales[0]))


class Comparison(NamedTuple):
    """
    The rows of a block, compared with a query.

    Attributes:
        scores: float32, close to the exact scores.
        errors: float32, upper bounds of their distance from the exact scores (rounded to 1e-6).
        coarse: float64, the scores of the query's codes, independent of order and blocks.
    """

    scores: Floats
    errors: Floats
    coarse: NDArray[np.float64]


class VectorRows(NamedTuple):
    """
    The vectors of some entries.

    Attributes:
        numbers: Entry numbers, ascending, int64.
        values: float32, a row for an entry.
    """

    numbers: Numbers
    values: Floats


class Codes(NamedTuple):
    """
    The vectors of some entries, each rounded to whole multiples of its scale.

    Attributes:
        numbers: Entry numbers, ascending, int64.
        scales: float32, of each row.
        residuals: float32, the length of each row's rounding error, rounded up.
        values: int8, a row for an entry.
    """

    numbers: Numbers
    scales: Floats
    residuals: Floats
    values: NDArray[np.int8]

    @classmethod
    def none(cls, dimensions: int) -> "Codes":
        """Return codes without rows."""
        return encode(
            VectorRows(np.empty(0, dtype=np.int64), np.empty((0, dimensions), dtype=np.float32))
        )

    def compare(self, query: QueryCodes) -> Comparison:
        """
        Return the scores against *query*, each within its error bound.

        The bound is the residual's, by Cauchy and Schwarz.
        """
        dimensions = len(query.exact)
        # Sums of products of codes must be exact: float32 holds all integers below 2^24.
        product: type[np.floating[Any]] = (
            np.float32 if dimensions * LARGEST_CODE**2 < 2**24 else np.float64
        )
        both = np.stack((query.exact, query.codes), axis=1).astype(product)
        chunks = [
            self.values[at : at + CHUNK].astype(product) @ both
            for at in range(0, len(self.values), CHUNK)
        ]
        products = np.concatenate([np.empty((0, 2), dtype=product), *chunks])
        length = max(1.0, float(np.linalg.norm(query.exact.astype(np.float64))))
        return Comparison(
            scores=products[:, 0].astype(np.float32) * self.scales,
            errors=self.residuals * np.float32(length) + np.float32(_rounding(dimensions)),
            coarse=products[:, 1].astype(np.float64) * self.scales * query.scale,
        )


def _rounding(dimensions: int) -> float:
    """Bound the error of a float32 product of unit vectors and of rounded scores."""
    return 2 * (dimensions + 4) * UNIT_ROUNDOFF + HALF_A_STEP + ROOM


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


def encode(rows: VectorRows) -> Codes:
    """Return the codes of vectors."""
    scales = np.abs(rows.values).max(axis=1) / np.float32(LARGEST_CODE)
    scales[scales == 0] = 1
    codes = np.rint(rows.values / scales[:, np.newaxis]).clip(-LARGEST_CODE, LARGEST_CODE)
    lost = rows.values - codes * scales[:, np.newaxis]
    residuals = np.sqrt((lost * lost) @ np.ones(lost.shape[1], dtype=np.float32)) * np.float32(
        LONGEST
    ) + np.float32(ROOM)
    return Codes(
        numbers=rows.numbers, scales=scales, residuals=residuals, values=codes.astype(np.int8)
    )


VERSION = 1
HEADER = struct.Struct("<IIqII")
"""Version, checksum of the rest, stamp, number of rows, dimensions. Then `Codes`, little-endian."""

AFTER_CHECKSUM = struct.calcsize("<II")
ROW_BYTES = 16  # of a number, a scale and a residual


def pack(block: VectorBlock, stamp: int) -> bytes | None:
    """
    Return the codes of *block* as bytes that belong to *stamp*.

    It returns None if a vector is damaged.
    """
    if not block.numbers:
        return None
    dimensions = len(block.values) // len(block.numbers)
    codes = encode(rows_of(block, dimensions))
    if len(codes.numbers) < len(block.numbers):
        return None
    body = b"".join(
        (
            codes.numbers.astype("<i8").tobytes(),
            codes.scales.astype("<f4").tobytes(),
            codes.residuals.astype("<f4").tobytes(),
            codes.values.tobytes(),
        )
    )
    header = HEADER.pack(VERSION, 0, stamp, len(codes.numbers), dimensions)
    checksum = zlib.crc32(body, zlib.crc32(header[AFTER_CHECKSUM:]))
    return HEADER.pack(VERSION, checksum, stamp, len(codes.numbers), dimensions) + body


def unpack(packed: bytes, stamp: int, dimensions: int) -> Codes | None:
    """
    Return the codes that `pack` made for *stamp*.

    It returns None if they are damaged, of another version or width, or of another stamp.
    """
    if len(packed) < HEADER.size:
        return None
    version, checksum, own_stamp, count, width = HEADER.unpack_from(packed)
    if (version, own_stamp, width) != (VERSION, stamp, dimensions):
        return None
    if len(packed) != HEADER.size + count * (ROW_BYTES + width):
        return None
    if zlib.crc32(memoryview(packed)[AFTER_CHECKSUM:]) != checksum:
        return None
    numbers, scales = HEADER.size, HEADER.size + 8 * count
    return Codes(
        numbers=np.frombuffer(packed, "<i8", count, numbers),
        scales=np.frombuffer(packed, "<f4", count, scales),
        residuals=np.frombuffer(packed, "<f4", count, scales + 4 * count),
        values=np.frombuffer(packed, np.int8, count * width, scales + 8 * count).reshape(
            count, width
        ),
    )
