from array import array
from collections.abc import Sequence
from threading import Lock

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.domain.use_cases.retrieving.background import Background
from hardwon.ports.embedder import Embedder, Task


class AskedOnce:
    """
    An embedder that is asked the same at most once, whoever asks again: it shares the answer, or the trouble.

    Who did not answer in time once is not waited for again.

    Args:
        embedder: Who is asked.

    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asked: dict[tuple[Task, tuple[str, ...]], Background[list[Vector]]] = {}
        self._late = set[tuple[Task, tuple[str, ...]]]()
        self._lock = Lock()

    @property
    def space(self) -> Space:
        """The space of who is asked."""
        return self._embedder.space

    @property
    def max_tokens(self) -> int:
        """How much of a text counts."""
        return self._embedder.max_tokens

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector a text.

        Raises:
            EmbedderError: who is asked has none, or did not answer before *deadline*.
        """
        key = (task, tuple(texts))
        with self._lock:
            if key not in self._asked:
                self._asked[key] = Background(lambda: self._embedder.embed(texts, task, deadline))
        try:
            answer = self._asked[key].result(deadline.within(0) if key in self._late else deadline)
        except TimeoutError as error:
            self._late.add(key)
            raise EmbedderUnavailableError(f"{self.space.model} did not answer in time") from error
        return [array("f", vector) for vector in answer]
