"""
Schema migrations as numbered SQL files, and membership.

A released file is never edited: its checksum is stored.
"""

import hashlib
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg import errors
from psycopg import sql as composed

from hardwon.adapters.postgres.migrate_spellings import unite_spellings
from hardwon.adapters.postgres.server import parameters_of, shown, translated, with_database
from hardwon.adapters.postgres.session import CONNECT_SECONDS, NEWEST
from hardwon.adapters.postgres.vectors import LARGEST_SCAN
from hardwon.domain.model.errors import NewerSchemaError, StorageError

FOLDER = Path(__file__).parent / "migrations"
OLDEST_SERVER = 160_000
OLDEST_VECTOR = (0, 8)
LOCK = 0x68617264776F6E
"""Key of the advisory lock of migrations: `hardwon` as a number."""

UNITED_BY = 2
"""The version whose migration also changes rows in Python."""

MEMBERS = "hardwon_member"
"""The role that grants members their rights, without a login."""

DEFAULT_TENANT = "default"
MAX_INDEXED_WIDTH = 4_000
"""Largest dimension that pgvector can index, in half precision."""

ABANDONED = """
    SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relname = %s AND NOT i.indisvalid
        AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid)
"""
"""Selects a row if an interrupted migration left the index unfinished."""


SNAPSHOT_SECONDS = 30.0
"""Longest wait for transactions that may still see deleted rows."""

IS_SEEN = """
    SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) <= %(now)s::xid8
    UNION ALL SELECT 1 FROM pg_stat_activity
    WHERE coalesce(datname = current_database(), true) AND pid <> pg_backend_pid()
        AND age(backend_xmin) > age(%(now)s::xid8::xid)
    UNION ALL SELECT 1 FROM pg_replication_slots WHERE age(xmin) > age(%(now)s::xid8::xid) LIMIT 1
"""
"""
Selects a row if VACUUM keeps rows that were deleted before that transaction.

A snapshot begins at the oldest transaction that writes in any database, so VACUUM's own does too.
"""

SELECT_TABLES = """
    SELECT c.relname, pg_get_userbyid(c.relowner), pg_has_role(c.relowner, 'USAGE') FROM pg_class c
    WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relkind = 'r' ORDER BY c.relname
"""


class Migration(NamedTuple):
    """A file of SQL, run in one transaction."""

    version: int
    text: str

    @property
    def checksum(self) -> str:
        """The sha256 of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return all migrations in order."""
    names = sorted(file.name for file in FOLDER.iterdir() if file.name.endswith(".sql"))
    return [Migration(int(name[:4]), (FOLDER / name).read_text("utf-8")) for name in names]


@contextmanager
def _as_owner(dsn: str) -> "Iterator[tuple[psycopg.Connection, str]]":
    parameters = parameters_of(dsn)
    path = shown(parameters)
    with (
        translated(path),
        psycopg.connect(
            **{"connect_timeout": CONNECT_SECONDS} | parameters,
            autocommit=True,
            prepare_threshold=None,
        ) as connection,
    ):
        yield connection, path


def migrate(dsn: str) -> list[int]:
    """
    Migrate to the newest schema and return the versions applied.

    This role becomes a member if there is none yet. Concurrent migrations wait for each other.
    Indexes of large vector spaces are built without blocking writers.

    Raises:
        NewerSchemaError: a later hardwon migrated it; nothing was changed.
    """
    with _as_owner(dsn) as (connection, path):
        _ensure_server(connection, path)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            _create_frame(connection)
            done = _apply(connection, path)
            if UNITED_BY in done:
                unite_spellings(connection)
            if not connection.execute("SELECT 1 FROM hardwon.member").fetchone():
                _join(connection, connection.info.user, DEFAULT_TENANT)
        _index_large_spaces(connection)
        return done


