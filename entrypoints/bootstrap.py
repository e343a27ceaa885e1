"""
The composition root: settings, their store and its embedding spaces.

Only `bootstrap*.py` import adapters. Functions `build_*` beside this module compose use cases on an
open store; an entry point imports those that it calls. Imports have no side effects; expensive ones
are inside functions, to keep hooks fast.
"""

import datetime as dt
import os
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, TypeVar

from hardwon.adapters.config.reader import UsersStore, read_store
from hardwon.adapters.config.reader import read_settings as read_settings_from
from hardwon.adapters.pause_file import PauseFile
from hardwon.domain.model.pause import Pause, pause_of
from hardwon.domain.model.settings import ResolvedSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.adapters.prepared_starts import PreparedStarts
    from hardwon.adapters.sqlite.database import SqliteDatabase
    from hardwon.adapters.sqlite.store import BlockIndex
    from hardwon.domain.model.errors import ServerAwayError
    from hardwon.domain.model.filters import Asker
    from hardwon.domain.model.project import Identity, Registry
    from hardwon.domain.use_cases.know_projects import KnowProjects
    from hardwon.entrypoints.bootstrap_retrieval import Memory
    from hardwon.ports.agents import AnsweringMark
    from hardwon.ports.clock import Clock
    from hardwon.ports.store import Store, Warn
    from hardwon.ports.vectors import BlockSource, VectorBlock, VectorIndex

BUSY_SECONDS = 5.0
T = TypeVar("T")


def open_memory(
    settings: Settings,
    warn: "Warn",
    *,
    busy_seconds: float = BUSY_SECONDS,
    repair_index: bool = True,
    create: bool = True,
    largest_upgrade: int | None = None,
    durable: bool = True,
) -> "Memory":
    """
    Open the store that *settings* names.

    Args:
        settings: The resolved settings.
        warn: Called with one line about a problem.
        busy_seconds: Longest wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.
        create: False opens an empty in-memory store if there is none.
        largest_upgrade: Migrate an older store only up to this many bytes; None migrates any.
        durable: False if only counters and receipts are written, whose loss in a power failure is
            harmless.
    """
    if settings.server:
        from hardwon.adapters.postgres.store import open_postgres

        server = open_postgres(settings.server, warn, busy_seconds=busy_seconds)
        return _memory_of(server, settings, warn)
    from hardwon.adapters.sqlite.opening import open_store
    from hardwon.adapters.sqlite.store import store_in

    database = open_store(
        settings.global_store,
        busy_seconds=busy_seconds,
        repair_index=repair_index,
        create=create,
        largest_upgrade=largest_upgrade,
        durable=durable,
    )
    store = store_in(settings.global_store, database, warn, blocks=_blocks())
    return _memory_of(store, settings, warn)


def open_outbox(
    settings: Settings, warn: "Warn", away: "ServerAwayError | None" = None, *, member: str = ""
) -> "Memory":
    """
    Open the outbox of the server that *settings* name, which is a store itself.

    Args:
        settings: The resolved settings.
        warn: Called with one line about a problem.
        away: Why the server is away; None while it is there.
        member: As whom the server is open, empty while it is away.
    """
    from hardwon.adapters.postgres.server import parameters_of, shown
    from hardwon.adapters.sqlite.outbox import open_outbox

    name = shown(parameters_of(settings.server.dsn)) if settings.server else ""
    outbox = open_outbox(settings.global_store, name, member, blocks=_blocks())
    outbox.database.warn = warn
    return _memory_of(outbox, settings, warn)._replace(away=str(away or ""))


def keep_in(settings: Settings, warn: "Warn", keep: "Callable[[Memory], T]") -> "tuple[Memory, T]":
    """
    Store by *keep*, in the outbox while the server is away.

    Returns:
        The open store with what *keep* returned.
    """
    from hardwon.domain.model.errors import ServerAwayError

    try:
        with ExitStack() as until_kept:
            memory = open_memory(settings, warn)
            until_kept.callback(memory.close)
            kept = keep(memory)
            until_kept.pop_all()
            return memory, kept
    except ServerAwayError as error:
        memory = open_outbox(settings, warn, error)
        return memory, keep(memory)


def _memory_of(store: "Store", settings: Settings, warn: "Warn") -> "Memory":
    from hardwon.entrypoints.bootstrap_retrieval import Memory, choose_automatically, open_spaces

    automatic = choose_automatically(os.environ, store.metadata.automatic_provider)
    return Memory(
        settings=settings,
        store=store,
        clock=system_clock(),
        spaces=open_spaces(settings, automatic, store=store, warn=warn),
        warn=warn,
    )


