"""What can be wrong with an installation and its store, each checked by itself."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import attrs

from hardwon.adapters.minilm.weights import find_weights, verify_sha256
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.adapters.sqlite.fts import UNAVAILABLE, FtsKeywordIndex, is_available, is_intact
from hardwon.adapters.sqlite.repair import ensure_sound
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.errors import HardwonError, KeywordIndexUnavailableError
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embedding import embed_query
from hardwon.entrypoints.composition import EmbeddingSpace, Memory, open_memory
from hardwon.entrypoints.providers import KEY_NAMES, LOCAL

TRIAL_SECONDS = 5


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
    return [*_store(settings), *_tools()]


def _store(settings: Settings) -> Iterator[Finding]:
    try:
        memory = open_memory(settings, lambda _: None, repair_index=False)
    except HardwonError as error:
        yield Finding("store", ok=False, detail=str(error))
        return
    yield _checked("store", lambda: _sound(memory))
    yield _checked("keyword index", lambda: _keyword_index(memory))
    yield _checked("vectors", lambda: _vectors(memory))
    providers = list(_providers(memory))
    yield from providers
    yield Finding("search", ok=True, detail=_what_search_does(memory, providers))
    memory.database.close()


def _tools() -> Iterator[Finding]:
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
    return f"{total} {'entry' if total == 1 else 'entries'} in {memory.database.path}, {os.path.getsize(memory.database.path)} bytes"


def _keyword_index(memory: Memory) -> str:
    if not is_available():
        raise KeywordIndexUnavailableError(UNAVAILABLE)
    if not is_intact(memory.database):
        raise KeywordIndexUnavailableError("it does not fit the entries, run: hardwon doctor --repair")
    FtsKeywordIndex(memory.database).match(["a"], "any", Deadline(time.monotonic))
    return "complete"


def _vectors(memory: Memory) -> str:
    if memory.vectors is None:
        return "no embedder is configured: search is by word only"
    NumpyVectorIndex(memory.vectors).ensure_usable()
    model = memory.vectors.space.model
    return f"{memory.vectors.count()} by {model}, {memory.vectors.count_pending()} missing"


def _providers(memory: Memory) -> Iterator[Finding]:
    for space in memory.spaces:
        provider = space.embedder.space.provider
        yield _checked(f"provider {provider}", partial(_answer, space))


def _answer(space: EmbeddingSpace) -> str:
    identity = space.embedder.space
    if identity.provider == LOCAL:
        verify_sha256(find_weights())
    embed_query(space.embedder, "memory", Deadline.after(TRIAL_SECONDS, time.monotonic))
    return f"{identity.model} answers, {identity.dimensions} dimensions, {space.vectors.count()} vectors"


def keys(environ: Mapping[str, str]) -> dict[str, str]:
    """Return for each provider that needs a key the variable that holds it, and whether it is set; never the key."""
    return {
        provider: f"{name} is {'set' if environ.get(name, '').strip() else 'not set'}"
        for provider, name in (*KEY_NAMES.items(), ("anthropic", "ANTHROPIC_API_KEY"))
    }


def _what_search_does(memory: Memory, findings: Sequence[Finding]) -> str:
    """Return in words how the next search goes."""
    answering = {finding.name for finding in findings if finding.ok}
    for space in memory.spaces:
        identity = space.embedder.space
        if f"provider {identity.provider}" in answering and space.vectors.count():
            return f"by meaning with {identity.provider} {identity.model}, and by word"
    return "by word only"
