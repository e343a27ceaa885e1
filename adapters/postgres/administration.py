"""Administration of a server's store by its database's owner."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

import attrs

from hardwon.adapters.postgres import migrate
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.session import NEWEST
from hardwon.adapters.postgres.store import open_postgres
from hardwon.adapters.postgres.vectors import slow_searches
from hardwon.domain.model.settings import ServerAddress


@attrs.frozen(kw_only=True)
class ServerStatus:
    """
    A store on a server, as one member sees it.

    Attributes:
        bypasses: Whether row-level security does not apply to the role, as to a superuser.
        personal: Number of these that only the member may see.
        indexed: The widths of vectors that have an index.
        slow: A line for each width of many vectors that has none.
    """

    server: str
    pgvector: str
    schema: int
    is_standby: bool
    tenant: str
    role: str
    bypasses: bool
    entries: int
    personal: int
    indexed: tuple[int, ...]
    slow: tuple[str, ...]
    database_bytes: int


STATUS = """
    SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
        (SELECT name FROM hardwon.tenant WHERE tenant = %(tenant)s),
        (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
        (SELECT count(*) FROM hardwon.entry WHERE tenant = %(tenant)s),
        (SELECT count(*) FROM hardwon.entry WHERE tenant = %(tenant)s AND owner = current_user),
        (SELECT array_agg(substring(indexname FROM '[0-9]+$')::int ORDER BY 1) FROM pg_indexes
            WHERE schemaname = 'hardwon' AND indexname LIKE 'vector_near_%%'),
        pg_database_size(current_database())
"""


def status_of(database: PostgresDatabase) -> ServerStatus:
    """Return the facts of an open store."""
    [(server, pgvector, tenant, bypasses, entries, personal, indexed, size)] = database.rows(STATUS)
    return ServerStatus(
        server=server.split()[0],
        pgvector=pgvector,
        schema=NEWEST,
        is_standby=database.is_read_only,
        tenant=tenant or "",
        role=database.role,
        bypasses=bypasses,
        entries=entries,
        personal=personal,
        indexed=tuple(indexed or ()),
        slow=tuple(slow_searches(database)),
        database_bytes=size,
    )


class ServerAdministration(NamedTuple):
    """The schema, members and facts of the store on a server."""

    server: ServerAddress

    def migrate(self) -> Sequence[int]:
        """Migrate to the newest schema and return the versions applied."""
        return migrate.migrate(self.server.dsn)

    def vacuum(self) -> None:
        """Remove the bytes of deleted rows from the server's files."""
        migrate.vacuum(self.server.dsn)

    def add_member(self, role: str, tenant: str) -> None:
        """Let a login role use the store."""
        migrate.add_member(self.server.dsn, role, tenant)

    def remove_member(self, role: str) -> bool:
        """Remove a login role and return whether it was a member."""
        return migrate.remove_member(self.server.dsn, role)

    @contextmanager
    def throw_away_database(self) -> Iterator[ServerAddress]:
        """Create a temporary database on the same server, dropped afterwards."""
        with migrate.throw_away_database(self.server.dsn) as address:
            yield ServerAddress(address)

    def status(self) -> ServerStatus:
        """Return the facts of the store."""
        with closing(open_postgres(self.server, lambda _: None)) as store:
            return status_of(store.database)
