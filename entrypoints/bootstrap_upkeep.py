"""Checks and repairs of an installation and its store."""

import time

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.database import IN_MEMORY
from hardwon.adapters.sqlite.keyword_index import UNAVAILABLE, FtsKeywordIndex, is_available, is_intact, rebuild_index
from hardwon.adapters.sqlite.store import ensure_sound as ensure_sound_database
from hardwon.adapters.sqlite.store import move_aside
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.entrypoints.bootstrap import Memory


def store_path(memory: Memory) -> str | None:
    """Return the path of the store's file, None where there is none yet."""
    return None if memory.database.path == IN_MEMORY else memory.database.path


def ensure_sound(memory: Memory) -> None:
    """
    Read the whole store and check its structure.

    Raises:
        CorruptStoreError: something in it is damaged.
    """
    ensure_sound_database(memory.database)


def move_store_aside(folder: str) -> str:
    """
    Rename the store's file, so that a new one can take its place; return where it is now.

    Raises:
        StorageError: it can't be renamed.
    """
    return move_aside(folder, SystemClock().now())


def rebuild_keyword_index(memory: Memory) -> None:
    """Rebuild the keyword index, where SQLite has one."""
    if is_available():
        rebuild_index(memory.database)


def is_keyword_index_used(memory: Memory) -> bool:
    """Tell whether the settings want the keyword index, and it is there and fits the entries."""
    return memory.settings.keyword_search and is_available() and is_intact(memory.database)


def ensure_keyword_index(memory: Memory) -> None:
    """
    Check the keyword index by a search.

    Raises:
        KeywordIndexUnavailableError: it can't be used; one line says why.
    """
    if not is_available():
        raise KeywordIndexUnavailableError(UNAVAILABLE)
    if not is_intact(memory.database):
        raise KeywordIndexUnavailableError("it does not fit the entries, run: hardwon doctor --repair")
    FtsKeywordIndex(memory.database).match(["a"], "any", EVERYTHING, Deadline(time.monotonic))


def ensure_vector_index(memory: Memory) -> None:
    """
    Check that vectors can be searched here.

    Raises:
        VectorIndexUnavailableError: they can't be.
    """
    from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

    if memory.vectors is not None:
        NumpyVectorIndex(memory.vectors).ensure_usable()


def ensure_local_model() -> None:
    """
    Check the embedded model's file.

    Raises:
        EmbedderUnavailableError: it is missing or damaged.
    """
    from hardwon.adapters.minilm.weights import find_weights, verify_sha256

    verify_sha256(find_weights())
