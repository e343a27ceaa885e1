"""
Embeddings by a model that Ollama runs.

A running Ollama: where it is, and which models it holds (https://docs.ollama.com/api).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from hardwon.adapters.providers.embedders import RemoteEmbedder, embedder_errors
from hardwon.adapters.providers.errors import ProviderAnswerUnusableError, ProviderError, ProviderUnavailableError
from hardwon.adapters.providers.http import Endpoint, JsonHttp
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.embedder import Task

if TYPE_CHECKING:
    import httpx

DEFAULT_PORT = 11434
PORT_OF_SCHEME = {"http": 80, "https": 443}
# A server listens on these for everybody, but nobody can connect to them.
LISTENING_ONLY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # not bound to, replaced

PullProgress = Callable[[str, int, int], None]
"""Told what is being done, and how many bytes of how many of the present file are there; 0 of 0 when unknown."""


def ollama_http(host: str, model: str, transport: "httpx.BaseTransport | None" = None) -> JsonHttp:
    """Return what talks to the Ollama at *host*, in the form of `OLLAMA_HOST`, about *model*."""
    endpoint = Endpoint(
        provider="Ollama",
        base_url=ollama_url(host),
        way_out_of_404=f"run `ollama pull {model}`",
        way_out_when_down="start it with `ollama serve` or set OLLAMA_HOST",
    )
    return JsonHttp(endpoint, transport)


def ollama_url(host: str) -> str:
    """
    Return the address that *host* means, read as Ollama reads `OLLAMA_HOST`.

    Without a scheme the port is 11434, with one the scheme's own; an address
    to listen on becomes this machine's.
    """
    scheme, found, rest = host.strip().partition("://")
    if not found:
        scheme, rest = "http", host.strip()
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port or (PORT_OF_SCHEME.get(scheme, DEFAULT_PORT) if found else DEFAULT_PORT)
    except ValueError:
        return f"{scheme}://{rest}"  # the first request says that it can't be used
    name = LISTENING_ONLY.get(parts.hostname or "", parts.hostname or "")
    return f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"


def model_name(model: str) -> str:
    """Return *model* without the tag `:latest`, which is what no tag means."""
    return model.strip().removesuffix(":latest")


def has_model(http: JsonHttp, model: str, deadline: Deadline) -> bool:
    """
    Tell whether Ollama holds *model*.

    Raises:
        ProviderError: Ollama does not run, or did not answer before *deadline*.
    """
    answer = http.get("/api/tags", deadline)
    models = answer.get("models") if isinstance(answer, dict) else None
    names = [entry.get("name") for entry in models or [] if isinstance(entry, dict)]
    return model_name(model) in [model_name(name) for name in names if isinstance(name, str)]


def pull(http: JsonHttp, model: str, progress: PullProgress | None = None) -> None:
    """
    Download *model*; what was cut off before goes on where it stopped.

    Raises:
        ProviderError: Ollama does not run, has no such model, or broke off.
    """
    status = ""
    for event in http.stream("/api/pull", {"model": model, "stream": True}):
        status = _status(http, event)
        if progress:
            progress(status, *(event.get(name) or 0 for name in ("completed", "total")))
    if status != "success":
        raise ProviderUnavailableError(http.endpoint.says(f"broke off the download of {model!r}, try again", status))


def _status(http: JsonHttp, event: Any) -> str:
    if not isinstance(event, dict):
        raise ProviderAnswerUnusableError(http.endpoint.says("reported on a download in an unknown form", str(event)))
    if error := event.get("error"):
        raise ProviderUnavailableError(http.endpoint.says("could not download the model", str(error)))
    return str(event.get("status", ""))


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
