"""Run work in daemon threads, and memoise an embedder there."""

from array import array
from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import Generic, TypeVar

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Background, Embedder, Pending, Task
from hardwon.ports.override import override

T = TypeVar("T")


class Threads(Background):
    """A daemon thread for each piece of work."""

    @override
    def start(self, work: Callable[[], T]) -> Pending[T]:
        return _Work(work)

    @override
    def memoised(self, embedder: Embedder) -> Embedder:
        return _MemoisedEmbedder(embedder)


class _Work(Pending[T], Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._answer: list[T] = []
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, args=(work,), daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._error = TimeoutError(f"no thread for it: {error}")

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._answer.append(work())
        except Exception as error:  # noqa: BLE001  # raised in the thread that waits for the answer
            self._error = error

    @override
    def result(self, deadline: Deadline) -> T:
        if self._thread.ident is not None:
            self._thread.join(None if deadline.at == float("inf") else deadline.remaining())
        if self._error:
            raise self._error
        if not self._answer:
            raise TimeoutError("no answer in time")
        return self._answer[0]


class _MemoisedEmbedder(Embedder):
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._requests: dict[tuple[Task, tuple[str, ...]], _Work[list[Vector]]] = {}
        self._late = set[tuple[Task, tuple[str, ...]]]()
        self._lock = Lock()

    @property
    @override
    def space(self) -> Space:
        return self._embedder.space

    @property
    @override
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        key = (task, tuple(texts))
        with self._lock:
            if key not in self._requests:
                self._requests[key] = _Work(lambda: self._embedder.embed(texts, task, deadline))
        try:
            answer = self._requests[key].result(
                deadline.within(0) if key in self._late else deadline
            )
        except TimeoutError as error:
            self._late.add(key)
            raise EmbedderUnavailableError(f"{self.space.model} did not answer in time") from error
        return [array("f", vector) for vector in answer]
