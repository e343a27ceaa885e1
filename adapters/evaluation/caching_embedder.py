import hashlib
import json
from collections.abc import Mapping, Sequence

from hardwon.adapters.evaluation.vector_cache import VectorCache
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError, UnusableVectorError
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector, unit
from hardwon.ports.embedder import Embedder, Task


class CachingEmbedder:
    """
    Embeds each text once: in this process, and, as far as the cache can be used, in any.

    Args:
        inner: Makes the vectors.
        cache: Keeps them.

    """

    def __init__(self, inner: Embedder, cache: VectorCache) -> None:
        self._inner = inner
        self._cache = cache
        self._known: dict[bytes, Vector] = {}

    @property
    def space(self) -> Space:
        """The space of the embedder behind."""
        return self._inner.space

    @property
    def max_tokens(self) -> int:
        """How much of a text the embedder behind takes in."""
        return self._inner.max_tokens

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector a text, as the embedder behind made it now or earlier.

        Raises:
            EmbedderUnavailableError: the embedder behind is asked and raises it.
            UnusableVectorError: likewise.
        """
        keys = [self._key(text, task) for text in texts]
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        kept = self._cache.find(unknown, self.space.dimensions)
        made = self._make({key: text for key, text in unknown.items() if key not in kept}, task, deadline)
        self._known |= {**kept, **made}
        return [self._known[key] for key in keys]

    def _make(self, missing: Mapping[bytes, str], task: Task, deadline: Deadline) -> Mapping[bytes, Vector]:
        if not missing:
            return {}
        vectors = self._inner.embed(list(missing.values()), task, deadline)
        if len(vectors) != len(missing):
            raise EmbedderUnavailableError(
                f"{self.space.model} answered {len(missing)} texts with {len(vectors)} vectors"
            )
        made = dict(zip(missing, vectors, strict=True))
        self._cache.keep({key: vector for key, vector in made.items() if self._is_usable(vector)})
        return made

    def _is_usable(self, vector: Vector) -> bool:
        try:
            return bool(unit(vector, self.space.dimensions))
        except UnusableVectorError:  # the next run may be luckier
            return False

    def _key(self, text: str, task: Task) -> bytes:
        """Return what stands for *text* in this space; the text itself can't be read out of it."""
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return hashlib.sha256(json.dumps([*self.space, sha256, task]).encode()).digest()
