"""
What a store holds, in numbers.

How it is told that entries were of use: on one line, and for JSON.
"""

import os
import time
from collections.abc import Sequence
from itertools import islice

from hardwon.adapters.sqlite.database import IN_MEMORY
from hardwon.adapters.sqlite.keyword_index import is_available, is_intact
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.domain.use_cases.track_usage import EntryUse, Use
from hardwon.entrypoints.bootstrap import ASKED_EMBED_SECONDS, Memory
from hardwon.entrypoints.bootstrap_models import EmbeddingSpace
from hardwon.entrypoints.presenters.entries import moment


def use_figures(use: Use) -> dict[str, object]:
    """Return for JSON how often entries were of use, and which most."""
    most = [{"id": each.entry_id, "name": each.name, "influence_count": each.times} for each in use.most]
    return {"influence_count": use.times, "most_used": most}


def use_document(use: EntryUse) -> dict[str, object]:
    """Return for JSON in how many sessions an entry was of use, and what showed it, the newest first."""
    return {"influence_count": use.times, "influences": [influence_document(each) for each in use.newest]}


def influence_document(influence: Influence) -> dict[str, object]:
    """Return for JSON the sign that an entry was of use."""
    told = influence._asdict()
    return {"id": told.pop("entry_id"), **told}


def influence_line(influence: Influence) -> str:
    """Return where the sign stood, when it was seen, in which session, and its words."""
    session = f", session {influence.session_id}" if influence.session_id else ""
    phrase = f": {influence.phrase!r}" if influence.phrase else ""
    return f"{influence.how} at {moment(influence.at)}{session}{phrase}"


MOST_FOLDERS = 20


def count(memory: Memory, only: EntryFilter) -> dict[str, dict[str, object]]:
    """
    Return how many entries of *only* there are and of what sort, how they are searched, and the settings.

    The embedder is asked for one vector, so that its trouble shows.
    """
    repository = memory.repository
    learnings = only._replace(kinds=tuple(kind for kind in only.kinds if kind == "learning"))
    folders = ((name, number) for name, number in repository.tally(only, "spec_folder").items() if name)
    return {
        "entries": {"total": repository.count(only)},
        "by_kind": dict(repository.tally(only, "kind")),
        "by_tier": dict(repository.tally(only, "tier")),
        "by_context_type": dict(repository.tally(only, "context_type")),
        "by_spec_folder": dict(islice(folders, MOST_FOLDERS)),
        "by_category": dict(repository.tally(learnings, "category")),
        "by_confidence": dict(repository.tally(learnings, "confidence")),
        "by_source": dict(repository.tally(only, "source")),
        "by_project": dict(repository.tally(only, "source_project")),
        "embedding": _embedding(memory, only),
        "influence": use_figures(memory.summarise_usage.of_all(only)),
        "store": _store(memory),
        "settings": memory.settings._asdict(),
        "context_weights": dict(CONTEXT_WEIGHTS),
    }


def _embedding(memory: Memory, only: EntryFilter) -> dict[str, object]:
    """Return how entries of *only* are embedded: the models of all spaces in use, and the dimensions of the first."""
    spaces = memory.spaces_in_use(only)
    if not spaces:
        return {"provider": "off", "model": "none", "dimensions": 0, "embedded": 0, "pending": 0, "trouble": ""}
    first = spaces[0].vectors.space
    return {
        "provider": first.provider,
        "model": ", ".join(space.vectors.space.model for space in spaces),
        "dimensions": first.dimensions,
        "embedded": memory.count_embedded(only),
        "pending": memory.count_pending(only),
        "trouble": _trouble(spaces),
    }


def _trouble(spaces: Sequence[EmbeddingSpace]) -> str:
    """Return why something can't be embedded now, nothing if all can."""
    deadline = Deadline.after(ASKED_EMBED_SECONDS, time.monotonic)
    troubles = list[str]()
    for space in spaces:
        try:
            embed_query(space.embedder, "memory", deadline)
        except EmbedderError as error:
            troubles.append(str(error))
    return "; ".join(dict.fromkeys(troubles))


def _store(memory: Memory) -> dict[str, object]:
    """Return where the store is, how large, and whether it can be searched by word."""
    path = memory.database.path
    is_searched = memory.settings.keyword_search and is_available() and is_intact(memory.database)
    return {
        "path": path,
        "bytes": 0 if path == IN_MEMORY else os.path.getsize(path),
        "keyword_search": is_searched,
    }
