"""The semantic similarity of texts, for cutting conversations by topic."""

from array import array
from collections.abc import Callable, Sequence

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, cosine, unit
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.ports.embedder import Embedder

EMBED_SECONDS = 10.0
REMEMBERED = 32
"""The number of cached texts; those of a chunk are compared repeatedly."""


class TextSimilarity:
    """
    Compares texts by their vectors; returns None from the embedder's first failure on.

    Args:
        embedder: Makes their vectors.
        monotonic: A clock that never goes back, in seconds.

    """

    def __init__(self, embedder: Embedder, monotonic: Callable[[], float]) -> None:
        self._embedder = embedder
        self._monotonic = monotonic
        self._known = dict[str, Vector]()
        self._has_failed = False

    def __call__(self, several: Sequence[str], one: str) -> float | None:
        """Return the cosine similarity of the mean of *several* texts and *one*, None if the embedder failed."""
        if self._has_failed:
            return None
        try:
            self._embed([*several, one])
            mean = unit(_sum([self._known[text] for text in several]), self._embedder.space.dimensions)
        except EmbedderError:
            self._has_failed = True
            return None
        return cosine(mean, self._known[one])

    def _embed(self, texts: Sequence[str]) -> None:
        """Add the vectors of *texts* to the cache, and evict the oldest."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        deadline = Deadline.after(EMBED_SECONDS, self._monotonic)
        self._known.update(zip(missing, embed_documents(self._embedder, missing, deadline), strict=True))
        for text in [text for text in self._known if text not in texts][: max(0, len(self._known) - REMEMBERED)]:
            del self._known[text]


def _sum(vectors: Sequence[Vector]) -> Vector:
    return array("f", map(sum, zip(*vectors, strict=True)))
