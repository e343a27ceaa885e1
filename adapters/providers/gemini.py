"""Embeddings by Google's Gemini API (https://ai.google.dev/api/embeddings)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import attrs

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.gemini_sdk import GeminiSdk
from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.remote_embedder import RemoteEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.space import Space
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

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
