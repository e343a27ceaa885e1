import importlib.util
import os
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import NumpyMissingError, VectorIndexUnavailableError
from hardwon.domain.model.vector import Vector
from hardwon.ports.vector_source import VectorSource

if TYPE_CHECKING:
    from hardwon.adapters.numpy_index.matches import NumpyMatches


class NumpyVectorIndex:
    """
    Exact nearest neighbours by brute force.

    Args:
        source: Where the vectors are.

    """

    def __init__(self, source: VectorSource) -> None:
        self._source = source

    def ensure_usable(self) -> None:
        """Check that numpy is installed, without the cost of importing it."""
        if importlib.util.find_spec("numpy") is None:
            raise NumpyMissingError("numpy is not installed")

    def compare(self, query: Vector) -> "NumpyMatches":
        """Load the vectors and compare *query* with all of them."""
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a pool costs more than one product takes
        try:
            from hardwon.adapters.numpy_index.matches import NumpyMatches  # noqa: PLC0415  # numpy: a tenth of a second
        except ImportError as error:
            raise VectorIndexUnavailableError(f"numpy can't be loaded: {error}") from error
        return NumpyMatches(self._source, query)