def _blocks() -> "BlockIndex":
    from hardwon.adapters.sqlite.store import BlockIndex

    return BlockIndex(_vector_index, _pack_block)


def _vector_index(source: "BlockSource") -> "VectorIndex":
    from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

    return NumpyVectorIndex(source)


def _pack_block(block: "VectorBlock", stamp: int) -> bytes | None:
    from hardwon.adapters.numpy_index.vector_index import pack_block

    return pack_block(block, stamp)


def system_clock() -> "Clock":
    """Return the clock of this machine."""
    from hardwon.adapters.clock import SystemClock

    return SystemClock()


SETTINGS_BUSY_SECONDS = 0.1
"""Longest wait of settings for a store that is being written."""

SETTINGS_WAIT_SECONDS = 1.0
"""Longest wait of settings for a server's answer."""


def read_settings(
    project_root: str, flags: Mapping[str, str], *, asks_git: bool = True
) -> ResolvedSettings:
    """
    Return the settings for a project.

    Args:
        project_root: The project's folder.
        flags: Values on the command line, which override the user's environment.
        asks_git: Whether git may be asked whether a project's file is the user's. The answer is
            stored for hooks, which start no git.

    """

    def trusted(store: UsersStore, name: str) -> bool:
        return _is_of_trusted_project(store, project_root, name, asks_git=asks_git)

    return read_settings_from(
        project_root, os.environ, flags=flags, named=provider_of_user, trusted=trusted
    )


def store_of(flags: Mapping[str, str]) -> str:
    """Return only the store's folder, which no project file can set."""
    return read_store(os.environ, flags)


def open_pauses(store: str) -> PauseFile:
    """Return the pauses of the store in that folder."""
    return PauseFile(store)


def open_prepared_starts(store: str) -> "PreparedStarts":
    """Return the prepared session starts of the store in that folder."""
    from hardwon.adapters.prepared_starts import PreparedStarts

    return PreparedStarts(store)


def keys_given() -> tuple[str, ...]:
    """Return the variables of the environment that have a provider's key, not the keys."""
    from hardwon.adapters.providers.table import PROVIDERS

    names = (provider.key_variable for provider in PROVIDERS)
    return tuple(name for name in names if os.environ.get(name, "").strip())


def state_of_program() -> tuple[object, ...]:
    """Return what differs between two installed versions of this program."""
    from hardwon.adapters.folder import state_of

    return __file__, state_of(__file__)


def provider_of_user(store: str) -> str | None:
    """
    Return the provider that `auto` means in that *store*.

    The decision of `hardwon embed --provider` precedes the environment.
    """
    from hardwon.adapters.sqlite.metadata import SqliteMetadata
    from hardwon.domain.model.errors import StorageError
    from hardwon.entrypoints.bootstrap_retrieval import choose_automatically

    decided = None
    # no store yet, or one that can't be read
    with suppress(StorageError), closing(_opened(store)) as database:
        decided = SqliteMetadata(database).automatic_provider
    return choose_automatically(os.environ, decided)


def _is_of_trusted_project(
    store: UsersStore, project_root: str, name: str, *, asks_git: bool
) -> bool:
    """
    Return whether the user trusts the project and owns its file's version.

    Git's answer on the file is stored for hooks, which start no git: on a branch they rely on what
    a command or the worker found.
    """
    from hardwon.adapters.git.versions import CheckedOutVersions, GitVersions

    path = os.path.join(os.path.realpath(project_root), name)
    if not _is_trusted(store, project_root):
        return False
    if CheckedOutVersions().version_of(path).is_own:
        return True
    if not asks_git:
        return _digest(path) in _noted(store)
    if not GitVersions(store.mode).version_of(path).is_own:
        return False
    _note(store, _digest(path))
    return True


def _is_trusted(store: UsersStore, project_root: str) -> bool:
    from hardwon.adapters.git.identity import identify
    from hardwon.domain.model.project import Project

    registry, identity = _registry(store), identify(project_root).as_text()
    project = registry.with_key(identity.key) or Project("", "", identity)
    return registry.reason(project) in {"trusted", "below"}


def _registry(store: UsersStore) -> "Registry":
    from hardwon.adapters.sqlite.projects import SqliteProjects
    from hardwon.domain.model.errors import StorageError
    from hardwon.domain.model.project import Registry

    try:
        if store.server:
            from hardwon.adapters.postgres.store import open_postgres

            with closing(
                open_postgres(store.server, lambda _: None, longest_wait=SETTINGS_WAIT_SECONDS)
            ) as opened:
                return opened.registry(store.mode)
        with closing(_opened(store.folder)) as database:
            return SqliteProjects(database).registry(store.mode)
    except StorageError:
        return Registry()


