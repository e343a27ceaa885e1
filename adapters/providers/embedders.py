"""
Embeddings by Google's Gemini API (https://ai.google.dev/api/embeddings).

Embeddings by OpenAI, and by every server that speaks its language.

What every embedder on the network does alike; only the request and the shape of the answer differ.

Embeddings by Voyage AI (https://docs.voyageai.com/reference/embeddings-api).
"""

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import attrs

from hardwon.adapters.providers.errors import ProviderError, ProviderRateLimitedError, ProviderUnavailableError
from hardwon.adapters.providers.gemini_sdk import GeminiSdk
from hardwon.adapters.providers.http import Endpoint, JsonHttp, cut_to_tokens
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import EmbedderUnavailableError, RateLimitedError, UnusableVectorError
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx


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


GEMINI_URL = "https://generativelanguage.googleapis.com"
API_VERSION = "v1beta"


@attrs.frozen(kw_only=True)
class GeminiTasks:
    """How a Gemini model is told what a text is for: by a field of the request, or in the text itself."""

    scheme: str
    max_tokens: int
    document_type: str | None = None
    query_type: str | None = None
    document_prefix: str = ""
    query_prefix: str = ""


BY_FIELD = GeminiTasks(
    scheme="retrieval", max_tokens=2048, document_type="RETRIEVAL_DOCUMENT", query_type="RETRIEVAL_QUERY"
)
# The second generation takes no task type; the words are from its documentation.
BY_PREFIX = GeminiTasks(
    scheme="prefix",
    max_tokens=8000,
    document_prefix="title: none | text: ",
    query_prefix="task: search result | query: ",
)


class GeminiEmbedder(RemoteEmbedder):
    """
    Embeds documents with google-genai and queries with one plain request to the same method.

    The session hook asks for one query and has no second to spare for
    importing google-genai. Both ways lead to the same space.

    Args:
        api_key: The key, from `GEMINI_API_KEY`; without one, embedding raises.
        model: A Gemini embedding model.
        dimensions: Width of the vectors; the models make 3072 and shorten them well to 1536 and 768.
        base_url: Where the API is, without its version.
        transport: What to send through instead of the network.

    """

    max_texts = 100  # the API's own limit

    def __init__(
        self,
        api_key: str,
        model: str = "gemini-embedding-001",
        dimensions: int = 768,
        base_url: str = GEMINI_URL,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        endpoint = Endpoint(
            provider="Gemini",
            base_url=base_url,
            key=api_key,
            key_name="GEMINI_API_KEY",
            key_required=True,
            headers={"x-goog-api-key": api_key.strip()},
            way_out_of_404="check memory_embedding_model",
        )
        name = model.strip().removeprefix("models/")
        self._tasks = BY_PREFIX if name.startswith("gemini-embedding-2") else BY_FIELD
        self.max_tokens = self._tasks.max_tokens
        space = Space(provider="gemini", model=name, dimensions=dimensions, task_scheme=self._tasks.scheme)
        super().__init__(JsonHttp(endpoint, transport), space)
        self._sdk = GeminiSdk(self._http, API_VERSION)

    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        if task == "query":
            return [self._query_row(self._tasks.query_prefix + text, deadline) for text in texts]
        return self._sdk.embed(
            [self._tasks.document_prefix + text for text in texts],
            quote(self._space.model, safe=""),
            self._tasks.document_type,
            self._space.dimensions,
            deadline,
        )

    def _query_row(self, text: str, deadline: Deadline) -> Any:
        body = {
            "model": f"models/{self._space.model}",
            "content": {"parts": [{"text": text}]},
            "outputDimensionality": self._space.dimensions,
        }
        if self._tasks.query_type:
            body["taskType"] = self._tasks.query_type
        path = f"/{API_VERSION}/models/{quote(self._space.model, safe='')}:embedContent"
        answer = self._http.post(path, body, deadline)
        try:
            return answer["embedding"]["values"]
        except (KeyError, TypeError):
            return None


OPENAI_URL = "https://api.openai.com/v1"

DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


class OpenAiEmbedder(RemoteEmbedder):
    """
    Embeds texts with a model that knows no difference between documents and queries.

    Args:
        api_key: The key, from `OPENAI_API_KEY`; may be empty for another server than OpenAI's.
        model: The model's name.
        dimensions: Width of the vectors; None for what OpenAI's own models make, and only
            `text-embedding-3-*` can be asked for fewer.
        base_url: Where the API is, up to `/embeddings`.
        transport: What to send through instead of the network.

    Raises:
        EmbedderUnavailableError: the width of *model* is not known and not given.

    """

    max_texts = 128
    max_tokens = 8_000

    def __init__(
        self,
        api_key: str,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        base_url: str = OPENAI_URL,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        endpoint = Endpoint(
            provider="OpenAI",
            base_url=base_url,
            key=api_key,
            key_name="OPENAI_API_KEY",
            key_required=base_url.rstrip("/") == OPENAI_URL,
            headers={"Authorization": f"Bearer {api_key.strip()}"} if api_key.strip() else {},
            way_out_of_404="check memory_embedding_model",
        )
        space = Space(provider="openai", model=model, dimensions=dimensions or _known_dimensions(model))
        super().__init__(JsonHttp(endpoint, transport), space)

    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:  # noqa: ARG002  # knows no tasks
        body: dict[str, Any] = {"input": list(texts), "model": self._space.model, "encoding_format": "float"}
        if self._space.model.startswith("text-embedding-3-"):  # others refuse the field
            body["dimensions"] = self._space.dimensions
        return indexed_rows(self._http.post("/embeddings", body, deadline))


def _known_dimensions(model: str) -> int:
    if model not in DIMENSIONS:
        raise EmbedderUnavailableError(
            f"the dimensions of the model {model!r} are not known: name one of {', '.join(DIMENSIONS)}, or its dimensions"
        )
    return DIMENSIONS[model]


VOYAGE_URL = "https://api.voyageai.com/v1"


class VoyageEmbedder(RemoteEmbedder):
    """
    Embeds documents and queries with a Voyage model.

    Args:
        api_key: The key, from `VOYAGE_API_KEY`; without one, embedding raises.
        model: A Voyage model; `voyage-code-3` makes 256, 512, 1024 or 2048 dimensions.
        dimensions: Width of the vectors.
        base_url: Where the API is, up to `/embeddings`.
        transport: What to send through instead of the network.

    """

    max_texts = 128
    max_tokens = 32_000

    def __init__(
        self,
        api_key: str,
        model: str = "voyage-code-3",
        dimensions: int = 1024,
        base_url: str = VOYAGE_URL,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        endpoint = Endpoint(
            provider="Voyage",
            base_url=base_url,
            key=api_key,
            key_name="VOYAGE_API_KEY",
            key_required=True,
            headers={"Authorization": f"Bearer {api_key.strip()}"},
            way_out_of_404="check memory_embedding_model",
        )
        space = Space(provider="voyage", model=model, dimensions=dimensions, task_scheme="input_type")
        super().__init__(JsonHttp(endpoint, transport), space)

    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        body = {
            "input": list(texts),
            "model": self._space.model,
            "input_type": task,
            "output_dimension": self._space.dimensions,
            "truncation": True,
        }
        return indexed_rows(self._http.post("/embeddings", body, deadline))
