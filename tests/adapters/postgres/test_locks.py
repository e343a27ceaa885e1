"""No lock that a member can take makes others wait for long."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres import session
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.domain.model.errors import KeywordIndexUnavailableError, StorageError
from tests.adapters.postgres.every_method import FIRST, READS, WRITES, Member, fill, members
from tests.adapters.postgres.servers import tables_of_tenants
from tests.postgres_server import world_of
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

BUSY = "another program is writing: try again"
AT_ONCE = 0.05
"""Seconds that a member waits for a lock in these tests."""

STALLED = 10.0
"""Seconds after which a statement that waits without a bound ends with another line."""

ACTS: tuple[Callable[[Member], object], ...] = (
    *(
        READS[name]
        for name in (
            *("repository.by_id", "repository.matching", "keywords.match", "keywords.weigh"),
            *("index.compare", "proposals.open", "projects.known", "overview.helped"),
            *("receipts.newest", "influences.newest", "contents.records", "rows.found"),
            *("metadata.state_at", "tombstones.known", "snapshots.checkpoints"),
        )
        if name in READS
    ),
    *(WRITES[name] for name in ("repository.put", "usage.record_access", "receipts.record")),
)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Member, Member]]:
    """Yield Ann, who has stored something in every table, and Eve, who holds locks."""
    monkeypatch.setattr(session, "LOCK_SECONDS", AT_ONCE)
    monkeypatch.setattr(session, "HELD_LOCK_SECONDS", AT_ONCE / 10)
    with members(*[uuid.uuid4().hex] * 2) as (ann, eve):
        fill(ann)
        yield ann, eve


@contextmanager
def holding(user: Member, *statements: sql.SQL | sql.Composed) -> Iterator[None]:
    """Let a member hold the locks of these statements by plain SQL."""
    with psycopg.connect(user.address) as connection:
        for statement in statements:
            connection.execute(statement)
        yield
        connection.rollback()


def refusals(user: Member) -> Iterator[str]:
    """Yield what a member is lines who opens the store and works."""
    try:
        with closing(PostgresDatabase(user.address, AT_ONCE, STALLED)) as database:
            second = user._replace(database=database, world=world_of(database))
            for act in ACTS:
                try:
                    act(second)
                except (StorageError, KeywordIndexUnavailableError) as error:
                    yield str(error)
    except StorageError as error:
        yield str(error)


def test_a_table_that_a_colleague_locks_is_waited_for_as_little(two: tuple[Member, Member]) -> None:
    ann, eve = two
    refused = set[str]()
    for table in tables_of_tenants():
        lock = sql.SQL("LOCK TABLE hardwon.{} IN ACCESS EXCLUSIVE MODE")
        with holding(eve, lock.format(sql.Identifier(table))):
            lines = [*refusals(ann)]
        refused |= {table} if lines else set()
        assert [line for line in lines if BUSY not in line] == [], table

    assert {"entry", "entry_text", "posting", "corpus", "vector", "state", "metadata"} <= refused
    assert [*refusals(ann)] == []


def test_rows_and_numbers_that_a_colleague_locks_are_waited_for_as_little(
    two: tuple[Member, Member],
) -> None:
    ann, eve = two
    tenant = sql.Literal(ann.database.tenant)
    for statement in (
        "SELECT pg_advisory_lock(hashtextextended('entries', {tenant}))",
        "SELECT pg_advisory_lock(hashtextextended({entry}, {tenant}))",
        "SELECT 1 FROM hardwon.state FOR UPDATE",
        "SELECT 1 FROM hardwon.entry FOR UPDATE",
        "SELECT 1 FROM hardwon.usage FOR UPDATE",
    ):
        lock = sql.SQL(statement).format(tenant=tenant, entry=sql.Literal(FIRST.entry_id))
        with holding(eve, lock):
            lines = [*refusals(ann)]
            assert lines, statement
            assert [line for line in lines if BUSY not in line] == [], statement
    assert [*refusals(ann)] == []


def test_after_one_refusal_the_next_waits_are_shorter(two: tuple[Member, Member]) -> None:
    ann, eve = two
    limit = "SELECT current_setting('lock_timeout')"
    assert ann.database.value(limit) == "50ms"
    with (
        holding(eve, sql.SQL("LOCK TABLE hardwon.posting")),
        pytest.raises(StorageError, match=BUSY),
    ):
        ann.world.repository.put(lesson("Meanwhile."))

    assert ann.database.value(limit) == "5ms"
