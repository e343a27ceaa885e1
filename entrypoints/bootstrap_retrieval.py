"""Embedders, labelers and embedding spaces of a store, and search and injection on them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.providers.table import GEMINI, PROVIDERS
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.filters import CONVERSATIONS, LEARNINGS, EntryFilter, Workplace, scope_of
from hardwon.domain.model.injection.entry_text import Length, units
from hardwon.domain.model.project import Registry
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.domain.use_cases.embedding_spaces import EmbeddingSpace, Spaces
from hardwon.domain.use_cases.retrieve import Retrieve
from hardwon.ports.clock import Clock
from hardwon.ports.models import Embedder
from hardwon.ports.store import Entries, Store, Warn

if TYPE_CHECKING:
    from hardwon.adapters.trial_file import TrialFile
    from hardwon.domain.model.embedding import Space
    from hardwon.domain.model.ranking.decay import Decay
    from hardwon.domain.model.ranking.prominence import SignalWeights
    from hardwon.domain.use_cases.embed_pending import EmbedPending
    from hardwon.domain.use_cases.inject_at_start import InjectAtStart
    from hardwon.domain.use_cases.label import LabelChain, LabelPending
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.domain.use_cases.related_conversations import RelateConversations
    from hardwon.domain.use_cases.search import Search
    from hardwon.domain.use_cases.supersede import ProposeSupersessions
    from hardwon.domain.use_cases.weigh_entries import WeighEntries
    from hardwon.ports.documents import Instructions
    from hardwon.ports.models import DownloadableEmbedder, KeywordLabeler
    from hardwon.ports.overview import Clustering


AUTO, LOCAL, OFF = "auto", "local", "off"

EMBEDDER_NAMES = (LOCAL, *(provider.name for provider in PROVIDERS if provider.model))

KEY_NAMES = {
    provider.name: provider.key_variable for provider in PROVIDERS if provider.key_variable
}
"""
Environment variables of keys, by provider.

Other providers need none.
"""


class Memory(NamedTuple):
    """
    An open store with its settings, clock and embedding spaces.

    Attributes:
        spaces: The spaces to search and to keep up to date.
        away: Why the server is away whose outbox this is, empty for the store itself.
    """

    settings: Settings
    store: Store
    clock: Clock
    spaces: Spaces
    warn: Warn
    away: str = ""

    @property
    def repository(self) -> Entries:
        """The repository of the store's entries."""
        return self.store.entries

    def with_embedders(self, wrapped: Callable[[Embedder], Embedder]) -> "Memory":
        """Return the same store with *wrapped* embedders."""
        return self._replace(spaces=self.spaces.with_embedders(wrapped))

    def registry(self) -> Registry:
        """Return the projects that the store knows."""
        return self.store.registry(self.settings.trust)

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def choose_automatically(environ: Mapping[str, str], decided: str | None = None) -> str:
    """
    Return the provider that `auto` means.

    It is *decided* if known, else Gemini if its key is set, else the embedded model.
    """
    if decided in EMBEDDER_NAMES:
        return decided
    return GEMINI.name if environ.get(GEMINI.key_variable, "").strip() else LOCAL


def providers_in_order(settings: Settings, chosen: str) -> Sequence[str]:
    """
    Return the providers whose spaces are searched and updated.

    The first that answers a query is used.

    Args:
        settings: A provider named there is the only one.
        chosen: The meaning of `auto`; the embedded model is its fallback.

    """
    if settings.embedding_provider == OFF:
        return ()
    if settings.embedding_provider != AUTO:
        return (settings.embedding_provider,)
    return tuple(dict.fromkeys((chosen, LOCAL)))


def build_embedder(provider: str, settings: Settings, environ: Mapping[str, str]) -> Embedder:
    """
    Return the embedder of *provider*.

    A missing key or server is noticed only when it embeds.
    """
    if provider == LOCAL:
        return _embedded_model()
    from hardwon.adapters.providers.embedders import embedder_of

    return embedder_of(
        provider, environ, model=settings.embedding_model, dimensions=settings.embedding_dimensions
    )


@cache
def _embedded_model() -> Embedder:
    """Return the embedder of this process, which loads and checks its weights once."""
    from hardwon.adapters.minilm.embedder import MiniLmEmbedder

    return MiniLmEmbedder()