@contextmanager
def throw_away_database(dsn: str) -> Iterator[str]:
    """Create a migrated temporary database on the server, and yield its address."""
    name = composed.Identifier(database := f"hardwon_demo_{secrets.token_hex(4)}")
    with _as_owner(dsn) as (connection, _):
        connection.execute(composed.SQL("CREATE DATABASE {}").format(name))
    try:
        address = with_database(dsn, database)
        migrate(address)
        yield address
    finally:
        with _as_owner(dsn) as (connection, _):
            connection.execute(composed.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def _ensure_server(connection: psycopg.Connection, path: str) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        raise StorageError(
            f"{path} is PostgreSQL {connection.info.server_version // 10_000}; hardwon needs 16 or"
            " newer"
        )
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StorageError(
            f"{path} is not in Unicode; create it with: createdb --encoding=UTF8"
            " --template=template0"
        )
    found = connection.execute(
        "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if not found:
        raise StorageError(
            f"{path} has no pgvector; install it on the server:"
            " https://github.com/pgvector/pgvector"
        )
    if tuple(map(int, found[0].split(".")[:2])) < OLDEST_VECTOR:
        raise StorageError(f"{path} has pgvector {found[0]}; hardwon needs 0.8 or newer")


def _create_frame(connection: psycopg.Connection) -> None:
    with _or_an_administrator(connection, "CREATE EXTENSION vector"):
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    if connection.execute("SELECT to_regtype('vector')").fetchone() == (None,):
        raise StorageError(
            "pgvector is in a schema that is not searched; put it on the database's search_path"
        )
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (MEMBERS,)).fetchone():
        with (
            suppress(errors.DuplicateObject, errors.UniqueViolation),  # by another database
            _or_an_administrator(connection, f"ALTER ROLE {connection.info.user} CREATEROLE"),
        ):
            connection.execute(f"CREATE ROLE {MEMBERS} NOLOGIN")
    if connection.execute("SELECT to_regnamespace('hardwon')").fetchone() == (None,):
        connection.execute("CREATE SCHEMA hardwon")
        connection.execute(f"GRANT USAGE ON SCHEMA hardwon TO {MEMBERS}")
        connection.execute(
            "CREATE TABLE hardwon.migration (version integer PRIMARY KEY, checksum text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT now())"
        )
        connection.execute(f"GRANT SELECT ON hardwon.migration TO {MEMBERS}")


@contextmanager
def _or_an_administrator(connection: psycopg.Connection, command: str) -> Iterator[None]:
    """
    Name an administrator's command if this role lacks the privilege.

    That work is rolled back then.
    """
    try:
        with connection.transaction():
            yield
    except errors.InsufficientPrivilege as error:
        raise StorageError(
            f"this role may not do that; an administrator runs, in this database: {command}"
        ) from error


def _apply(connection: psycopg.Connection, path: str) -> list[int]:
    known: dict[int, str] = dict(
        connection.execute("SELECT version, checksum FROM hardwon.migration").fetchall()
    )
    if known and max(known) > NEWEST:
        raise NewerSchemaError(
            f"{path} has schema version {max(known)}, this hardwon knows {NEWEST}: install the"
            " newest hardwon"
        )
    done = list[int]()
    for migration in migrations():
        if migration.version not in known:
            connection.execute(migration.text)
            connection.execute(
                "INSERT INTO hardwon.migration (version, checksum) VALUES (%s, %s)",
                (migration.version, migration.checksum),
            )
            done.append(migration.version)
        elif known[migration.version] != migration.checksum:
            raise StorageError(
                f"{path}: its schema version {migration.version} was made by a changed hardwon;"
                " nothing was done"
            )
    return done


def _index_large_spaces(connection: psycopg.Connection) -> None:
    """
    Create an index for each width of many vectors.

    Runs outside of a transaction and does not block writers.
    """
    wide = connection.execute(
        "SELECT DISTINCT dimensions FROM hardwon.space WHERE stored > %s AND dimensions <= %s",
        (LARGEST_SCAN, MAX_INDEXED_WIDTH),
    ).fetchall()
    for (width,) in wide:
        name = f"vector_near_{width}"
        if connection.execute(ABANDONED, (name,)).fetchone():
            connection.execute(
                composed.SQL("DROP INDEX hardwon.{}").format(composed.Identifier(name))
            )
        connection.execute(
            composed.SQL(
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON hardwon.vector USING hnsw"
                " ((vec::halfvec({width})) halfvec_cosine_ops) WHERE vector_dims(vec) = {width}"
            ).format(name=composed.Identifier(name), width=composed.Literal(width))
        )


def vacuum(dsn: str) -> None:
    """
    Rewrite all tables without deleted rows, locking one at a time.

    Raises:
        StorageError: this role does not own them, or a transaction still sees deleted rows.
    """
    with _as_owner(dsn) as (connection, path):
        tables = connection.execute(SELECT_TABLES).fetchall()
        if others := {owner for _, owner, is_owned in tables if not is_owned}:
            raise StorageError(
                f"{path}: this role may not vacuum; the tables' owner, {', '.join(others)}, runs:"
                " hardwon forget --vacuum"
            )
        _await_readers(connection, path)
        for name, *_ in tables:
            connection.execute(
                composed.SQL("VACUUM (FULL) hardwon.{}").format(composed.Identifier(name))
            )


def _await_readers(connection: psycopg.Connection, path: str) -> None:
    """Wait until no transaction sees the rows that are deleted now."""
    until = time.monotonic() + SNAPSHOT_SECONDS
    [(now,)] = connection.execute("SELECT pg_current_xact_id()::text").fetchall()
    while connection.execute(IS_SEEN, {"now": now}).fetchone():
        if time.monotonic() > until:
            raise StorageError(
                f"{path}: a transaction of another session still sees deleted rows; run hardwon"
                " forget --vacuum again when it has ended"
            )
        time.sleep(0.1)


def add_member(dsn: str, role: str, tenant: str = DEFAULT_TENANT) -> None:
    """Let a login role use a tenant, created if missing."""
    with _as_owner(dsn) as (connection, path), connection.transaction():
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
            raise StorageError(
                f"{path} has no role {role!r}; create it with: CREATE ROLE {role} LOGIN"
                " PASSWORD '…'"
            )
        found = connection.execute(
            "SELECT t.name FROM hardwon.member m JOIN hardwon.tenant t USING (tenant) WHERE m.role"
            " = %s",
            (role,),
        ).fetchone()
        if found and found[0] != tenant:
            raise StorageError(
                f"{role!r} is a member of {found[0]!r}: hardwon store remove-member {role} first"
            )
        _join(connection, role, tenant)


def _join(connection: psycopg.Connection, role: str, tenant: str) -> None:
    number = connection.execute(
        "SELECT tenant FROM hardwon.tenant WHERE name = %s", (tenant,)
    ).fetchone()
    if not number:
        number = connection.execute(
            "INSERT INTO hardwon.tenant (tenant, name) SELECT coalesce(max(tenant), 0) + 1, %s FROM"
            " hardwon.tenant RETURNING tenant",
            (tenant,),
        ).fetchone()
        connection.execute("INSERT INTO hardwon.state (tenant) VALUES (%s)", number)
    connection.execute(
        "INSERT INTO hardwon.member (role, tenant) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (role, *(number or ())),
    )
    with _or_an_administrator(
        connection, f"GRANT {MEMBERS} TO {connection.info.user} WITH ADMIN OPTION"
    ):
        connection.execute(
            composed.SQL("GRANT {} TO {}").format(
                composed.Identifier(MEMBERS), composed.Identifier(role)
            )
        )


def remove_member(dsn: str, role: str) -> bool:
    """
    Remove a login role and return whether it was a member.

    Its stored entries stay.
    """
    with _as_owner(dsn) as (connection, _), connection.transaction():
        gone = connection.execute(
            "DELETE FROM hardwon.member WHERE role = %s RETURNING 1", (role,)
        ).fetchone()
        if gone:
            connection.execute(
                composed.SQL("REVOKE {} FROM {}").format(
                    composed.Identifier(MEMBERS), composed.Identifier(role)
                )
            )
        return gone is not None


def members(dsn: str) -> Sequence[tuple[str, str]]:
    """Return the visible login roles with their tenants' names."""
    with _as_owner(dsn) as (connection, _):
        return connection.execute(
            "SELECT m.role, t.name FROM hardwon.member m JOIN hardwon.tenant t USING (tenant) ORDER"
            " BY 2, 1"
        ).fetchall()
