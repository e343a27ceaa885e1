"""Facts about a server and a tenant's share of it."""

import attrs

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.session import NEWEST

MEASURED = (
    *("entry", "entry_text", "recall", "usage", "history", "vector", "document", "posting"),
    *("receipt", "receipt_entry", "influence", "saved_row"),
)
"""The tables that grow."""


@attrs.frozen(kw_only=True)
class ServerStatus:
    """
    A store on a server, as one member sees it.

    Attributes:
        bypasses: Whether row-level security does not apply to the role, as to a superuser.
        personal: Number of these that only the member may see.
        indexed: The widths of vectors that have an index.
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
        database_bytes=size,
    )


def bytes_of(database: PostgresDatabase) -> int:
    """Return the bytes of all tenants' growing tables, with their indexes."""
    return int(
        database.value(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relname = ANY(%(tables)s)",
            tables=list(MEASURED),
        )
    )
