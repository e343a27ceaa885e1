"""Embedding vectors as arrays of float32, and the identity of their model."""

import math
from array import array
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hardwon.domain.model.errors import UnusableVectorError


class Space(NamedTuple):
    """
    The identity of an embedding model.

    Vectors of two spaces are never compared.

    Attributes:
        provider: `local`, or the name of a provider on the network.
        task_scheme: How documents and queries are embedded differently, `none` if they are not.
        weights_hash: sha256 of the weights where hardwon has them, else empty.
    """

    provider: str
    model: str
    dimensions: int
    task_scheme: str = "none"
    weights_hash: str = ""


ENGLISH_MODELS = ("all-minilm", "nomic-embed-text", "mxbai-embed-large")
"""Prefixes of models that know English alone."""


def knows_english_only(space: Space) -> bool:
    """Return whether the model can't distinguish texts without spaces."""
    return space.model.lower().startswith(ENGLISH_MODELS)


if TYPE_CHECKING:
    Vector: TypeAlias = array[float]
else:
    Vector = array  # takes no type argument before Python 3.12
"""`array('f')`. In the store and in every index it is L2-normalised."""

SMALLEST_NORM = 1e-9
COSINE_DECIMALS = 6


def unit(vector: Vector, dimensions: int) -> Vector:
    """
    Return *vector* scaled to length 1, idempotent.

    Raises:
        UnusableVectorError: it has not *dimensions* values, one is not finite, or its norm is below
            1e-9.
    """
    if len(vector) != dimensions:
        raise UnusableVectorError(f"expected {dimensions} dimensions, got {len(vector)}")
    norm = math.hypot(*vector)
    if not math.isfinite(norm):
        raise UnusableVectorError("the vector holds values that are not finite")
    if norm < SMALLEST_NORM:
        raise UnusableVectorError("the vector is zero")
    return array("f", [value / norm for value in vector])


def cosine(left: Vector, right: Vector) -> float:
    """
    Return the cosine similarity of two unit vectors, rounded to 1e-6.

    Summed in float64 in a fixed order, so that a ranking never depends on the position of a row in
    a matrix.
    """
    return round(math.fsum(map(mul, left, right)), COSINE_DECIMALS)