def build_embedders(
    provider: str, settings: Settings, environ: Mapping[str, str]
) -> Sequence[tuple[Embedder, tuple[Kind, ...]]]:
    """
    Return the embedders of *provider*, each with its kinds of entries.

    There is one for all kinds, except for Ollama without a named model: there each collection has
    its own.
    """
    models = {row.name: row.models_of_kinds for row in PROVIDERS}.get(provider)
    if settings.embedding_model or not models:
        return [(build_embedder(provider, settings, environ), KINDS)]
    return [
        (build_embedder(provider, settings._replace(embedding_model=model), environ), kinds)
        for model, kinds in models.items()
    ]


def without_model(
    embedders: Iterable[Embedder], deadline: Deadline
) -> "list[DownloadableEmbedder]":
    """Return the embedders whose model a running Ollama lacks."""
    from hardwon.adapters.providers.embedders import OllamaEmbedder

    return [
        own for own in embedders if isinstance(own, OllamaEmbedder) and own.lacks_model(deadline)
    ]


def build_labelers(settings: Settings, environ: Mapping[str, str]) -> "Sequence[KeywordLabeler]":
    """
    Return the labelers in the order of fallback.

    None if labels are off or left to the agent.
    """
    from hardwon.adapters.providers.labelers import labeler_of
    from hardwon.domain.use_cases.label import label_tiers

    return [
        labeler_of(tier, environ, settings.keyword_model)
        for tier in label_tiers(settings.keyword_provider)
    ]


def open_spaces(settings: Settings, automatic: str, store: Store, warn: Warn) -> Spaces:
    """
    Return the spaces to search and to keep up to date.

    Args:
        settings: The resolved settings.
        automatic: The provider that `auto` means.
        store: Keeps the vectors.
        warn: Called with one line about a provider that can't be used.

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
            spaces.append(EmbeddingSpace(embedder, vectors, store.vector_index(vectors)))
    return Spaces(store, settings, warn=warn, spaces=spaces)


def build_embed_pending(spaces: Spaces) -> "Sequence[EmbedPending]":
    """Build the embedding of pending entries, for each space."""
    from hardwon.domain.use_cases.embed_pending import EmbedPending

    return [EmbedPending(space.embedder, space.vectors, spaces.warn) for space in spaces]


def build_label_chain(settings: Settings) -> "LabelChain":
    """Build the chain of labelers, empty if labels are off."""
    from hardwon.adapters.threads import Threads
    from hardwon.domain.use_cases.label import LabelChain

    return LabelChain(build_labelers(settings, os.environ), Threads())


def build_label_pending(
    store: Store,
    settings: Settings,
    only: EntryFilter = LEARNINGS,
    *,
    patience: int | None = None,
    most_failed: int | None = None,
) -> "LabelPending":
    """Build the labeling of entries without labels."""
    from hardwon.domain.use_cases.label import PATIENCE, LabelPending

    return LabelPending(
        repository=store.entries,
        chain=build_label_chain(settings),
        only=only,
        patience=patience or PATIENCE,
        most_failed=most_failed,
    )


def build_propose(spaces: Spaces, space: "Space") -> "ProposeSupersessions | None":
    """
    Build the proposal of superseded lessons by the vectors of *space*.

    None for a space to which the probability was not fitted.
    """
    from hardwon.adapters.minilm.embedder import MINILM_SPACE
    from hardwon.domain.use_cases.supersede import ProposeSupersessions

    index = next((known.vector_index for known in spaces if known.vectors.space == space), None)
    if index is None or space != MINILM_SPACE:
        return None
    return ProposeSupersessions(spaces.store.entries, index, spaces.store.proposals)


def ensure_local_model(*, reads_all: bool = True) -> None:
    """Check the embedded model's file, with its digest if *reads_all*."""
    from hardwon.adapters.minilm.weights import find_weights, open_weights, verify_sha256

    if reads_all:
        verify_sha256(find_weights())
    else:
        open_weights(find_weights())


SERVER_DEPTH = 128
"""The initial depth of both lists on a server, where each look costs."""

ASKED_EMBED_SECONDS = 2.0
"""Time limit for embedding a question, longer than a session start's."""


def build_retrieve(memory: Memory) -> Retrieve:
    """Build semantic and keyword retrieval."""
    from hardwon.adapters.threads import Threads

    return Retrieve(
        semantic=[space.search for space in memory.spaces],
        keywords=memory.store.keywords(enabled=memory.settings.keyword_search),
        background=Threads(),
    )


