"""The vector index in numpy, imported with the first query."""

import importlib.util
import os
import resource
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import NumpyMissingError, VectorIndexUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.vectors import BlockSource, VectorBlock, VectorIndex

if TYPE_CHECKING:
    from hardwon.adapters.numpy_index.blocks import LoadedVectors, NumpyMatches

MEGABYTE = 1_000_000
MIN_ADDRESS_SPACE = 400 * MEGABYTE
"""With less, numpy's OpenBLAS can't be loaded, or ends the process."""


BLOCK_CPU_SECONDS = 0.001
"""A generous estimate for a packed block: it is read, checked and compared."""


class NumpyVectorIndex(VectorIndex):
    """
    Exact nearest neighbours by bounds from packed blocks.

    Entries that the bounds can't exclude are scored in float64. Loaded vectors are kept until their
    block changes.
    """

    def __init__(self, source: BlockSource) -> None:
        self._source = source
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
        kept = self._loaded.kept if self._loaded else 0
        return BLOCK_CPU_SECONDS * (len(self._source.blocks()) - kept)

    @override
    def compare(
        self, query: Vector, only: EntryFilter, likely: Sequence[int] = ()
    ) -> "NumpyMatches":
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads cost more than the product
        try:  # numpy: a tenth of a second
            from hardwon.adapters.numpy_index.blocks import LoadedVectors, NumpyMatches  # noqa: PLC0415
        except ImportError as error:
            raise VectorIndexUnavailableError(f"numpy can't be loaded: {error}") from error
        self._loaded = self._loaded or LoadedVectors(self._source)
        return NumpyMatches(self._loaded, self._loaded.admitted(only), query)


def pack_block(block: VectorBlock, stamp: int) -> bytes | None:
    """
    Return *block* as bytes that belong to *stamp*.

    It returns None if the block can't be packed, as without numpy.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from hardwon.adapters.numpy_index.blocks import pack  # noqa: PLC0415  # numpy
    except ImportError:
        return None
    return pack(block, stamp)
