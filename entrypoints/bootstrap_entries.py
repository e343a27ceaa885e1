"""Use cases on entries: search, inject, store and change."""

from functools import partial
from typing import TYPE_CHECKING

from hardwon.adapters.threads import Threads
from hardwon.domain.model.errors import NumpyMissingError
from hardwon.domain.model.filters import CONVERSATIONS, Workplace, scope_of
from hardwon.domain.model.injection.entry_text import Length, units
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.inject_at_start import InjectAtStart
from hardwon.domain.use_cases.retrieve import Retrieve
from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.ranking.decay import Decay
    from hardwon.domain.model.vocabulary import Kind
    from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment
    from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.domain.use_cases.related_conversations import RelateConversations
    from hardwon.domain.use_cases.search import Search
    from hardwon.domain.use_cases.weigh_entries import WeighEntries
    from hardwon.ports.models import Embedder
    from hardwon.ports.overview import Projection

ASKED_EMBED_SECONDS = 2.0
"""Time limit for embedding a question, longer than a session start's."""


def build_retrieve(memory: Memory) -> Retrieve:
    """Build semantic and keyword retrieval."""
    return Retrieve(
        semantic=[space.search for space in memory.spaces],
        keywords=memory.store.keywords(enabled=memory.settings.keyword_search),
        background=Threads(),
    )


def build_inject(
    memory: Memory, workplace: Workplace | None = None, length: Length = units
) -> InjectAtStart:
    """
    Build the use case of the session-start hook.

    If the *workplace* has conversations, related ones are added; the query is embedded once for
    both. Query vectors are cached: sessions between two commits ask the same. *length* is the
    host's.
    """
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


def _inject(memory: Memory) -> InjectAtStart:
    return InjectAtStart(
        repository=memory.repository,
        retrieve=build_retrieve(memory),
        vectors=memory.spaces.vectors,
        clock=memory.clock,
        weights=_weights(memory),
    )


def build_recall(memory: Memory) -> "Recall":
    """Build recall, to be reused: it caches loaded vectors."""
    from hardwon.domain.use_cases.recall import Recall

    retrieve = build_retrieve(memory)._replace(
        embed_seconds=ASKED_EMBED_SECONDS,
        keywords=memory.store.keywords_of_questions(enabled=memory.settings.keyword_search),
    )
    return Recall(
        repository=memory.repository,
        retrieve=retrieve,
        clock=memory.clock,
        weights=_weights(memory),
        decay=_decay(memory),
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


def build_weigh_entries(
    memory: Memory, project_root: str, embed_seconds: float = ASKED_EMBED_SECONDS
) -> "WeighEntries":
    """Build the choice of entries that clearly help."""
    from hardwon.domain.use_cases.weigh_entries import WeighEntries
    from hardwon.entrypoints.bootstrap_agents import open_instructions

    recall = build_recall(memory)
    recall = recall._replace(retrieve=recall.retrieve._replace(embed_seconds=embed_seconds))
    return WeighEntries(recall, memory.store.windows, open_instructions(project_root))


def build_inject_beside_prompt(
    memory: Memory, project_root: str, embed_seconds: float = ASKED_EMBED_SECONDS
) -> "InjectBesidePrompt":
    """Build injection beside a prompt, whose embedding may take *embed_seconds*."""
    from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt

    return InjectBesidePrompt(build_weigh_entries(memory, project_root, embed_seconds))


def build_inject_at_moment(
    memory: Memory, project_root: str, embed_seconds: float = ASKED_EMBED_SECONDS
) -> "InjectAtMoment":
    """Build injection at moments of action, whose embedding may take *embed_seconds*."""
    from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment

    return InjectAtMoment(build_weigh_entries(memory, project_root, embed_seconds))


def build_projection(memory: Memory, kind: "Kind") -> "Projection | None":
    """Build the 2D projection of the space for *kind*, or None."""
    vectors = memory.spaces.vectors_for(kind)
    if vectors is None:
        return None
    try:
        from hardwon.adapters.numpy_index.plane import NumpyProjection
    except ImportError as error:
        raise NumpyMissingError(f"numpy can't be loaded: {error}") from error
    return NumpyProjection(vectors)


def _weights(memory: Memory) -> SignalWeights:
    settings = memory.settings
    return SignalWeights(
        settings.vector_weight, settings.keyword_weight, settings.prominence_weight
    )


def _decay(memory: Memory) -> "Decay":
    from hardwon.domain.model.ranking.decay import Decay

    settings = memory.settings
    return Decay(
        enabled=settings.decay_enabled,
        mode=settings.decay_mode,
        floor=settings.decay_floor,
        exempt_tiers=frozenset(settings.decay_exempt_tiers),
    )
