"""Texts to unit vectors: the one place where vectors are brought to length 1."""

from collections.abc import Sequence

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import UnusableVectorError
from hardwon.domain.model.vector import Vector, unit
from hardwon.ports.embedder import Embedder


def embed_documents(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
    """
    Return the unit vectors of *texts*, in order.

    Raises:
        EmbedderError: the embedder gave no usable answer for one of them.
    """
    vectors = embedder.embed(texts, "document", deadline)
    if len(vectors) != len(texts):
        raise UnusableVectorError(f"{embedder.space.model} answered {len(texts)} texts with {len(vectors)} vectors")
    return [unit(vector, embedder.space.dimensions) for vector in vectors]


def embed_query(embedder: Embedder, text: str, deadline: Deadline) -> Vector:
    """
    Return the unit vector of a search text.

    Raises:
        EmbedderError: the embedder gave no usable answer.
    """
    [vector] = embedder.embed([text], "query", deadline)
    return unit(vector, embedder.space.dimensions)
