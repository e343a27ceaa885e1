"""What can be wrong with an installation and its store, each checked by itself."""

import os
import shutil
from collections.abc import Callable, Iterator

import attrs

from hardwon.adapters.minilm.weights import find_weights, verify_sha256
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.adapters.sqlite.fts import UNAVAILABLE, is_available, is_intact
from hardwon.adapters.sqlite.repair import ensure_sound
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.errors import HardwonError, KeywordIndexUnavailableError
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.composition import LOCAL_PROVIDERS, Memory, open_memory


@attrs.frozen
class Finding:
    """
    The outcome of one check.

    Attributes:
        name: What was checked.
        ok: Whether it works.
        detail: What was found, and the way out when it does not work.

    """

    name: str
    ok: bool
    detail: str


def examine(settings: Settings) -> list[Finding]:
    """Return the findings, the store first; what depends on a store that can't be opened is left out."""
    return [*_store(settings), *_tools(settings)]


def _store(settings: Settings) -> Iterator[Finding]:
    try:
        memory = open_memory(settings, lambda _: None, repair_index=False)
    except HardwonError as error:
        yield Finding("store", ok=False, detail=str(error))
        return
    yield _checked("store", lambda: _sound(memory))
    yield _checked("keyword index", lambda: _keyword_index(memory))
    yield _checked("vectors", lambda: _vectors(memory))
    memory.database.close()


def _tools(settings: Settings) -> Iterator[Finding]:
    if settings.embedding_provider in LOCAL_PROVIDERS:
        yield _checked("embedded model", _weights)
    git = shutil.which("git")
    yield Finding("git", ok=git is not None, detail=git or "not on PATH: changed files give no signal")


def _checked(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, ok=True, detail=check())
    except HardwonError as error:
        return Finding(name, ok=False, detail=str(error))


def _sound(memory: Memory) -> str:
    ensure_sound(memory.database)
    total = sum(memory.repository.sizes(LEARNINGS).values())
    return f"{total} entries in {memory.database.path}, {os.path.getsize(memory.database.path)} bytes"


def _keyword_index(memory: Memory) -> str:
    if not is_available():
        raise KeywordIndexUnavailableError(UNAVAILABLE)
    if not is_intact(memory.database):
        raise KeywordIndexUnavailableError("it does not fit the entries, run: hardwon doctor --repair")
    return "complete"


def _vectors(memory: Memory) -> str:
    if memory.vectors is None:
        return "no embedder is configured: search is by word only"
    NumpyVectorIndex(memory.vectors).ensure_usable()
    model = memory.vectors.space.model
    return f"{memory.vectors.count()} by {model}, {memory.vectors.count_pending()} missing"


def _weights() -> str:
    path = find_weights()
    verify_sha256(path)
    return path
