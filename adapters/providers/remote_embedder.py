"""What every embedder on the network does alike; only the request and the shape of the answer differ."""

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.provider_errors import ProviderError, ProviderRateLimitedError, ProviderUnavailableError
from hardwon.adapters.providers.token_limit import cut_to_tokens
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError, RateLimitedError, UnusableVectorError
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector
from hardwon.ports.embedder import Task


@contextmanager
def embedder_errors() -> Iterator[None]:
    """Raise a `ProviderError` from within as the port's error with the same message."""
    try:
        yield
    except ProviderRateLimitedError as error:
        raise RateLimitedError(str(error), error.retry_after) from error
    except ProviderUnavailableError as error:
        raise EmbedderUnavailableError(str(error)) from error
    except ProviderError as error:
        raise UnusableVectorError(str(error)) from error


class RemoteEmbedder(ABC):
    """
    An `Embedder` that asks a provider over HTTP; touches no network before the first text.

    Subclasses name the limits of one request and send it.
    """

    max_texts: int
    """Texts in one request."""
    max_characters = 100_000
    """Characters in one request, unless a single text is longer."""
    max_tokens: int
    """Tokens of one text; what is beyond is cut off."""

    def __init__(self, http: JsonHttp, space: Space) -> None:
        self._http = http
        self._space = space

    @property
    def space(self) -> Space:
        """The space of every vector from this model; free to ask."""
        return self._space

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector a text, in order, as the model made it.

        A request takes 30 s at most. A blank text means no request at all.

        Raises:
            EmbedderUnavailableError: no key, no network, refused, or not there before *deadline*.
            RateLimitedError: the provider wants fewer requests.
            UnusableVectorError: a text is blank, or the answer is not one vector of finite
                numbers, as wide as the space, for each text.
        """
        if not all(text.strip() for text in texts):
            raise UnusableVectorError("a blank text has no vector")
        vectors: list[Vector] = []
        for batch in self._batches([cut_to_tokens(_encodable(text), self.max_tokens) for text in texts]):
            with embedder_errors():
                rows = self._rows(batch, task, deadline)
            vectors += self._vectors(rows, len(batch))
        return vectors

    @abstractmethod
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        """Ask for the vectors of *texts*; return what should be a list of lists of numbers, in order."""

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        begin = characters = 0
        for index, text in enumerate(texts):
            full = index - begin == self.max_texts or characters + len(text) > self.max_characters
            if full and index > begin:
                yield texts[begin:index]
                begin, characters = index, 0
            characters += len(text)
        if texts:
            yield texts[begin:]

    def _vectors(self, rows: Any, expected: int) -> list[Vector]:
        if not isinstance(rows, list) or len(rows) != expected:
            got = f"{len(rows)} vectors" if isinstance(rows, list) else "no list of vectors"
            raise self._unusable(f"{got} for {expected} texts")
        return [self._vector(row) for row in rows]

    def _vector(self, row: Any) -> Vector:
        if not isinstance(row, list) or not {type(value) for value in row} <= {int, float}:
            raise self._unusable("a vector that is no list of numbers")
        if len(row) != self._space.dimensions:
            raise self._unusable(f"a vector of {len(row)} dimensions, not {self._space.dimensions}")
        try:
            vector = array("f", row)
        except OverflowError as error:
            raise self._unusable("a vector with numbers too large") from error
        if not all(map(math.isfinite, vector)):
            raise self._unusable("a vector with values that are not finite")
        return vector

    def _unusable(self, what: str) -> UnusableVectorError:
        return UnusableVectorError(self._http.endpoint.says(f"answered for {self._space.model!r} with {what}"))


def indexed_rows(answer: Any) -> Any:
    """Return the vectors of an answer in OpenAI's shape, in the order of their `index`."""
    try:
        return [row["embedding"] for row in sorted(answer["data"], key=lambda row: int(row["index"]))]
    except (KeyError, TypeError, ValueError):
        return None


def _encodable(text: str) -> str:
    # A lone surrogate, which neither JSON nor google-genai takes, becomes a question mark.
    return text.encode(errors="replace").decode()
