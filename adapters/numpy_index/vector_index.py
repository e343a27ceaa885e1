"""The vector index; numpy is imported with the first query."""

import importlib.util
import os
import resource
from typing import TYPE_CHECKING

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import NumpyMissingError, VectorIndexUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.vectors import VectorIndex, VectorSource

if TYPE_CHECKING:
    from hardwon.adapters.numpy_index.matches import NumpyMatches, VectorRows

KEPT = 2
MEGABYTE = 1_000_000
MIN_ADDRESS_SPACE = 400 * MEGABYTE
"""With less, numpy's OpenBLAS ends the process while it is loaded, or can't be mapped."""


class NumpyVectorIndex(VectorIndex):
    """
    Exact nearest neighbours by brute force.

    Loaded vectors are cached until the version of the source changes.

    Args:
        source: Of the vectors.

    """

    def __init__(self, source: VectorSource) -> None:
        self._source = source
        self._version = -1
        self._loaded: dict[EntryFilter, VectorRows] = {}

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
    def compare(self, query: Vector, only: EntryFilter) -> "NumpyMatches":
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a thread pool costs more than the product
        try:
            from hardwon.adapters.numpy_index.matches import NumpyMatches  # noqa: PLC0415  # numpy: a tenth of a second
        except ImportError as error:
            raise VectorIndexUnavailableError(f"numpy can't be loaded: {error}") from error
        return NumpyMatches(self._rows(only), self._source, query)

    def _rows(self, only: EntryFilter) -> "VectorRows":
        from hardwon.adapters.numpy_index.matches import load_rows  # noqa: PLC0415  # numpy

        version = self._source.version()
        if version != self._version:
            self._loaded.clear()
            self._version = version
        asked = only._replace(among=None)  # rarely the same in two queries
        rows = self._loaded.pop(asked, None) or load_rows(self._source, asked)
        self._loaded[asked] = rows
        while len(self._loaded) > KEPT:
            del self._loaded[next(iter(self._loaded))]
        return rows if only.among is None else rows.among(only.among)
