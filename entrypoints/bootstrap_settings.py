"""Whether a file of a project may choose the provider and the model: the project is trusted, and the file is the user's."""

import contextlib
import os

from hardwon.adapters.config.reader import UsersStore
from hardwon.adapters.git.identity import identify
from hardwon.adapters.git.versions import CheckedOutVersions
from hardwon.adapters.sqlite.database import FILE_NAME, Database
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.query_vectors import OWN_FILE, own_metadata
from hardwon.adapters.sqlite.registry import read_registry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import text_digest
from hardwon.domain.model.project import Project, Registry

BUSY_SECONDS = 0.1
"""How long settings wait for a store that is being written."""

WAIT_SECONDS = 1.0
"""The longest wait for an answer of a server."""


def is_of_trusted_project(store: UsersStore, project_root: str, name: str, *, asks_git: bool) -> bool:
    """
    Return whether the user trusts the project by name, and the version of its file *name* is the user's.

    Git's answer is noted for hooks, which start no git: on a branch they count what a command or the worker found to be the user's.
    """
    path = os.path.join(os.path.realpath(project_root), name)
    if not _is_trusted(store, project_root):
        return False
    if CheckedOutVersions().of(path).is_own:
        return True
    if not asks_git:
        return _digest(path) in _noted(store)
    from hardwon.adapters.git.versions import GitVersions

    if not GitVersions(store.mode).of(path).is_own:
        return False
    _note(store, _digest(path))
    return True


def _is_trusted(store: UsersStore, project_root: str) -> bool:
    """Return whether the user named the project, or a folder that holds it, as trusted."""
    registry, identity = _registry(store), identify(project_root).as_text()
    project = registry.with_key(identity.key) or Project("", "", identity)
    return registry.reason(project) in {"trusted", "below"}


def _registry(store: UsersStore) -> Registry:
    """Return the projects that the store knows; none where it can't be read."""
    try:
        if store.server:
            from hardwon.adapters.postgres.store import open_postgres

            with contextlib.closing(open_postgres(store.server, _ignored, longest_wait=WAIT_SECONDS)) as opened:
                return opened.registry(store.mode)
        with contextlib.closing(_opened(store, FILE_NAME)) as database:
            return read_registry(database, store.mode)
    except StorageError:
        return Registry()


def _noted(store: UsersStore) -> frozenset[str]:
    file_name = OWN_FILE if store.server else FILE_NAME
    with contextlib.suppress(StorageError), contextlib.closing(_opened(store, file_name)) as database:
        return SqliteMetadata(database).own_files
    return frozenset()


def _note(store: UsersStore, digest: str) -> None:
    """
    Note a version that git says is the user's, for hooks; a file that is busy keeps none.

    With a store on a server it is noted on this machine: the path is of this machine, and other members may write there.
    """
    if digest in _noted(store):
        return
    with contextlib.suppress(StorageError), contextlib.closing(_opened_to_note(store)) as database:
        SqliteMetadata(database).note_own_file(digest)


def _ignored(_: str) -> None:
    pass


def _opened(store: UsersStore, file_name: str) -> Database:
    return Database(os.path.join(store.folder, file_name), BUSY_SECONDS, read_only=True)


def _opened_to_note(store: UsersStore) -> Database:
    if store.server:
        return own_metadata(store.folder, BUSY_SECONDS)
    return Database(os.path.join(store.folder, FILE_NAME), BUSY_SECONDS)


def _digest(path: str) -> str:
    """Return what a version of a file is known by: its place and its bytes."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return text_digest(f"{path}\0{file.read().decode('latin-1')}")
    return ""
