"""Embeddings by a model that Ollama runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from hardwon.adapters.providers.ollama_server import PullProgress, has_model, model_name, ollama_http, pull
from hardwon.adapters.providers.provider_errors import ProviderError
from hardwon.adapters.providers.remote_embedder import RemoteEmbedder, embedder_errors
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.space import Space
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx  # loaded with the first request only

DEFAULT_HOST = "http://localhost:11434"


@attrs.frozen
class OllamaModel:
    """What has to be known of a model to use it well: its width, its limit, and how it wants to be asked."""

    dimensions: int
    max_tokens: int
    document_prefix: str = ""
    query_prefix: str = ""

    @property
    def task_scheme(self) -> str:
        """How a document and a query are told apart."""
        return "prefix" if self.document_prefix or self.query_prefix else "none"

    def prefix(self, task: Task) -> str:
        """Return what stands before a text of *task*."""
        return self.query_prefix if task == "query" else self.document_prefix


# Limits are those of Ollama's own files for them; the prefixes are from the models' cards.
MODELS = {
    "nomic-embed-text": OllamaModel(768, 2048, "search_document: ", "search_query: "),
    "mxbai-embed-large": OllamaModel(1024, 512, "", "Represent this sentence for searching relevant passages: "),
    "all-minilm": OllamaModel(384, 256),
}
UNKNOWN_MODEL_TOKENS = 8192
RESERVED_TOKENS = 24
"""For the longest prefix, as `cut_to_tokens` counts it, and for the model's own begin and end."""


class OllamaEmbedder(RemoteEmbedder):
    """
    Embeds documents and queries on the user's own machine.

    Args:
        host: Where Ollama listens, in any form of `OLLAMA_HOST`.
        model: A model's name with or without a tag.
        dimensions: Width of the vectors of a model that `MODELS` does not hold.
        transport: What to send through instead of the network.

    Raises:
        EmbedderUnavailableError: the width of *model* is neither known nor given.

    """

    # On a processor alone, more would not be done in the 30 s of a request.
    max_texts = 16
    max_characters = 20_000

    def __init__(
        self,
        host: str = DEFAULT_HOST,
        model: str = "nomic-embed-text",
        dimensions: int | None = None,
        transport: "httpx.BaseTransport | None" = None,
    ) -> None:
        name = model_name(model)
        self._model = _model(name, dimensions)
        self.max_tokens = self._model.max_tokens - RESERVED_TOKENS
        space = Space(
            provider="ollama",
            model=name,
            dimensions=self._model.dimensions,
            task_scheme=self._model.task_scheme,
        )
        super().__init__(ollama_http(host, name, transport), space)

    def is_available(self, deadline: Deadline) -> bool:
        """Tell whether Ollama runs and has the model."""
        return self._has_model(deadline, if_unknown=False)

    def lacks_model(self, deadline: Deadline) -> bool:
        """Tell whether Ollama runs without the model, so that it can be pulled."""
        return not self._has_model(deadline, if_unknown=True)

    def pull(self, progress: PullProgress | None = None) -> None:
        """
        Download the model, however long it takes.

        Raises:
            EmbedderError: Ollama does not run, has no such model, or broke off.
        """
        with embedder_errors():
            pull(self._http, self._space.model, progress)

    def _has_model(self, deadline: Deadline, *, if_unknown: bool) -> bool:
        try:
            return has_model(self._http, self._space.model, deadline)
        except ProviderError:
            return if_unknown

    def _rows(self, texts: Sequence[str], task: Task, deadline: Deadline) -> Any:
        prefix = self._model.prefix(task)
        body = {"model": self._space.model, "input": [prefix + text for text in texts], "truncate": True}
        answer = self._http.post("/api/embed", body, deadline)
        return answer.get("embeddings") if isinstance(answer, dict) else None


def _model(name: str, dimensions: int | None) -> OllamaModel:
    known = MODELS.get(name.partition(":")[0])
    if known:
        return attrs.evolve(known, dimensions=dimensions or known.dimensions)
    if not dimensions:
        raise EmbedderUnavailableError(
            f"the dimensions of the model {name!r} are not known: name one of {', '.join(MODELS)}, or its dimensions"
        )
    return OllamaModel(dimensions, UNKNOWN_MODEL_TOKENS)
