"""The tenant stands first in every key and in every statement, so that the tables distribute by it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

import psycopg
import pytest

from hardwon.adapters.postgres.session import HANDSHAKE
from tests.adapters.postgres.every_method import READS, WRITES, fill, joined
from tests.postgres_server import store

pytestmark = pytest.mark.postgres

WITHOUT_TENANT = {"migration", "tenant", "member"}
"""Tables that every shard has as a whole."""

KEYS = """
    SELECT c.conrelid::regclass::text, c.contype::text, a.attname::text
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.connamespace = 'hardwon'::regnamespace AND c.contype IN ('p', 'u', 'f')
    UNION SELECT i.indrelid::regclass::text, 'i', a.attname::text
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = 'hardwon'::regnamespace
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
"""

TABLE = re.compile(r"\bhardwon\.(\w+)\b(?!\()")


def test_every_key_and_index_begins_with_the_tenant() -> None:
    with psycopg.connect(store()) as connection:
        keys = connection.execute(KEYS).fetchall()

    others = [
        key
        for key in keys
        if key[0].removeprefix("hardwon.") not in WITHOUT_TENANT and key[2] != "tenant"
    ]
    assert len(keys) > 50
    assert others == []


class Recorder(psycopg.Cursor[Any]):
    """A cursor that records its statements: all of them pass one, however they are sent."""

    statements: ClassVar[set[str]] = set()

    def execute(self, query: Any, *args: Any, **options: Any) -> Self:
        self.statements.add(query if isinstance(query, str) else query.as_string())
        return super().execute(query, *args, **options)

    def executemany(self, query: Any, *args: Any, **options: Any) -> None:
        self.statements.add(query)
        super().executemany(query, *args, **options)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the set of all statements that are sent meanwhile."""
    monkeypatch.setattr(psycopg.Connection, "execute", _execute)
    monkeypatch.setattr(
        psycopg.Connection, "cursor", lambda connection, *_, **__: Recorder(connection)
    )
    Recorder.statements.clear()
    return Recorder.statements


def _execute(
    connection: psycopg.Connection[Any], query: Any, *args: Any, **options: Any
) -> psycopg.Cursor[Any]:
    return Recorder(connection).execute(query, *args, **options)


def unbound(statement: str) -> Iterator[str]:
    """Yield the tables of a statement that names fewer tenants than tables."""
    tables = [name for name in TABLE.findall(statement) if name not in WITHOUT_TENANT]
    if len(re.findall(r"\btenant\b", statement)) < len(tables):
        yield from tables


def test_every_statement_that_the_adapters_send_names_the_tenant(statements: set[str]) -> None:
    with joined() as user:
        statements.clear()  # those by which an owner lets a member in
        fill(user)
        for act in (*READS.values(), *WRITES.values()):
            act(user)
    sent = {statement for statement in statements if "hardwon." in statement} - {HANDSHAKE}

    assert len(sent) > 150
    assert {statement: [*unbound(statement)] for statement in sent if [*unbound(statement)]} == {}


def test_the_runbook_of_citus_names_every_table_and_those_without_a_tenant_apart() -> None:
    with psycopg.connect(store()) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'r'"
        ).fetchall()
    runbook = (Path(__file__).parents[3] / "deploy" / "citus.sql").read_text("utf-8")
    whole = set(re.findall(r"create_reference_table\('hardwon\.(\w+)'\)", runbook))
    named = re.findall(r"'hardwon\.(\w+)'", runbook)

    assert whole == WITHOUT_TENANT
    assert sorted(set(named)) == sorted(name for (name,) in tables)
