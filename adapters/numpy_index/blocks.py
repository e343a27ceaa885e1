"""Blocks of vectors as numpy arrays: exact float32 rows, and int8 codes that bound each score. The packed form of codes."""

import struct
import zlib
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hardwon.domain.model.embedding import COSINE_DECIMALS
from hardwon.ports.vectors import VectorBlock

Floats: TypeAlias = NDArray[np.float32]
Seqs: TypeAlias = NDArray[np.int64]

LONGEST = 1.001
"""The length of a unit vector, with room for rounding; a longer one is not packed."""

UNIT_ROUNDOFF = 2.0**-24
"""The relative error of one float32 operation."""

HALF_A_STEP: float = 0.5 / 10**COSINE_DECIMALS
CHUNK = 256
"""Rows that are made float32 at once: more no longer fit the processor's cache."""

ROOM = 1e-7  # for the rounding of the bounds themselves


def find(wanted: Seqs, seqs: Seqs) -> NDArray[np.intp]:
    """Return the place of each of *wanted* in *seqs*, which ascend, -1 where it is not in it."""
    # Not np.isin: that imports numpy.ma, a twentieth of a session start.
    if not len(seqs):
        return np.full(len(wanted), -1)
    places = np.searchsorted(seqs, wanted).clip(max=len(seqs) - 1)
    return np.where(seqs[places] == wanted, places, -1)


class Bounds(NamedTuple):
    """
    The scores of a block's rows against a query.

    Attributes:
        scores: float32, close to the exact scores.
        errors: float32, the upper bounds of how far they are from the exact scores, rounded to 1e-6.

    """

    scores: Floats
    errors: Floats

    @classmethod
    def none(cls) -> "Bounds":
        """Return the bounds of no row."""
        return cls(np.empty(0, dtype=np.float32), np.empty(0, dtype=np.float32))


class Rows(NamedTuple):
    """
    The vectors of a block.

    Attributes:
        seqs: The numbers of the rows' entries, ascending, int64.
        values: float32, a row for an entry.

    """

    seqs: Seqs
    values: Floats

    def bounds(self, query: Floats) -> Bounds:
        """Return the scores against a unit vector."""
        # A dot product for each row: as fast as one for all rows, and independent of the position of a row.
        scores = (self.values[:, np.newaxis, :] @ query[:, np.newaxis]).ravel()
        return Bounds(scores, np.full(len(scores), _rounding(len(query)), dtype=np.float32))

    def among(self, seqs: Seqs) -> "Rows":
        """Return the rows of those of *seqs*, ascending, that are here."""
        places = find(seqs, self.seqs)
        places = places[places >= 0]
        return Rows(self.seqs[places], self.values[places])


class Codes(NamedTuple):
    """
    The vectors of a block, each rounded to whole multiples of its scale.

    Attributes:
        seqs: The numbers of the rows' entries, ascending, int64.
        scales: float32, of each row.
        residuals: float32, the length of what each row lost by rounding, rounded up.
        values: int8, a row for an entry.

    """

    seqs: Seqs
    scales: Floats
    residuals: Floats
    values: NDArray[np.int8]

    def bounds(self, query: Floats) -> Bounds:
        """Return the scores against a unit vector; by Cauchy and Schwarz none is off by more than its residual."""
        parts = [self.values[at : at + CHUNK].astype(np.float32) @ query for at in range(0, len(self.values), CHUNK)]
        scores = np.concatenate(parts) * self.scales
        length = max(1.0, float(np.linalg.norm(query.astype(np.float64))))
        return Bounds(scores, self.residuals * np.float32(length) + np.float32(_rounding(len(query))))


def _rounding(dimensions: int) -> float:
    """Return the upper bound of the error of a float32 product of two unit vectors, and of rounding scores."""
    return 2 * (dimensions + 4) * UNIT_ROUNDOFF + HALF_A_STEP + ROOM


def rows_of(block: VectorBlock, dimensions: int) -> Rows:
    """Return the vectors of *block* in the order of their entries; damaged ones are left out."""
    values = np.asarray(block.values, dtype=np.float32).reshape(len(block.seqs), dimensions)
    seqs = np.array(block.seqs, dtype=np.int64)
    sound = np.isfinite(values @ np.ones(dimensions, dtype=np.float32))
    if not sound.all():
        seqs, values = seqs[sound], values[sound]
    if (seqs[1:] > seqs[:-1]).all():
        return Rows(seqs, values)
    order = np.argsort(seqs)
    return Rows(seqs[order], values[order])


LARGEST_CODE = 127
VERSION = 1
HEADER = struct.Struct("<IIqII")
"""Version, checksum of all after it, stamp, number of rows, dimensions; then the fields of `Codes`, little-endian."""

AFTER_CHECKSUM = struct.calcsize("<II")
ROW_BYTES = 16  # of a number, a scale and a residual


def pack(block: VectorBlock, stamp: int) -> bytes | None:
    """Return the codes of *block* as bytes that belong to *stamp*; None if it has a vector that is no unit vector."""
    if not block.seqs:
        return None
    dimensions = len(block.values) // len(block.seqs)
    rows = rows_of(block, dimensions)
    exact = rows.values.astype(np.float64)
    if len(rows.seqs) < len(block.seqs) or (np.linalg.norm(exact, axis=1) > LONGEST).any():
        return None
    scales = (np.abs(rows.values).max(axis=1) / LARGEST_CODE).astype(np.float32)
    scales[scales == 0] = 1
    codes = np.rint(exact / scales[:, np.newaxis]).clip(-LARGEST_CODE, LARGEST_CODE)
    residuals = np.linalg.norm(exact - codes * scales[:, np.newaxis].astype(np.float64), axis=1) + ROOM
    body = b"".join(
        (
            rows.seqs.astype("<i8").tobytes(),
            scales.astype("<f4").tobytes(),
            residuals.astype("<f4").tobytes(),
            codes.astype(np.int8).tobytes(),
        )
    )
    header = HEADER.pack(VERSION, 0, stamp, len(rows.seqs), dimensions)
    checksum = zlib.crc32(body, zlib.crc32(header[AFTER_CHECKSUM:]))
    return HEADER.pack(VERSION, checksum, stamp, len(rows.seqs), dimensions) + body


def unpack(packed: bytes, stamp: int, dimensions: int) -> Codes | None:
    """Return the codes that `pack` made; None if they are damaged, of another version or width, or do not belong to *stamp*."""
    if len(packed) < HEADER.size:
        return None
    version, checksum, own_stamp, count, width = HEADER.unpack_from(packed)
    if (version, own_stamp, width) != (VERSION, stamp, dimensions):
        return None
    if len(packed) != HEADER.size + count * (ROW_BYTES + width):
        return None
    if zlib.crc32(memoryview(packed)[AFTER_CHECKSUM:]) != checksum:
        return None
    seqs, scales = HEADER.size, HEADER.size + 8 * count
    return Codes(
        np.frombuffer(packed, "<i8", count, seqs),
        np.frombuffer(packed, "<f4", count, scales),
        np.frombuffer(packed, "<f4", count, scales + 4 * count),
        np.frombuffer(packed, np.int8, count * width, scales + 8 * count).reshape(count, width),
    )
