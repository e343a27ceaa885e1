"""Embedders on the network, and the cut of long texts."""

import math
import re
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from hardwon.adapters.providers.endpoint import (
    ProviderAnswerUnusableError,
    ProviderError,
    endpoint_of,
)
from hardwon.adapters.providers.gemini_sdk import GeminiSdk
from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.ollama import PullProgress, has_model, model_name, ollama_url, pull
from hardwon.adapters.providers.table import GEMINI, OLLAMA, OPENAI, VOYAGE, Provider
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import EmbedderUnavailableError, UnusableVectorError
from hardwon.ports.models import Embedder, Task
from hardwon.ports.override import override

if TYPE_CHECKING:
    import httpx

PIECE = re.compile(r"[A-Za-z]{1,3}|[^\sA-Za-z]")
"""
Estimate of a token: three ASCII letters, or any other character but white space.

English has about 4.4 characters a token and is cut at two thirds of the limit; code, digits and
Chinese have one or two. Ollama since 0.13.5 refuses an overlong text whatever `truncate` says
(ollama/ollama#14186), so the count errs on that side.
"""


def cut_to_tokens(text: str, limit: int) -> str:
    """Cut *text* to at most *limit* estimated tokens."""
    if len(text) <= limit:
        return text
    first_too_many = next(islice(PIECE.finditer(text), limit, None), None)
    return text if first_too_many is None else text[: first_too_many.start()].rstrip()


