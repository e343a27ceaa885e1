"""Use cases that find and read entries of an open store, or put them before an agent."""

import time
from typing import TYPE_CHECKING

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.filters import CONVERSATIONS, scope_of, seen_from
from hardwon.domain.model.injection.entry_text import Length, units
from hardwon.domain.model.ranking.prominence import Weights
from hardwon.domain.use_cases.inject_at_start import Inject
from hardwon.domain.use_cases.retrieve import Retrieve
from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.ranking.decay import Decay
    from hardwon.domain.use_cases.explain_injections import ExplainInjections
    from hardwon.domain.use_cases.inject_at_start import RecordInjection
    from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt
    from hardwon.domain.use_cases.match_triggers import MatchTriggers
    from hardwon.domain.use_cases.open_window import OpenWindow
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.domain.use_cases.related_conversations import RecallNearby, Relate
    from hardwon.domain.use_cases.search import Load, Search
    from hardwon.domain.use_cases.track_usage import SummariseUsage
    from hardwon.ports.activity import Influences, Receipts
    from hardwon.ports.models import Embedder

ASKED_EMBED_SECONDS = 2.0
"""Embedding a question may take longer than embedding the query of a session start."""


def build_retrieve(memory: Memory) -> Retrieve:
    """Search by meaning and by word."""
    return Retrieve(
        semantic=[space.search for space in memory.spaces],
        keywords=memory.store.keywords(enabled=memory.settings.keyword_search),
    )


def build_inject(memory: Memory, workplace: Workplace | None = None, length: Length = units) -> Inject:
    """
    Return the use case behind the session-start hook.

    With a *workplace* that has conversations it adds those that are related; the query is embedded once for both. Vectors of
    queries are remembered: sessions that go on, and those between two commits, ask the same. The *length* is that of the host.
    """
    spaces = [space._replace(embedder=_remembering(memory, space.embedder)) for space in memory.spaces]
    if workplace is None or not memory.repository.count(CONVERSATIONS._replace(scope=scope_of("workspace", workplace))):
        return _inject(memory._replace(spaces=spaces))._replace(length=length)
    from hardwon.domain.use_cases.retrieve import MemoisedEmbedder

    spaces = [space._replace(embedder=MemoisedEmbedder(space.embedder)) for space in spaces]
    shared = memory._replace(spaces=spaces)
    return _inject(shared)._replace(relate=build_relate(shared)._replace(length=length), length=length)


def _remembering(memory: Memory, embedder: "Embedder") -> "Embedder":
    from hardwon.adapters.sqlite.query_vectors import RememberingEmbedder, own_file

    is_elsewhere = memory.settings.server is not None
    return RememberingEmbedder(embedder, own_file(memory.settings.global_store) if is_elsewhere else memory.store.path)


def _inject(memory: Memory) -> Inject:
    return Inject(
        repository=memory.repository,
        retrieve=build_retrieve(memory),
        vectors=memory.vectors,
        clock=memory.clock,
        weights=_weights(memory),
    )


def build_recall(memory: Memory) -> "Recall":
    """Answer questions from all entries; worth keeping, as it keeps the vectors it has loaded."""
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
    """Search for a model; worth keeping, as `build_recall` is."""
    from hardwon.domain.use_cases.search import Search

    return Search(build_recall(memory), memory.store.usage, memory.repository)


def build_load(memory: Memory) -> "Load":
    """Read entries whole."""
    from hardwon.domain.use_cases.search import Load

    return Load(memory.repository, memory.store.usage, memory.clock)


def build_match_triggers(memory: Memory, workplace: Workplace) -> "MatchTriggers":
    """Find entries by phrases in a prompt; worth keeping, as it keeps all phrases."""
    from hardwon.domain.use_cases.match_triggers import MatchTriggers

    return MatchTriggers(
        memory.store.triggers,
        memory.repository,
        memory.clock,
        monotonic=time.monotonic,
        commands=memory.settings.trigger_phrases,
        only=seen_from(workplace),
    )


def build_recall_nearby(memory: Memory) -> "RecallNearby":
    """Recall entries that bear on the user's work, near by first."""
    from hardwon.domain.use_cases.related_conversations import RecallNearby

    return RecallNearby(build_recall(memory))


def build_relate(memory: Memory) -> "Relate":
    """Summarise the conversations that bear on the user's work, one line each."""
    from hardwon.domain.use_cases.related_conversations import Relate

    return Relate(repository=memory.repository, nearby=build_recall_nearby(memory), clock=memory.clock)


def build_inject_beside_prompt(
    memory: Memory, project_root: str, embed_seconds: float = ASKED_EMBED_SECONDS
) -> "InjectBesidePrompt":
    """Put entries beside a prompt; embedding the prompt may take *embed_seconds*."""
    from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt
    from hardwon.entrypoints.bootstrap_project import open_instructions

    recall = build_recall(memory)
    recall = recall._replace(retrieve=recall.retrieve._replace(embed_seconds=embed_seconds))
    return InjectBesidePrompt(recall, memory.store.windows, open_instructions(project_root))


def build_open_window(memory: Memory) -> "OpenWindow":
    """Find out what is in the context window of a session that starts."""
    from hardwon.domain.use_cases.open_window import OpenWindow

    return OpenWindow(memory.store.windows, receipts_of(memory), memory.store.deliveries)


def build_record_injection(memory: Memory) -> "RecordInjection":
    """Count injected entries and keep the receipt; a busy store is not waited for."""
    from hardwon.domain.use_cases.inject_at_start import RecordInjection

    return RecordInjection(
        memory.store.usage,
        receipts_of(memory),
        memory.store.counting,
    )


def build_explain_injections(memory: Memory) -> "ExplainInjections":
    """Find earlier injections, with the entries as they are today."""
    from hardwon.domain.use_cases.explain_injections import ExplainInjections
    from hardwon.entrypoints.bootstrap_projects import build_know_projects

    registry = build_know_projects(memory).registry()
    return ExplainInjections(receipts_of(memory), memory.repository, influences_of(memory), registry)


def build_summarise_usage(memory: Memory) -> "SummariseUsage":
    """Count how often injected entries were of use."""
    from hardwon.domain.use_cases.track_usage import SummariseUsage

    return SummariseUsage(influences_of(memory), memory.repository)


def receipts_of(memory: Memory) -> "Receipts":
    """Return the receipts of injections."""
    return memory.store.receipts


def influences_of(memory: Memory) -> "Influences":
    """Return the signs that injected entries were of use."""
    return memory.store.influences


def _weights(memory: Memory) -> Weights:
    settings = memory.settings
    return Weights(settings.vector_weight, settings.keyword_weight, settings.prominence_weight)


def _decay(memory: Memory) -> "Decay":
    from hardwon.domain.model.ranking.decay import Decay

    settings = memory.settings
    return Decay(
        enabled=settings.decay_enabled,
        mode=settings.decay_mode,
        floor=settings.decay_floor,
        exempt_tiers=frozenset(settings.decay_exempt_tiers),
    )