def build_inject(
    memory: Memory, workplace: Workplace | None = None, length: Length = units
) -> "InjectAtStart":
    """
    Build the use case of the session-start hook.

    If the *workplace* has conversations, related ones are added; the query is embedded once for
    both, and its vector is cached, as sessions ask the same again. *length* is the host's.
    """
    from hardwon.adapters.threads import Threads

    remembering = memory.with_embedders(partial(_remembering, memory))
    if workplace is None or not memory.repository.count(
        CONVERSATIONS._replace(scope=scope_of("workspace", workplace))
    ):
        return _inject(remembering)._replace(length=length)
    shared = remembering.with_embedders(Threads().memoised)
    return _inject(shared)._replace(
        relate=build_relate(shared)._replace(length=length), length=length
    )


def _remembering(memory: Memory, embedder: "Embedder") -> "Embedder":
    from hardwon.adapters.sqlite.query_vectors import RememberingEmbedder, own_file

    is_elsewhere = memory.settings.server is not None
    return RememberingEmbedder(
        embedder, own_file(memory.settings.global_store) if is_elsewhere else memory.store.path
    )


def _inject(memory: Memory) -> "InjectAtStart":
    from hardwon.domain.use_cases.inject_at_start import InjectAtStart

    return InjectAtStart(
        repository=memory.repository,
        retrieve=build_retrieve(memory),
        vectors=memory.spaces.vectors,
        clock=memory.clock,
        weights=_weights(memory.settings),
        receipts=memory.store.receipts,
    )


def build_recall(memory: Memory) -> "Recall":
    """Build recall, to be reused: it caches vectors, the latest questions' too."""
    from hardwon.adapters.threads import Threads
    from hardwon.domain.use_cases.rank import RECALL_DEPTH
    from hardwon.domain.use_cases.recall import Recall

    retrieve = build_retrieve(memory.with_embedders(Threads().memoised))._replace(
        embed_seconds=ASKED_EMBED_SECONDS,
        keywords=memory.store.keywords_of_questions(enabled=memory.settings.keyword_search),
    )
    return Recall(
        repository=memory.repository,
        retrieve=retrieve,
        clock=memory.clock,
        weights=_weights(memory.settings),
        first_depth=SERVER_DEPTH if memory.settings.server else RECALL_DEPTH,
        decay=_decay(memory.settings),
    )


def build_search(memory: Memory) -> "Search":
    """Build the search for agents, to be reused like `build_recall`."""
    from hardwon.domain.use_cases.search import Search

    return Search(build_recall(memory), memory.store.usage, memory.repository)


def build_relate(memory: Memory) -> "RelateConversations":
    """Build one-line summaries of conversations related to the user's work."""
    from hardwon.domain.use_cases.related_conversations import RecallNearby, RelateConversations

    return RelateConversations(
        repository=memory.repository, nearby=RecallNearby(build_recall(memory)), clock=memory.clock
    )


def open_trials(store: str) -> "TrialFile":
    """Return the trials of the store in that folder."""
    from hardwon.adapters.trial_file import TrialFile

    return TrialFile(store)


def build_weigh_entries(
    memory: Memory, project_root: str, recall: "Recall | None" = None
) -> "WeighEntries":
    """Build the choice of entries that clearly help, with a *recall* to be reused."""
    from hardwon.domain.use_cases.weigh_entries import WeighEntries

    def instructions() -> "Instructions":
        from hardwon.entrypoints.bootstrap_agents import open_instructions  # compiles patterns

        return open_instructions(project_root)

    return WeighEntries(
        recall or build_recall(memory),
        memory.store.windows,
        instructions,
        receipts=memory.store.receipts,
        running_trial=open_trials(memory.settings.global_store).read,
    )


def build_clustering(spaces: Spaces, kind: "Kind") -> "Clustering | None":
    """Build the clustering of the space for *kind*, or None."""
    from hardwon.domain.model.errors import NumpyMissingError

    vectors = spaces.vectors_for(kind)
    if vectors is None:
        return None
    try:
        from hardwon.adapters.numpy_index.clustering import NumpyClustering
    except ImportError as error:
        raise NumpyMissingError(f"numpy can't be loaded: {error}") from error
    return NumpyClustering(vectors)


def _weights(settings: Settings) -> "SignalWeights":
    from hardwon.domain.model.ranking.prominence import SignalWeights

    return SignalWeights(
        settings.vector_weight, settings.keyword_weight, settings.prominence_weight
    )


def _decay(settings: Settings) -> "Decay":
    from hardwon.domain.model.ranking.decay import Decay

    return Decay(
        enabled=settings.decay_enabled,
        mode=settings.decay_mode,
        floor=settings.decay_floor,
        exempt_tiers=frozenset(settings.decay_exempt_tiers),
    )