def _noted(store: UsersStore) -> frozenset[str]:
    from hardwon.adapters.sqlite.metadata import SqliteMetadata
    from hardwon.adapters.sqlite.query_vectors import OWN_FILE
    from hardwon.domain.model.errors import StorageError

    file_name = OWN_FILE if store.server else None
    with suppress(StorageError), closing(_opened(store.folder, file_name)) as database:
        return SqliteMetadata(database).own_files
    return frozenset()


def _note(store: UsersStore, digest: str) -> None:
    """
    Store a version that git attributes to the user, for hooks.

    Skipped if the file is busy. With a store on a server it is stored on this machine: the path is
    local, and other members can write to the server.
    """
    from hardwon.adapters.sqlite.metadata import SqliteMetadata
    from hardwon.domain.model.errors import StorageError

    if digest in _noted(store):
        return
    with suppress(StorageError), closing(_opened_to_note(store)) as database:
        SqliteMetadata(database).note_own_file(digest)


def _opened(folder: str, file_name: str | None = None) -> "SqliteDatabase":
    from hardwon.adapters.sqlite.database import FILE_NAME, SqliteDatabase

    path = os.path.join(folder, file_name or FILE_NAME)
    return SqliteDatabase(path, SETTINGS_BUSY_SECONDS, read_only=True)


def _opened_to_note(store: UsersStore) -> "SqliteDatabase":
    from hardwon.adapters.sqlite.database import FILE_NAME, SqliteDatabase
    from hardwon.adapters.sqlite.query_vectors import own_metadata

    if store.server:
        return own_metadata(store.folder, SETTINGS_BUSY_SECONDS)
    return SqliteDatabase(os.path.join(store.folder, FILE_NAME), SETTINGS_BUSY_SECONDS)


def _digest(path: str) -> str:
    from hardwon.domain.model.injection.receipt import text_digest

    with suppress(OSError), open(path, "rb") as file:
        return text_digest(f"{path}\0{file.read().decode('latin-1')}")
    return ""


def now() -> dt.datetime:
    """Return the time in UTC, without importing a port."""
    return dt.datetime.now(dt.UTC)


def open_log(store: str) -> "Warn":
    """Return a function that logs a line in that folder."""

    def log(event: str) -> None:
        from hardwon.adapters.hook_log import log_event

        log_event(store, event, now())

    return log


def identify(folder: str) -> "Identity":
    """Return the storable identity of *folder*, without a process."""
    from hardwon.adapters.git.identity import identify

    return identify(folder).as_text()


def name_of(folder: str) -> str:
    """Return the name of a project or workspace: its folder's."""
    return (
        os.fsencode(os.path.basename(os.path.realpath(folder))).decode("utf-8", "replace") or os.sep
    )


def who_asks(*, by_slash_command: bool = False) -> "Asker":
    """
    Return whether a person or an agent runs this program.

    A terminal proves nothing.
    """
    from hardwon.adapters.agents.table import runs_in_agent

    return "agent" if by_slash_command or runs_in_agent(os.environ) else "person"


VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""The variable in which Claude Code passes the id of the session."""


def host_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return Claude Code's session id, empty if none is named."""
    return environ.get(VARIABLE, "").encode("utf-8", "replace").decode()


def host_process(environ: Mapping[str, str] = os.environ) -> int:
    """Return Claude Code's process that started this one, 0 if none is named."""
    named = environ.get("CLAUDE_PID", "")
    return int(named) if named.isascii() and named.isdecimal() else 0


def host_folder(cwd: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the folder in which the host began, else *cwd*."""
    named = environ.get("CLAUDE_PROJECT_DIR", "").strip()
    above = os.path.join(os.path.realpath(named), "")
    return named if named and os.path.realpath(cwd).startswith(above) else cwd


def open_server_mark(store: str, client: int) -> "AnsweringMark":
    """Return the mark of the server that the process *client* started."""
    from hardwon.adapters.server_mark import ServerMark

    return ServerMark(store, client)


def present_pause(store: str, now: dt.datetime) -> Pause | None:
    """Return the pause of the host session at *now*, or None."""
    return pause_of(host_session(), open_pauses(store).read(), now)


def build_know_projects(memory: "Memory") -> "KnowProjects":
    """Build the registration and look-up of projects, and decisions on them."""
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.domain.use_cases.know_projects import KnowProjects

    return KnowProjects(
        memory.store.projects,
        GitRepositoryHistory(),
        memory.settings.trust,
        on_decision=open_prepared_starts(memory.settings.global_store).remove,
    )
