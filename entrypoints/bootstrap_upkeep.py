"""Figures, checks and repairs of an installation and its store."""

import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.database import FILE_NAME
from hardwon.adapters.sqlite.file_errors import problem_of
from hardwon.adapters.sqlite.opening import damaged_log, move_aside, repair_store
from hardwon.adapters.store_folder import exposed
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import (
    EmbedderError,
    StorageError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.collections import CONTEXT_WEIGHTS
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_capture import wake
from hardwon.entrypoints.bootstrap_models import EmbeddingSpace
from hardwon.entrypoints.bootstrap_retrieval import ASKED_EMBED_SECONDS, build_summarise_usage
from hardwon.entrypoints.presenters.usage import use_figures


def problems_beside(folder: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the files beside the store in *folder*: what each is called, and a line with the way out."""
    from hardwon.adapters.hook_log import FILE_NAME as LOG
    from hardwon.adapters.sqlite.hook_events import ensure_sound as ensure_sound_journal

    if line := damaged_log(os.path.join(folder, FILE_NAME)):
        yield "write-ahead log", line
    try:
        ensure_sound_journal(folder)
    except StorageError as error:
        yield "capture journal", f"{error}; until then what is said is not kept"
    log = os.path.join(folder, LOG)
    if os.path.islink(log):
        yield "hook log", f"{log} is a link: move it away; until then no failure of a hook is noted"
    if os.path.isfile(log) and (wrong := problem_of(log)):
        yield "hook log", f"{wrong}; until then no failure of a hook is noted"


def exposure(folder: str) -> str:
    """Return in a line that other users can read the store in *folder*, whose file system keeps no permissions; else nothing."""
    return exposed(os.path.join(folder, FILE_NAME))


def store_path(memory: Memory) -> str | None:
    """Return the path of the store's file, None where there is none yet."""
    return memory.store.file


def ensure_sound(memory: Memory) -> None:
    """
    Read the whole store and check its structure.

    Raises:
        CorruptStoreError: something in it is damaged.
        StorageError: it can't be written.
    """
    memory.store.upkeep.ensure_sound()


def ensure_schema(memory: Memory) -> int:
    """
    Check that the store's tables, columns, indexes and views are those of its version; return that version.

    Raises:
        StorageError: something drifted; the message names each difference.
    """
    return memory.store.upkeep.ensure_schema()


def repair_schema(folder: str) -> tuple[list[str], list[str]]:
    """
    Repair the store's schema without losing a row; return the differences that were repaired, and those that can't be.

    Raises:
        StorageError: it can't be opened or written.
    """
    return repair_store(folder)


ROWS_SHOWN = 5


def ensure_readable(memory: Memory) -> None:
    """
    Check every row of the store.

    Raises:
        StorageError: some can't be read; the message names them.
    """
    if found := memory.store.upkeep.unreadable():
        more = f" and {len(found) - ROWS_SHOWN} more" if len(found) > ROWS_SHOWN else ""
        raise StorageError(f"{'; '.join(found[:ROWS_SHOWN])}{more}; run: hardwon doctor --repair")


def repair_rows(memory: Memory) -> list[str]:
    """
    Repair the rows of the store that can't be read, or set them aside; return a line for each.

    Raises:
        StorageError: the store can't be written.
    """
    return memory.store.upkeep.repair_rows()


def move_store_aside(folder: str) -> str:
    """
    Rename the store's file, so that a new one can take its place; return where it is now.

    Raises:
        StorageError: it can't be renamed.
    """
    return move_aside(folder, SystemClock().now())


def rebuild_keyword_index(memory: Memory) -> None:
    """Rebuild the keyword index, where SQLite has one, and pack it."""
    memory.store.upkeep.rebuild_keyword_index()


INDEX_UPDATED_LATER = (
    "the keyword index is of an earlier version: it answers, and the worker updates it in the background"
)


def update_keyword_index_later(memory: Memory, project_root: str) -> None:
    """Start the worker, and tell it in a line, where the keyword index is of an earlier version."""
    if memory.settings.keyword_search and memory.store.upkeep.has_outdated_keywords():
        try:
            wake(memory.settings, os.path.abspath(project_root))
        except OSError as error:
            memory.warn(f"the worker was not started: {error}")
        else:
            memory.warn(INDEX_UPDATED_LATER)


def rebuild_vector_blocks(memory: Memory) -> None:
    """Pack the vectors of all spaces again."""
    for space in memory.spaces:
        memory.store.upkeep.rebuild_vector_index(space.vectors)


def is_keyword_index_used(memory: Memory) -> bool:
    """Return whether the settings want the keyword index, and it is there and fits the entries."""
    return memory.settings.keyword_search and memory.store.upkeep.has_keyword_index()


def ensure_keyword_index(memory: Memory) -> None:
    """
    Check the keyword index by a search.

    Raises:
        KeywordIndexUnavailableError: it can't be used; one line says why.
    """
    memory.store.upkeep.ensure_keyword_index()


def ensure_vector_index(memory: Memory) -> None:
    """
    Check that vectors can be searched here.

    Raises:
        VectorIndexUnavailableError: they can't be.
    """
    if memory.vectors is not None:
        memory.store.vector_index(memory.vectors).ensure_usable()


def ensure_local_model() -> None:
    """
    Check the embedded model's file.

    Raises:
        EmbedderUnavailableError: it is missing or damaged.
    """
    from hardwon.adapters.minilm.weights import find_weights, verify_sha256

    verify_sha256(find_weights())


MOST_FOLDERS = 20


def count(memory: Memory, only: EntryFilter, visible_in: Visibility | None = None) -> dict[str, dict[str, object]]:
    """
    Return how many entries of *only* there are and of what sort, how they are searched, and the settings.

    A provider is asked for one vector, so that its trouble shows; the embedded model's file is looked at. With *visible_in*, specifications and projects are
    named only for entries that may be shown there.
    """
    repository = memory.repository
    learnings = only._replace(kinds=tuple(kind for kind in only.kinds if kind == "learning"))
    named = only._replace(visible_in=visible_in)
    folders = ((name, number) for name, number in repository.tally(named, "spec_folder").items() if name)
    return {
        "entries": {"total": repository.count(only)},
        "by_kind": dict(repository.tally(only, "kind")),
        "by_tier": dict(repository.tally(only, "tier")),
        "by_context_type": dict(repository.tally(only, "context_type")),
        "by_spec_folder": dict(islice(folders, MOST_FOLDERS)),
        "by_category": dict(repository.tally(learnings, "category")),
        "by_confidence": dict(repository.tally(learnings, "confidence")),
        "by_source": dict(repository.tally(only, "source")),
        "by_project": dict(repository.tally(named, "source_project")),
        "embedding": _embedding(memory, only),
        "influence": use_figures(build_summarise_usage(memory).of_all(only)),
        "store": _store(memory),
        "settings": memory.settings.shown(),
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
        "trouble": _problems(spaces),
    }


def _problems(spaces: Sequence[EmbeddingSpace]) -> str:
    """Return why something can't be embedded now, nothing if all can."""
    from hardwon.adapters.minilm.weights import find_weights, open_weights

    deadline = Deadline.after(ASKED_EMBED_SECONDS, time.monotonic)
    problems = list[str]()
    for space in spaces:
        try:
            if space.vectors.space.provider == "local":
                space.search.vector_index.ensure_usable()
                open_weights(find_weights())
            else:
                embed_query(space.embedder, "memory", deadline)
        except (EmbedderError, VectorIndexUnavailableError) as error:
            problems.append(str(error))
    return "; ".join(dict.fromkeys(problems))


def _store(memory: Memory) -> dict[str, object]:
    """Return where the store is, how large, and whether it can be searched by word."""
    return {
        "path": memory.store.path,
        "bytes": memory.store.upkeep.size(),
        "keyword_search": is_keyword_index_used(memory),
    }
