"""The vector index in numpy, imported with the first query."""

import importlib.util
import os
import resource
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import NumpyMissingError, VectorIndexUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockSource, BlockState, VectorBlock, VectorIndex

if TYPE_CHECKING:
    from hardwon.adapters.numpy_index.blocks import (
        Admitted,
        Compared,
        Floats,
        LoadedVectors,
        NumpyMatches,
    )

MEGABYTE = 1_000_000
MIN_ADDRESS_SPACE = 400 * MEGABYTE
"""With less, numpy's OpenBLAS can't be loaded, or ends the process."""


EXACT_BLOCKS = 256
"""Blocks up to which every vector is compared by its code: 262,144 vectors."""

BLOCK_CPU_SECONDS, SIGNS_CPU_SECONDS = 0.001, 0.00025
"""Generous estimates for the codes, and the signs, of a packed block."""

SCORED_CPU_SECONDS = 0.1
"""The same for the vectors that are scored after signs, and the ranking."""


class NumpyVectorIndex(VectorIndex):
    """
    Nearest neighbours, exact by bounds from packed blocks.

    Entries that the bounds can't exclude are scored in float64. Loaded vectors are kept until their
    block changes. In a larger store than *exact_blocks*, signs of vectors tell which entries may be
    near, and a few are missed.
    """

    def __init__(self, source: BlockSource, exact_blocks: int = EXACT_BLOCKS) -> None:
        self._source = source
        self._exact_blocks = exact_blocks
        self._loaded: LoadedVectors | None = None

    @override
    def ensure_usable(self) -> None:
        if importlib.util.find_spec("numpy") is None:
            raise NumpyMissingError("numpy is not installed")
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY and limit < MIN_ADDRESS_SPACE:
            needed, megabyte = MIN_ADDRESS_SPACE // MEGABYTE, limit // MEGABYTE
            raise VectorIndexUnavailableError(
                f"numpy needs {needed} MB of address space, and `ulimit -v` allows {megabyte}"
            )

    @override
    def cpu_seconds(self) -> float:
        kept, blocks = self._loaded.kept if self._loaded else 0, len(self._source.blocks())
        if blocks <= self._exact_blocks:
            return BLOCK_CPU_SECONDS * (blocks - kept)
        return SCORED_CPU_SECONDS + SIGNS_CPU_SECONDS * (blocks - kept)

    @override
    def compare(
        self, query: Vector, only: EntryFilter, likely: Sequence[int] = ()
    ) -> "NumpyMatches":
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads cost more than the product
        try:  # numpy: a tenth of a second
            from hardwon.adapters.numpy_index.blocks import LoadedVectors, NumpyMatches  # noqa: PLC0415
        except ImportError as error:
            raise VectorIndexUnavailableError(f"numpy can't be loaded: {error}") from error
        self._loaded = self._loaded or LoadedVectors(self._source, self._exact_blocks, _by_signs)
        return NumpyMatches(self._loaded, self._loaded.admitted(only), query)


def _by_signs(
    loaded: "LoadedVectors",
    blocks: Mapping[int, BlockState],
    admitted: "Admitted",
    query: "Floats",
) -> "Compared":
    from hardwon.adapters.numpy_index.signs import BySigns, Signs  # noqa: PLC0415  # large stores

    return BySigns(loaded.in_form(Signs, blocks), admitted, query)


def pack_block(block: VectorBlock, stamp: int) -> bytes | None:
    """
    Return *block* as bytes that belong to *stamp*.

    It returns None if the block can't be packed, as without numpy.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from hardwon.adapters.numpy_index.signs import pack  # noqa: PLC0415  # numpy
    except ImportError:
        return None
    return pack(block, stamp)
