"""The embedding model."""

from collections.abc import Sequence
from typing import Literal, Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector

Task = Literal["document", "query"]


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def space(self) -> Space:
        """The space of every vector this embedder makes; cheap, loads no model."""
        ...

    @property
    def max_tokens(self) -> int:
        """The maximum number of tokens of a text; the rest is cut off."""
        ...

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector for each text, in the order of *texts*.

        The vectors are not normalised: callers scale them to unit length. No texts give
        no vectors. Long texts are cut at the model's limit.

        Raises:
            EmbedderUnavailableError: no answer before *deadline*, or no model.
            UnusableVectorError: the model's answer is not a list of vectors.
        """
        ...
