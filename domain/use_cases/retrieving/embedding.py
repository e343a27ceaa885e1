"""Texts to unit vectors: the one place where vectors are brought to length 1."""

from collections.abc import Sequence

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.vector import Vector, unit
from hardwon.ports.embedder import Embedder, Task


def embed_documents(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
    """
    Return the unit vectors of *texts*, in order.

    Raises:
        EmbedderError: the embedder gave no usable answer for one of them.
    """
    return _embed(embedder, texts, "document", deadline)


def embed_query(embedder: Embedder, text: str, deadline: Deadline) -> Vector:
    """
    Return the unit vector of a search text.

    Raises:
        EmbedderError: the embedder gave no usable answer.
    """
    [vector] = _embed(embedder, [text], "query", deadline)
    return vector


def _embed(embedder: Embedder, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
    vectors = embedder.embed(texts, task, deadline)
    if len(vectors) != len(texts):
        raise EmbedderUnavailableError(
            f"{embedder.space.model} answered {len(texts)} texts with {len(vectors)} vectors"
        )
    return [unit(vector, embedder.space.dimensions) for vector in vectors]
