"""Administration of a server's store by its database's owner."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

from hardwon.adapters.postgres import migrate
from hardwon.adapters.postgres.status import ServerStatus, status_of
from hardwon.adapters.postgres.store import open_postgres
from hardwon.domain.model.settings import ServerAddress


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
