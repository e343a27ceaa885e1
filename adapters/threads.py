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

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    @override
    def result(self, deadline: Deadline) -> T:
        if self._thread.ident is not None:
            self._thread.join(None if deadline.at == float("inf") else deadline.remaining())
        if self._error:
            raise self._error
        if not self._answer:
            raise TimeoutError("no answer in time")
        return self._answer[0]


MEMOISED = 16
"""
The number of requests kept.

A command that fails again asks the same as before.
"""


class _Request:
    def __init__(self, embed: Callable[[], list[Vector]], deadline: Deadline) -> None:
        self._work = _Work(embed)
        self._deadline = deadline
        self._is_late = False

    def is_void(self) -> bool:
        """Return whether it has failed, and those who asked with it no longer wait."""
        return self._work.has_failed and self._deadline.passed()

    def answer(self, deadline: Deadline) -> list[Vector]:
        try:
            return self._work.result(deadline.within(0) if self._is_late else deadline)
        except TimeoutError:
            self._is_late = True
            raise


class _MemoisedEmbedder(Embedder):
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._requests: dict[tuple[Task, tuple[str, ...]], _Request] = {}
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
        try:
            answer = self._request(texts, task, deadline).answer(deadline)
        except TimeoutError as error:
            raise EmbedderUnavailableError(f"{self.space.model} did not answer in time") from error
        return [array("f", vector) for vector in answer]

    def _request(self, texts: Sequence[str], task: Task, deadline: Deadline) -> _Request:
        key = (task, tuple(texts))
        with self._lock:
            request = self._requests.pop(key, None)
            if request is None or request.is_void():
                request = _Request(lambda: self._embedder.embed(texts, task, deadline), deadline)
            self._requests[key] = request
            if len(self._requests) > MEMOISED:
                del self._requests[next(iter(self._requests))]
        return request
