"""Embeddings by Voyage AI (https://docs.voyageai.com/reference/embeddings-api)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hardwon.adapters.providers.endpoint import Endpoint
from hardwon.adapters.providers.http import JsonHttp
from hardwon.adapters.providers.remote_embedder import RemoteEmbedder, indexed_rows
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.space import Space
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

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
