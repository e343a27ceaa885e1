"""Embedders and labelers that need no model."""

import hashlib
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import EmbedderUnavailableError, LabelerUnavailableError
from hardwon.ports.models import Embedder, KeywordLabeler, Task
from hardwon.ports.override import override
from tests.strategies import SPACE

LONGEST_WAIT = 5.0
"""Seconds until a deadlocked test gives up, so that it fails and does not hang."""


class PlantedEmbedder(Embedder):
    """Gives each text its planted vector, any other text one made of its hash; remembers what it was asked."""

    def __init__(self, planted: Mapping[str, Vector] | None = None, space: Space = SPACE) -> None:
        self._planted = planted or {}
        self._space = space
        self.asked: list[tuple[str, Task]] = []

    max_tokens = 256

    @property
    @override
    def space(self) -> Space:
        return self._space

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        del deadline
        self.asked += [(text, task) for text in texts]
        return [
            self._planted[text] if text in self._planted else self._of_hash(text) for text in texts
        ]

    def _of_hash(self, text: str) -> Vector:
        digest = hashlib.shake_128(text.encode()).digest(self._space.dimensions)
        return array("f", [byte - 127.5 for byte in digest])


def embed_by_words(_: object, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
    """Stand for `MiniLmEmbedder.embed`: texts are as near to each other as they have words in common."""
    del task, deadline
    return [_of_words(text.lower().split()) for text in texts]


def _of_words(words: Iterable[str], dimensions: int = 384) -> Vector:
    vector = array("f", [0.01] * dimensions)
    for word in words:
        vector[
            int.from_bytes(hashlib.md5(word.encode(), usedforsecurity=False).digest()[:4])
            % dimensions
        ] += 1.0
    return vector


class UnreliableEmbedder(Embedder):
    """Fails on the calls of these numbers, from 1; on all others it answers as *inner* does."""

    def __init__(self, inner: Embedder, *, failing: Iterable[int]) -> None:
        self._inner = inner
        self._failing = frozenset(failing)
        self._calls = 0

    @property
    @override
    def space(self) -> Space:
        return self._inner.space

    @property
    @override
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        self._calls += 1
        if self._calls in self._failing:
            raise EmbedderUnavailableError("no answer")
        return self._inner.embed(texts, task, deadline)


class HangingEmbedder(Embedder):
    """Answers nothing until `released` is set, at most `LONGEST_WAIT`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.released = threading.Event()

    @property
    @override
    def space(self) -> Space:
        return self._inner.space

    @property
    @override
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        if not self.released.wait(LONGEST_WAIT):
            raise EmbedderUnavailableError("never released")
        return self._inner.embed(texts, task, deadline)


class PlantedLabeler(KeywordLabeler):
    """Answers as planted, again and again; remembers whom it was asked about and the seconds it was given."""

    def __init__(self, *labels: str) -> None:
        self._labels = labels
        self.asked: list[Entry] = []
        self.seconds: list[float] = []

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        self.asked.append(entry)
        self.seconds.append(deadline.remaining())
        return list(self._labels)


class UnavailableLabeler(KeywordLabeler):
    """Never answers, after doing *work*."""

    def __init__(self, why: str = "no key", work: Callable[[], None] = lambda: None) -> None:
        self._why = why
        self._work = work
        self.asked: list[Entry] = []

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del deadline
        self.asked.append(entry)
        self._work()
        raise LabelerUnavailableError(self._why)


class HangingLabeler(KeywordLabeler):
    """Answers nothing until `released` is set."""

    def __init__(self) -> None:
        self.released = threading.Event()

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del entry, deadline
        self.released.wait()
        return ["late"]