class RemoteEmbedder(Embedder):
    """
    An embedder that asks a provider over HTTP.

    A request takes 30 s at most; a blank text is not sent. Subclasses name their provider and send
    the request.

    Args:
        api_key: If the provider needs one and it is empty, embedding raises.
        model: Empty for the provider's default.
        dimensions: 0 for the model's own.
        base_url: The address of the API, empty for the provider's own.
        transport: Replaces the network.

    Raises:
        EmbedderUnavailableError: the width of *model* is neither known nor given.
    """

    provider: ClassVar[Provider]

    def __init__(
        self,
        api_key: str = "",
        model: str = "",
        dimensions: int = 0,
        base_url: str = "",
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        name = self._name(model or self.provider.model)
        self._model = self.provider.model_named(name)
        width = dimensions or self._model.dimensions
        if not width:
            raise EmbedderUnavailableError(
                f"the dimensions of the model {name!r} are not known: "
                f"name one of {', '.join(self.provider.models)}, or its dimensions"
            )
        self._space = Space(
            provider=self.provider.name,
            model=name,
            dimensions=width,
            task_scheme=self._model.task_scheme,
        )
        url = self._address(base_url or self.provider.url)
        self._http = JsonHttp(endpoint_of(self.provider, api_key, url=url, model=name), transport)

    @property
    @override
    def space(self) -> Space:
        return self._space

    @property
    @override
    def max_tokens(self) -> int:
        return self._model.max_tokens

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        if not all(text.strip() for text in texts):
            raise UnusableVectorError("a blank text has no vector")
        vectors: list[Vector] = []
        for batch in self._batches(
            [cut_to_tokens(_encodable(text), self.max_tokens) for text in texts]
        ):
            rows = self._rows(batch, task, deadline)
            vectors += self._vectors(rows, len(batch))
        return vectors

    @abstractmethod
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        """Request vectors and return them in the order of *texts*, unchecked."""

    def _name(self, model: str) -> str:
        return model

    def _address(self, url: str) -> str:
        return url

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        begin = characters = 0
        for index, text in enumerate(texts):
            full = (
                index - begin == self.provider.max_texts
                or characters + len(text) > self.provider.max_characters
            )
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

    def _unusable(self, found: str) -> ProviderAnswerUnusableError:
        return ProviderAnswerUnusableError(
            self._http.endpoint.says(f"answered for {self._space.model!r} with {found}")
        )


class GeminiEmbedder(RemoteEmbedder):
    """
    Embeddings by Google's Gemini API (https://ai.google.dev/api/embeddings).

    Documents go through google-genai, queries do not: the session hook asks for one query and has
    no second to spare for that import. Both use the same method of the API, so the space is the
    same.
    """

    provider = GEMINI
    version = "v1beta"

    @override
    def _name(self, model: str) -> str:
        return model.strip().removeprefix("models/")

    @cached_property
    def _sdk(self) -> GeminiSdk:
        return GeminiSdk(self._http, self.version)

    @override
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        prefix, task_type = self._model.prefixes.get(task, ""), self._model.task_types.get(task)
        prefixed = [prefix + text for text in texts]
        if task == "query":
            return [self._query_row(text, task_type, deadline) for text in prefixed]
        model = quote(self._space.model, safe="")
        return self._sdk.embed(
            prefixed,
            model,
            task_type=task_type,
            dimensions=self._space.dimensions,
            deadline=deadline,
        )

    def _query_row(self, text: str, task_type: str | None, deadline: Deadline) -> Any:
        body = {
            "model": f"models/{self._space.model}",
            "content": {"parts": [{"text": text}]},
            "outputDimensionality": self._space.dimensions,
        }
        if task_type:
            body["taskType"] = task_type
        path = f"/{self.version}/models/{quote(self._space.model, safe='')}:embedContent"
        answer = self._http.post(path, body, deadline)
        try:
            return answer["embedding"]["values"]
        except (KeyError, TypeError):
            return None


class OllamaEmbedder(RemoteEmbedder):
    """
    Embeddings by a model that Ollama runs on the user's machine.

    Its address has any form of `OLLAMA_HOST`.
    """

    provider = OLLAMA

    def is_available(self, deadline: Deadline) -> bool:
        """Return whether Ollama runs and has the model."""
        return self._has_model(deadline, if_unknown=False)

    def lacks_model(self, deadline: Deadline) -> bool:
        """Return whether Ollama runs but lacks the model."""
        return not self._has_model(deadline, if_unknown=True)

    def pull(self, progress: PullProgress | None = None) -> None:
        """Download the model, without a time limit."""
        pull(self._http, self._space.model, progress)

    @override
    def _name(self, model: str) -> str:
        return model_name(model)

    @override
    def _address(self, url: str) -> str:
        return ollama_url(url)

    def _has_model(self, deadline: Deadline, *, if_unknown: bool) -> bool:
        try:
            return has_model(self._http, self._space.model, deadline)
        except ProviderError:
            return if_unknown

    @override
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        prefix = self._model.prefixes.get(task, "")
        body = {
            "model": self._space.model,
            "input": [prefix + text for text in texts],
            "truncate": True,
        }
        answer = self._http.post("/api/embed", body, deadline)
        return answer.get("embeddings") if isinstance(answer, dict) else None


class OpenAiEmbedder(RemoteEmbedder):
    """Embeddings by OpenAI or a server with its API."""

    provider = OPENAI

    @override
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:  # knows no tasks
        body: dict[str, Any] = {
            "input": list(texts),
            "model": self._space.model,
            "encoding_format": "float",
        }
        if self._space.model.startswith("text-embedding-3-"):  # others refuse the field
            body["dimensions"] = self._space.dimensions
        return _indexed_rows(self._http.post("/embeddings", body, deadline))


class VoyageEmbedder(RemoteEmbedder):
    """
    Embeddings by Voyage AI, with 256 to 2048 dimensions.

    See https://docs.voyageai.com/reference/embeddings-api.
    """

    provider = VOYAGE

    @override
    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        body = {
            "input": list(texts),
            "model": self._space.model,
            "input_type": task,
            "output_dimension": self._space.dimensions,
            "truncation": True,
        }
        return _indexed_rows(self._http.post("/embeddings", body, deadline))


EMBEDDERS: Mapping[str, type[RemoteEmbedder]] = {
    embedder.provider.name: embedder
    for embedder in (GeminiEmbedder, OllamaEmbedder, OpenAiEmbedder, VoyageEmbedder)
}


def embedder_of(
    provider: str, environ: Mapping[str, str], model: str, dimensions: int
) -> RemoteEmbedder:
    """Return a provider's embedder, with key and address from the environment."""
    kind = EMBEDDERS[provider]
    key, url = (
        environ.get(name, "") for name in (kind.provider.key_variable, kind.provider.url_variable)
    )
    return kind(api_key=key, model=model, dimensions=dimensions, base_url=url)


def _indexed_rows(answer: Any) -> Any:
    """Return the vectors of an answer in OpenAI's shape, in order of their `index`."""
    try:
        return [
            row["embedding"] for row in sorted(answer["data"], key=lambda row: int(row["index"]))
        ]
    except (KeyError, TypeError, ValueError):
        return None


def _encodable(text: str) -> str:
    # A lone surrogate, which neither JSON nor google-genai takes, becomes a question mark.
    return text.encode(errors="replace").decode()
