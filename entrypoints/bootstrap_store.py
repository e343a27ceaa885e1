"""Where memories are kept: copies between files and servers, and the schema and members of a server."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import ServerAddress, Settings
from hardwon.domain.use_cases.copy_store import Copied, CopyStore, Tally, copy_vectors, preview
from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.adapters.postgres.status import Status


def settings_at(settings: Settings, address: str) -> Settings:
    """Return *settings* for the store at *address*: the path of a folder, or the address of a server."""
    if ServerAddress.is_one(address):
        return settings._replace(server=ServerAddress(address))
    return settings._replace(global_store=address, server=None)


def preview_copy(source: Memory) -> list[Tally]:
    """Return what a copy of a store brings, by project and kind."""
    return preview(source.store.overview, source.store.projects)


def copy_store(source: Memory, target: Memory, progress: Callable[[], None]) -> Copied:
    """
    Copy everything of one store into another one, vectors of the spaces in use included; call *progress* after each record.

    Raises:
        StorageError: a store can't be read or written now; what was copied stays, and another run goes on.
    """
    store = target.store
    contents = source.store.contents
    copy = CopyStore(contents, source.repository.forgotten, store.contents, target.repository, store.projects)
    outcome = copy.copy(progress)
    if provider := source.store.metadata.automatic_provider:
        target.store.metadata.decide_provider(provider)
    for place, space in enumerate(source.spaces):
        vectors = target.store.vectors(space.vectors.space, target.warn, space.vectors.kinds, is_active=not place)
        outcome.vectors += copy_vectors(space.vectors, vectors, lambda numbers: _ids(target, numbers))
    from hardwon.adapters.folders.record import WrittenFolders

    WrittenFolders(source.settings.global_store).copy_to(target.settings.global_store)
    return outcome


def _ids(memory: Memory, numbers: Iterable[int]) -> Mapping[int, str]:
    return {facts.seq: facts.entry_id for facts in memory.repository.facts(numbers)}


def count_records(memory: Memory) -> int:
    """Return how many records a copy reads."""
    return sum(memory.store.contents.counts().values())


def server_of(settings: Settings) -> ServerAddress:
    """
    Return the server that *settings* name.

    Raises:
        StorageError: they name a folder.
    """
    if settings.server is None:
        raise StorageError("the store is a file here; name a server: HARDWON_STORE=postgresql://USER@HOST/DATABASE")
    return settings.server


def vacuum_server(server: ServerAddress) -> None:
    """
    Remove the bytes of deleted rows from the server's files.

    Raises:
        StorageError: this role does not own the tables, or the server can't do it now.
    """
    _require_driver()
    from hardwon.adapters.postgres.migrate import vacuum

    vacuum(server.dsn)


def migrate_server(server: ServerAddress) -> Sequence[int]:
    """
    Bring the database to the newest schema; return the versions that were added.

    Raises:
        StorageError: the server is too old, lacks pgvector, or does not let this role do it.
    """
    _require_driver()
    from hardwon.adapters.postgres.migrate import migrate

    return migrate(server.dsn)


@contextmanager
def throw_away_database(server: ServerAddress) -> Iterator[ServerAddress]:
    """
    Create a database beside the one of *server*, for a demonstration; it is dropped afterwards.

    Raises:
        StorageError: the role may not create databases, or the server does not fit.
    """
    _require_driver()
    from hardwon.adapters.postgres.migrate import throw_away_database

    with throw_away_database(server.dsn) as address:
        yield ServerAddress(address)


def add_member(server: ServerAddress, role: str, tenant: str) -> None:
    """
    Let a login role use the store.

    Raises:
        StorageError: there is no such role, or this role may not say so.
    """
    _require_driver()
    from hardwon.adapters.postgres.migrate import add_member

    add_member(server.dsn, role, tenant)


def remove_member(server: ServerAddress, role: str) -> bool:
    """
    Take the store away from a login role; return whether it was a member.

    Raises:
        StorageError: this role may not say so.
    """
    _require_driver()
    from hardwon.adapters.postgres.migrate import remove_member

    return remove_member(server.dsn, role)


def status_of(server: ServerAddress) -> "Status":
    """
    Return the facts of the store on a server.

    Raises:
        StorageError: it can't be opened.
    """
    from hardwon.adapters.postgres.store import open_postgres  # requires the driver itself

    store = open_postgres(server, lambda _: None)
    try:
        from hardwon.adapters.postgres.status import status_of

        return status_of(store.database)
    finally:
        store.close()


def _require_driver() -> None:
    """Import what connects to servers; raises StorageError, with the way out, where it is not installed."""
    import hardwon.adapters.postgres.store  # noqa: F401  # for its error
