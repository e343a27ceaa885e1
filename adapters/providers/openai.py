"""Embeddings by OpenAI, and by every server that speaks its language."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.remote_embedder import RemoteEmbedder, indexed_rows
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.space import Space
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

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
