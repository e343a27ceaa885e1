"""Checks of an installation: store, settings, providers and agents."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial

import attrs

from hardwon.domain.model.conversation.hook_event import MAX_WAITING
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import (
    CorruptStoreError,
    EmbedderUnavailableError,
    HardwonError,
    StorageError,
)
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.pause import holding
from hardwon.domain.model.settings import ServerAddress, Settings
from hardwon.domain.use_cases.embedding_spaces import EmbeddingSpace, Spaces
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.entrypoints.bootstrap import (
    build_know_projects,
    host_session,
    identify,
    open_memory,
    open_pauses,
    system_clock,
)
from hardwon.entrypoints.bootstrap_agents import build_agents, server_start_seconds
from hardwon.entrypoints.bootstrap_capture import count_events
from hardwon.entrypoints.bootstrap_files import build_find_drift, find_git, top_of, unreadable_files
from hardwon.entrypoints.bootstrap_retrieval import (
    EMBEDDER_NAMES,
    KEY_NAMES,
    LOCAL,
    Memory,
    build_embedder,
    ensure_local_model,
    open_trials,
)
from hardwon.entrypoints.bootstrap_upkeep import administer, exposure, problems_beside
from hardwon.entrypoints.context import (
    count_at_home,
    look_up_if_possible,
    others_notice,
    read_workplace,
)
from hardwon.entrypoints.health_projects import project_lines
from hardwon.entrypoints.notices import FULL_JOURNAL
from hardwon.entrypoints.outbox import lines_of_waiting
from hardwon.entrypoints.presenters.entries import drift_line
from hardwon.entrypoints.presenters.lift import trial_line
from hardwon.entrypoints.presenters.pauses import pause_line
from hardwon.entrypoints.presenters.projects import why
from hardwon.entrypoints.presenters.text import counted
from hardwon.ports.agents import Agent, Connection
from hardwon.ports.store import Store

NO_AGENT = "none calls the hook yet: run hardwon init"
NOT_STORED = "not known yet: the store can't be written now"
SWITCHED_OFF = "{} switches its hooks off, ours too: take that out"


@attrs.frozen
class Finding:
    """
    The outcome of one check.

    Attributes:
        detail: The state, with a remedy if it does not work.
        todo: Whether the user has to act in another program, which is no failure of this one.

    """

    name: str
    ok: bool
    detail: str
    todo: bool = False

    @property
    def mark(self) -> tuple[str, str]:
        """The label on the screen, and its color."""
        if self.todo:
            return "to do", "yellow"
        return ("ok", "green") if self.ok else ("trouble", "red")


def agent_findings(
    agents: Sequence[Agent], project: str, start_seconds: Callable[[], float]
) -> list[Finding]:
    """
    Return the findings on each agent that calls us in *project*.

    If none does, the only finding says how to begin.
    """
    return list(_agent_findings(agents, project, start_seconds)) or [
        Finding("agents", ok=True, detail=NO_AGENT)
    ]


def _agent_findings(
    agents: Sequence[Agent], project: str, start_seconds: Callable[[], float]
) -> Iterator[Finding]:
    for agent in agents:
        connection = agent.connection()
        if connection.ways:
            obstacle = agent.obstacle(project)
            problem = SWITCHED_OFF.format(obstacle) if obstacle else problem_of(connection)
            detail = problem or f"hooks from {_ways(connection)}"
            yield Finding(f"agent {agent.name}", ok=not problem, detail=detail)
            for want in agent.wants(project, start_seconds):
                yield Finding(f"agent {agent.name}", ok=True, detail=want, todo=True)


def problem_of(connection: Connection) -> str:
    """Return why a connection fails, empty if it works."""
    if len(connection.ways) > 1:
        return f"hooks run twice, from {_ways(connection)}: hardwon init leaves them to the plugin"
    if connection.missing:
        return f"{connection.missing[0]} is gone, {_ways(connection)} names it: run hardwon init"
    return ""


def _ways(connection: Connection) -> str:
    return " and ".join(connection.ways)


LATEST_INJECTIONS = 50
MISSED = (
    "{0} of the latest {1} that a transcript tells of never reached the model, the last in session"
    " {2}: the host did not wait for the hook; hardwon init writes a time-out of 10 s into the"
    " host's settings, hardwon why {2} tells more"
)
TRIAL_SECONDS = 5
ROWS_SHOWN = 5
CHECKED = "provider "
NEWEST_TESTED = (3, 13)
"""The newest minor version of Python on which `make pythons` was run."""


def examine(settings: Settings, project_root: str) -> Iterator[Finding]:
    """
    Yield all findings, those of Python and the store first.

    If the store can't be opened, checks of its contents are left out.
    """
    # Before the store is opened, which replaces a damaged log.
    beside = list(problems_beside(settings.global_store))
    files = [
        Finding("file", ok=False, detail=line) for line in unreadable_files(settings, project_root)
    ]
    yield python_finding(sys.version_info[:3])
    yield from _store(settings, project_root)
    yield from (Finding(name, ok=False, detail=line) for name, line in beside)
    yield from files
    yield from _exposure(settings)
    yield from _pauses(settings)
    yield from _trial(settings)
    yield from _capture(settings)
    yield from _outboxes(settings)
    yield _git(project_root)
    yield from _agents(project_root)


def python_finding(version: tuple[int, ...]) -> Finding:
    """Return the finding on the running Python, ok even if untested."""
    running, newest = (".".join(map(str, numbers)) for numbers in (version, NEWEST_TESTED))
    untested = f", which hardwon was not tested on: Python {newest} is the newest that was"
    return Finding("python", ok=True, detail=running + untested * (version[:2] > NEWEST_TESTED))


def _store(settings: Settings, project_root: str) -> Iterator[Finding]:
    try:
        memory = open_memory(settings, lambda _: None, repair_index=False, create=False)
    except HardwonError as error:
        yield Finding("store", ok=False, detail=str(error))
        return
    yield _checked("store", lambda: _sound(memory.store, memory.settings))
    yield _checked("schema", lambda: f"version {memory.store.upkeep.ensure_schema()}, as expected")
    with suppress(CorruptStoreError):  # the store's finding says it
        yield _rows(memory.store)
    yield _checked("project", lambda: _project(build_know_projects(memory), project_root))
    yield from _projects(build_know_projects(memory), memory.store)
    yield from _banks(memory, project_root)
    yield from _injections(memory.store)
    yield _checked("keyword index", lambda: _keyword_index(memory.store))
    yield _checked("vectors", lambda: _vectors(memory.spaces))
    for line in memory.store.upkeep.slow_searches():
        yield Finding("vectors", ok=True, detail=line, todo=True)
    providers = [(space, _provider(space)) for space in _examined(memory.spaces)]
    yield from (finding for _, finding in providers)
    answering = [space for space, finding in providers if finding.ok]
    yield Finding("search", ok=True, detail=_how_search_works(answering))
    memory.close()


def _exposure(settings: Settings) -> list[Finding]:
    line = exposure(settings.global_store)
    return [Finding("permissions", ok=True, detail=line, todo=True)] if line else []


def _pauses(settings: Settings) -> list[Finding]:
    held = holding(open_pauses(settings.global_store).read(), system_clock().now())
    return [
        Finding("pause", ok=pause.is_readable, detail=pause_line(pause, host_session()))
        for pause in held
    ]


def _trial(settings: Settings) -> list[Finding]:
    trial = open_trials(settings.global_store).read()
    return [Finding("trial", ok=True, detail=trial_line(trial))] if trial else []


def _capture(settings: Settings) -> list[Finding]:
    try:
        waiting = count_events(settings.global_store)
    except StorageError:
        return []  # the file's finding says it
    if waiting >= MAX_WAITING:
        return [Finding("capture", ok=False, detail=FULL_JOURNAL)]
    line = (
        f"{counted(waiting, 'event waits', 'events wait')} to be kept: hardwon capture --status"
        " lists them"
    )
    return [Finding("capture", ok=True, detail=line)] * bool(waiting)


def _outboxes(settings: Settings) -> list[Finding]:
    try:
        lines = lines_of_waiting(settings.global_store)
    except StorageError as error:
        return [Finding("outbox", ok=False, detail=str(error))]
    return [Finding("outbox", ok=True, detail=line) for line in lines]


def _git(project_root: str) -> Finding:
    try:
        return Finding("git", ok=True, detail=find_git(project_root))
    except (OSError, ValueError):
        return Finding("git", ok=False, detail="not on PATH: changed files give no signal")


def _agents(project_root: str) -> list[Finding]:
    folder = os.path.realpath(project_root)
    return agent_findings(
        build_agents(os.environ), top_of(folder) or folder, cache(server_start_seconds)
    )


def _checked(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, ok=True, detail=check())
    except HardwonError as error:
        return Finding(name, ok=False, detail=str(error))


def _sound(store: Store, settings: Settings) -> str:
    if settings.server:
        return _server(store, settings.server)
    path = store.file
    if path is None:
        return f"none yet in {settings.global_store}: the first import or lesson makes it"
    store.upkeep.ensure_sound()
    count, size = store.entries.count(EVERYTHING), store.upkeep.size()
    return f"{counted(count, 'entry', 'entries')} in {path}, {size} bytes"


def _server(store: Store, server: ServerAddress) -> str:
    facts = administer(server).status()
    store.upkeep.ensure_sound()
    return (
        f"{counted(facts.entries, 'entry', 'entries')} in {server}, tenant {facts.tenant!r}, as"
        f" {facts.role!r}; PostgreSQL {facts.server}, pgvector {facts.pgvector}"
    )


def _rows(store: Store) -> Finding:
    try:
        _ensure_readable(store.upkeep.unreadable())
    except CorruptStoreError:
        raise
    except StorageError as error:
        return Finding("rows", ok=False, detail=str(error))
    return Finding("rows", ok=True, detail="all can be read")


def _ensure_readable(unreadable: list[str]) -> None:
    if unreadable:
        more = f" and {len(unreadable) - ROWS_SHOWN} more" if len(unreadable) > ROWS_SHOWN else ""
        raise StorageError(
            f"{'; '.join(unreadable[:ROWS_SHOWN])}{more}; run: hardwon doctor --repair"
        )


def _project(know: KnowProjects, project_root: str) -> str:
    look_up_if_possible(know, project_root)
    registry = know.registry()
    project = registry.with_key(identify(project_root).key)
    return f"{registry.label_of(project.id)}, {why(project, registry)}" if project else NOT_STORED


def _projects(know: KnowProjects, store: Store) -> Iterator[Finding]:
    with suppress(StorageError):
        for line in project_lines(know, store):
            yield Finding("entries", ok=True, detail=line)


def _banks(memory: Memory, project_root: str) -> Iterator[Finding]:
    with suppress(StorageError):
        workplace = read_workplace(memory, project_root)
        if notice := others_notice(count_at_home(memory.repository, workplace)):
            yield Finding("checkout", ok=True, detail=notice)
        for drift in build_find_drift(memory, project_root, workplace).drifted():
            yield Finding("knowledge bank", ok=True, detail=drift_line(drift))


def _injections(store: Store) -> Iterator[Finding]:
    with suppress(StorageError):
        latest = store.receipts.newest(limit=LATEST_INJECTIONS)
        settled = [
            receipt
            for receipt in latest
            if receipt.delivery in {"delivered", "missed"} and receipt.arm != "withheld"
        ]
        missed = [receipt for receipt in settled if receipt.delivery == "missed"]
        if missed:
            detail = MISSED.format(len(missed), len(settled), missed[0].session_id)
            yield Finding("injections", ok=True, detail=detail, todo=settled[0] is missed[0])


def _keyword_index(store: Store) -> str:
    store.upkeep.ensure_keyword_index()
    return "complete"


def _vectors(spaces: Spaces) -> str:
    if spaces.vectors is None:
        return "no embedder is configured: search is by word only"
    next(iter(spaces)).vector_index.ensure_usable()
    made = (
        f"{_count(space)} by {space.vectors.space.model}" for space in spaces.in_use(EVERYTHING)
    )
    return f"{', '.join(made)}, {spaces.count_pending(EVERYTHING)} missing"


def _count(space: EmbeddingSpace) -> int:
    return space.vectors.count(space.served(EVERYTHING))


def _examined(spaces: Spaces) -> list[EmbeddingSpace]:
    others = [space for space in spaces if not spaces.is_of_active_provider(space.embedder.space)]
    used = [space for space in others if spaces.store.entries.count(space.served(EVERYTHING))]
    return [*spaces.in_use(EVERYTHING), *used]


def _provider(space: EmbeddingSpace) -> Finding:
    return _checked(f"{CHECKED}{space.embedder.space.provider}", partial(_answer, space))


def _answer(space: EmbeddingSpace) -> str:
    identity = space.embedder.space
    if identity.provider == LOCAL:
        ensure_local_model()
    embed_query(space.embedder, "memory", Deadline.after(TRIAL_SECONDS, time.monotonic))
    return f"{identity.model} answers, {identity.dimensions} dimensions, {_count(space)} vectors"


@attrs.frozen(kw_only=True)
class ProviderState:
    """
    The state of an embedding provider, without calling it.

    Attributes:
        key: The variable of its key, and whether that is set; never the key.
        dimensions: Width of its vectors, 0 when unknown.
    """

    provider: str
    chosen: bool
    key: str
    model: str
    dimensions: int


def provider_states(
    settings: Settings, chosen: Sequence[str], environ: Mapping[str, str]
) -> list[ProviderState]:
    """Return all embedding providers, where *chosen* ones are searched, in order."""
    return [
        _state(provider, settings, environ, chosen=provider in chosen)
        for provider in EMBEDDER_NAMES
    ]


def _state(
    provider: str, settings: Settings, environ: Mapping[str, str], *, chosen: bool
) -> ProviderState:
    own = settings if chosen else settings._replace(embedding_model="", embedding_dimensions=0)
    try:
        space = build_embedder(provider, own, environ).space
        model, dimensions = space.model, space.dimensions
    except EmbedderUnavailableError:
        model, dimensions = own.embedding_model, 0
    return ProviderState(
        provider=provider,
        chosen=chosen,
        key=_key_state(provider, environ),
        model=model,
        dimensions=dimensions,
    )


def keys(environ: Mapping[str, str]) -> dict[str, str]:
    """
    Return each service's key variable, and whether it is set.

    It never returns the key.
    """
    return {service: _key_state(service, environ) for service in KEY_NAMES}


def _key_state(service: str, environ: Mapping[str, str]) -> str:
    name = KEY_NAMES.get(service)
    if name is None:
        return "needs no key"
    return f"{name} is {'set' if environ.get(name, '').strip() else 'not set'}"


def _how_search_works(answering: Sequence[EmbeddingSpace]) -> str:
    for space in answering:
        if _count(space):
            identity = space.embedder.space
            return f"by meaning with {identity.provider} {identity.model}, and by word"
    return "by word only"
