"""Embedders, labelers and embedding spaces, as the settings and the user's environment choose them; none is asked here."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, KINDS, Kind
from hardwon.domain.use_cases.retrieve import SemanticSearch
from hardwon.ports.embedder import Embedder

if TYPE_CHECKING:
    from hardwon.ports.embedder import DownloadableEmbedder
    from hardwon.ports.keyword_labeler import KeywordLabeler

AUTO, LOCAL, OFF = "auto", "local", "off"

KEY_NAMES = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY", "voyage": "VOYAGE_API_KEY"}
"""Provider to the variable that holds its key; the others need none."""

DEFAULT_OLLAMA_LABELS = "llama3.2"

OLLAMA_MODELS: Mapping[str, tuple[Kind, ...]] = {
    "nomic-embed-text": ("learning", "document"),
    "all-minilm": ("session",),
    "mxbai-embed-large": CONVERSATION_KINDS,
}
"""The models of Ollama when none is named, and what each embeds."""


def choose_automatically(environ: Mapping[str, str]) -> str:
    """Return the provider that `auto` means in this environment: Gemini where its key is, else the embedded model."""
    return "gemini" if environ.get(KEY_NAMES["gemini"], "").strip() else LOCAL


def providers_in_order(settings: Settings, chosen: str) -> Sequence[str]:
    """
    Return the providers whose spaces are searched and kept up to date, the first that answers counts.

    Args:
        settings: A provider named there means that one only.
        chosen: What `auto` was decided to be; the embedded model stands behind it.

    """
    if settings.embedding_provider == OFF:
        return ()
    if settings.embedding_provider != AUTO:
        return (settings.embedding_provider,)
    return tuple(dict.fromkeys((chosen, LOCAL)))


def build_embedder(provider: str, settings: Settings, environ: Mapping[str, str]) -> Embedder:
    """
    Return the embedder of *provider*; a missing key or server shows when it is asked to embed.

    Raises:
        EmbedderUnavailableError: the width of the model's vectors is not known.
    """
    chosen = {"model": settings.embedding_model, "dimensions": settings.embedding_dimensions}
    return BUILDERS[provider](environ, {name: value for name, value in chosen.items() if value})


def build_embedders(
    provider: str, settings: Settings, environ: Mapping[str, str]
) -> Sequence[tuple[Embedder, tuple[Kind, ...]]]:
    """
    Return the embedders of *provider*, each with the kinds of entries it is for.

    One is for all, but for Ollama when no model is named: there each collection has its own (rule U-5).

    Raises:
        EmbedderUnavailableError: the width of the model's vectors is not known.
    """
    if provider != "ollama" or settings.embedding_model:
        return [(build_embedder(provider, settings, environ), KINDS)]
    return [
        (build_embedder(provider, settings._replace(embedding_model=model), environ), kinds)
        for model, kinds in OLLAMA_MODELS.items()
    ]


def _local(_: Mapping[str, str], __: Mapping[str, Any]) -> Embedder:
    from hardwon.adapters.minilm.embedder import MiniLmEmbedder

    return MiniLmEmbedder()


def _gemini(environ: Mapping[str, str], chosen: Mapping[str, Any]) -> Embedder:
    from hardwon.adapters.providers.embedders import GEMINI_URL, GeminiEmbedder

    url = environ.get("GOOGLE_GEMINI_BASE_URL") or GEMINI_URL
    return GeminiEmbedder(_key("gemini", environ), base_url=url, **chosen)


def _ollama(environ: Mapping[str, str], chosen: Mapping[str, Any]) -> Embedder:
    from hardwon.adapters.providers.ollama import DEFAULT_HOST, OllamaEmbedder

    return OllamaEmbedder(environ.get("OLLAMA_HOST") or DEFAULT_HOST, **chosen)


def _openai(environ: Mapping[str, str], chosen: Mapping[str, Any]) -> Embedder:
    from hardwon.adapters.providers.embedders import OPENAI_URL, OpenAiEmbedder

    url = environ.get("OPENAI_BASE_URL") or OPENAI_URL
    return OpenAiEmbedder(_key("openai", environ), base_url=url, **chosen)


def _voyage(environ: Mapping[str, str], chosen: Mapping[str, Any]) -> Embedder:
    from hardwon.adapters.providers.embedders import VOYAGE_URL, VoyageEmbedder

    url = environ.get("VOYAGE_BASE_URL") or VOYAGE_URL
    return VoyageEmbedder(_key("voyage", environ), base_url=url, **chosen)


def _key(provider: str, environ: Mapping[str, str]) -> str:
    return environ.get(KEY_NAMES[provider], "")


BUILDERS: Mapping[str, Callable[[Mapping[str, str], Mapping[str, Any]], Embedder]] = {
    LOCAL: _local,
    "gemini": _gemini,
    "ollama": _ollama,
    "openai": _openai,
    "voyage": _voyage,
}


def build_labelers(settings: Settings, environ: Mapping[str, str]) -> "Sequence[KeywordLabeler]":
    """Return the labelers to ask, in order; none when labels are off or left to the agent."""
    from hardwon.domain.use_cases.label import label_tiers

    return [_labeler(tier, settings, environ) for tier in label_tiers(settings.keyword_provider)]


def _labeler(tier: str, settings: Settings, environ: Mapping[str, str]) -> "KeywordLabeler":
    if tier == "haiku":
        from hardwon.adapters.providers.labelers import ANTHROPIC_URL, DEFAULT_MODEL, HaikuLabeler

        url = environ.get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL
        return HaikuLabeler(environ.get("ANTHROPIC_API_KEY", ""), settings.keyword_model or DEFAULT_MODEL, url)
    from hardwon.adapters.providers.labelers import OllamaLabeler
    from hardwon.adapters.providers.ollama import DEFAULT_HOST

    return OllamaLabeler(environ.get("OLLAMA_HOST") or DEFAULT_HOST, settings.keyword_model or DEFAULT_OLLAMA_LABELS)


Warn = Callable[[str], None]


class EmbeddingSpace(NamedTuple):
    """An embedder, and its vectors in the store."""

    embedder: Embedder
    vectors: SqliteVectorStore

    def served(self, only: EntryFilter) -> EntryFilter:
        """Return the entries of *only* that get their vectors here."""
        return only._replace(kinds=tuple(kind for kind in only.kinds if kind in self.vectors.kinds))

    @property
    def search(self) -> SemanticSearch:
        """Search among these vectors; worth keeping, as it keeps those it has loaded."""
        from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

        return SemanticSearch(embedder=self.embedder, store=self.vectors, vector_index=NumpyVectorIndex(self.vectors))


def without_model(spaces: "Sequence[EmbeddingSpace]", deadline: Deadline) -> "Sequence[DownloadableEmbedder]":
    """Return the embedders of *spaces* whose model a running Ollama lacks."""
    if not spaces:
        return ()
    from hardwon.adapters.providers.ollama import OllamaEmbedder

    embedders = (space.embedder for space in spaces)
    return [own for own in embedders if isinstance(own, OllamaEmbedder) and own.lacks_model(deadline)]


def open_spaces(settings: Settings, automatic: str, database: Database, warn: Warn) -> Sequence[EmbeddingSpace]:
    """
    Return the spaces to search and to keep up to date, the active one first.

    Args:
        settings: What the user set.
        automatic: The provider that `auto` means.
        database: Where the vectors are.
        warn: Told in one line of a provider that can't be used.

    """
    spaces: list[EmbeddingSpace] = []
    for provider in providers_in_order(settings, automatic):
        try:
            embedders = build_embedders(provider, settings, os.environ)
        except EmbedderUnavailableError as error:
            warn(f"no vector search: {error}")
            continue
        for embedder, kinds in embedders:
            vectors = SqliteVectorStore(database, embedder.space, warn, kinds=kinds, is_active=not spaces)
            spaces.append(EmbeddingSpace(embedder, vectors))
    return spaces
