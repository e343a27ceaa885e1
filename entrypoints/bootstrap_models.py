"""Embedders, labelers and embedding spaces, as the settings and the user's environment choose them; none is asked here."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.providers.table import GEMINI, PROVIDERS
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.domain.use_cases.retrieve import SemanticSearch
from hardwon.ports.models import Embedder
from hardwon.ports.store import ActiveVectors, Store, Warn

if TYPE_CHECKING:
    from hardwon.ports.models import DownloadableEmbedder, KeywordLabeler
    from hardwon.ports.vectors import VectorIndex

AUTO, LOCAL, OFF = "auto", "local", "off"

EMBEDDER_NAMES = (LOCAL, *(provider.name for provider in PROVIDERS if provider.model))

KEY_NAMES = {provider.name: provider.key_variable for provider in PROVIDERS if provider.key_variable}
"""Provider to the variable that holds its key; the others need none."""


def choose_automatically(environ: Mapping[str, str], decided: str | None = None) -> str:
    """Return the provider that `auto` means: the one *decided* if it is known, else Gemini where its key is, else the embedded model."""
    if decided in EMBEDDER_NAMES:
        return decided
    return GEMINI.name if environ.get(GEMINI.key_variable, "").strip() else LOCAL


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
    if provider == LOCAL:
        from hardwon.adapters.minilm.embedder import MiniLmEmbedder

        return MiniLmEmbedder()
    from hardwon.adapters.providers.embedders import embedder_of

    return embedder_of(provider, environ, settings.embedding_model, settings.embedding_dimensions)


def build_embedders(
    provider: str, settings: Settings, environ: Mapping[str, str]
) -> Sequence[tuple[Embedder, tuple[Kind, ...]]]:
    """
    Return the embedders of *provider*, each with the kinds of entries it is for.

    One is for all, but for Ollama when no model is named: there each collection has its own.

    Raises:
        EmbedderUnavailableError: the width of the model's vectors is not known.
    """
    models = {row.name: row.models_of_kinds for row in PROVIDERS}.get(provider)
    if settings.embedding_model or not models:
        return [(build_embedder(provider, settings, environ), KINDS)]
    return [
        (build_embedder(provider, settings._replace(embedding_model=model), environ), kinds)
        for model, kinds in models.items()
    ]


def without_model(embedders: Iterable[Embedder], deadline: Deadline) -> "list[DownloadableEmbedder]":
    """Return the embedders whose model a running Ollama lacks."""
    from hardwon.adapters.providers.embedders import OllamaEmbedder

    return [own for own in embedders if isinstance(own, OllamaEmbedder) and own.lacks_model(deadline)]


def build_labelers(settings: Settings, environ: Mapping[str, str]) -> "Sequence[KeywordLabeler]":
    """Return the labelers to ask, in order; none when labels are off or left to the agent."""
    from hardwon.adapters.providers.labelers import labeler_of
    from hardwon.domain.use_cases.label import label_tiers

    return [labeler_of(tier, environ, settings.keyword_model) for tier in label_tiers(settings.keyword_provider)]


class EmbeddingSpace(NamedTuple):
    """
    An embedder, and its vectors in the store.

    Attributes:
        index_of: Makes the index of vectors.
    """

    embedder: Embedder
    vectors: ActiveVectors
    index_of: "Callable[[ActiveVectors], VectorIndex]"

    def served(self, only: EntryFilter) -> EntryFilter:
        """Return the entries of *only* that get their vectors here."""
        return only._replace(kinds=tuple(kind for kind in only.kinds if kind in self.vectors.kinds))

    @property
    def search(self) -> SemanticSearch:
        """Search among these vectors; worth keeping, as it keeps those it has loaded."""
        return SemanticSearch(embedder=self.embedder, store=self.vectors, vector_index=self.index_of(self.vectors))


def open_spaces(settings: Settings, automatic: str, store: Store, warn: Warn) -> Sequence[EmbeddingSpace]:
    """
    Return the spaces to search and to keep up to date, the active one first.

    Args:
        settings: The resolved settings.
        automatic: The provider that `auto` means.
        store: Where the vectors are.
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
            vectors = store.vectors(embedder.space, warn, kinds, is_active=not spaces)
            spaces.append(EmbeddingSpace(embedder, vectors, store.vector_index))
    return spaces
