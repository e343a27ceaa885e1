"""Statistics of the store: counts of entries, search and settings."""

import time
from collections.abc import Sequence
from itertools import islice

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError, VectorIndexUnavailableError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.use_cases.ask_for_lesson import CountAsks
from hardwon.domain.use_cases.embedding_spaces import EmbeddingSpace, Spaces
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.domain.use_cases.summarise_usage import SummariseUsage
from hardwon.entrypoints.bootstrap_retrieval import (
    ASKED_EMBED_SECONDS,
    LOCAL,
    Memory,
    ensure_local_model,
)
from hardwon.entrypoints.presenters.usage import use_figures

MAX_FOLDERS = 20


def count(
    memory: Memory, only: EntryFilter, visible_in: Visibility | None = None
) -> dict[str, dict[str, object]]:
    """
    Return counts of entries, how they are searched, and settings.

    Each provider is asked for a vector, to show its error; of the embedded model only the file is
    checked. With *visible_in*, specifications and projects are named only for entries that may be
    shown there.
    """
    repository = memory.repository
    learnings = only._replace(kinds=tuple(kind for kind in only.kinds if kind == "learning"))
    named = only._replace(visible_in=visible_in)
    folders = (
        (name, number) for name, number in repository.tally(named, "spec_folder").items() if name
    )
    return {
        "entries": {"total": repository.count(only)},
        "by_kind": dict(repository.tally(only, "kind")),
        "by_tier": dict(repository.tally(only, "tier")),
        "by_context_type": dict(repository.tally(only, "context_type")),
        "by_spec_folder": dict(islice(folders, MAX_FOLDERS)),
        "by_category": dict(repository.tally(learnings, "category")),
        "by_confidence": dict(repository.tally(learnings, "confidence")),
        "by_source": dict(repository.tally(only, "source")),
        "by_project": dict(repository.tally(named, "source_project")),
        "embedding": _embedding(memory.spaces, only),
        "influence": use_figures(SummariseUsage.on(memory.store).of_all(only)),
        "asks": CountAsks.on(memory.store).figures()._asdict(),
        "store": {
            "path": memory.store.path,
            "bytes": memory.store.upkeep.size(),
            "keyword_search": (
                memory.settings.keyword_search and memory.store.upkeep.has_keyword_index()
            ),
        },
        "settings": memory.settings.shown(),
        "context_weights": dict(CONTEXT_WEIGHTS),
    }


def _embedding(spaces: Spaces, only: EntryFilter) -> dict[str, object]:
    in_use = spaces.in_use(only)
    if not in_use:
        return {
            "provider": "off",
            "model": "none",
            "dimensions": 0,
            "embedded": 0,
            "pending": 0,
            "trouble": "",
        }
    first = in_use[0].vectors.space
    return {
        "provider": first.provider,
        "model": ", ".join(space.vectors.space.model for space in in_use),
        "dimensions": first.dimensions,
        "embedded": spaces.count_embedded(only),
        "pending": spaces.count_pending(only),
        "trouble": _problems(in_use),
    }


def _problems(spaces: Sequence[EmbeddingSpace]) -> str:
    deadline = Deadline.after(ASKED_EMBED_SECONDS, time.monotonic)
    problems = list[str]()
    for space in spaces:
        try:
            if space.vectors.space.provider == LOCAL:
                space.vector_index.ensure_usable()
                ensure_local_model(reads_all=False)
            else:
                embed_query(space.embedder, "memory", deadline)
        except (EmbedderError, VectorIndexUnavailableError) as error:
            problems.append(str(error))
    return "; ".join(dict.fromkeys(problems))
