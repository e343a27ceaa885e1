"""Refusals of a server: each in one line with the way out, and nothing is half-written."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.adapters.postgres.keyword_index import PostgresKeywordIndex
from hardwon.domain.model.errors import KeywordIndexUnavailableError, StorageError
from hardwon.domain.model.filters import EVERYTHING
from tests.adapters.postgres.servers import new_server
from tests.contracts.worlds import IN_TIME
from tests.postgres_server import member, new_database, server, store
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

WRONG = "a-word-of-a-member"


@pytest.fixture
def ann() -> Iterator[PostgresDatabase]:
    with member() as address, closing(PostgresDatabase(address)) as database:
        yield database


def as_owner(statement: str) -> None:
    with psycopg.connect(store(), autocommit=True) as owner:
        owner.execute(sql.SQL(statement))


def refusal(address: str) -> str:
    """Return what opening the store at *address* says."""
    with pytest.raises(StorageError) as refused:
        PostgresDatabase(address)
    return str(refused.value)


def test_a_database_without_a_store_names_the_command() -> None:
    with new_database() as address:
        assert (
            "there is no store in this database yet; its owner runs: hardwon store migrate"
            in refusal(address)
        )


def test_a_database_that_is_not_there_is_named() -> None:
    assert "there is no such database; create it, then run: hardwon store migrate" in refusal(
        make_conninfo(server(), dbname="not_there")
    )


def test_a_role_that_the_server_does_not_know() -> None:
    assert "the server knows no such role" in refusal(make_conninfo(store(), user="not_there"))


def test_a_role_that_is_no_member_is_told_who_lets_it_in() -> None:
    as_owner("CREATE ROLE no_member LOGIN")
    try:
        message = refusal(make_conninfo(store(), user="no_member"))
    finally:
        as_owner("DROP ROLE no_member")

    assert (
        "the role 'no_member' is a member of no tenant; its owner runs: hardwon store add-member no_member"
        in message
    )


def test_a_wrong_password_is_refused_and_not_repeated() -> None:
    with new_server() as own:
        with psycopg.connect(own.address, autocommit=True) as owner:
            owner.execute("CREATE ROLE ann LOGIN PASSWORD 'another'")
            rules = own.folder / "pg_hba.conf"
            rules.write_text("local all ann scram-sha-256\n" + rules.read_text())
            owner.execute("SELECT pg_reload_conf()")
        for password in (WRONG, None):
            message = refusal(make_conninfo(own.address, user="ann", password=password))

            assert "the server refuses this role or its password" in message
            assert WRONG not in message


FULL = """
    CREATE FUNCTION hardwon.full() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER is_full BEFORE INSERT ON hardwon.posting EXECUTE FUNCTION hardwon.full()
"""
REFUSED = {
    "no right to write": (
        "REVOKE INSERT ON hardwon.entry_text FROM hardwon_member",
        "this role may not do that",
    ),
    "a full disk": (FULL, "the server is out of space: nothing was stored"),
}
GRANTED = "GRANT INSERT ON hardwon.entry_text TO hardwon_member; DROP FUNCTION IF EXISTS hardwon.full() CASCADE"


@pytest.mark.parametrize(("cause", "message"), REFUSED.values(), ids=REFUSED)
def test_a_refused_entry_leaves_nothing_and_the_store_is_used_on(
    ann: PostgresDatabase, cause: str, message: str
) -> None:
    repository, entry = PostgresEntryRepository(ann), lesson("not this time")
    as_owner(cause)
    try:
        with pytest.raises(StorageError, match=message):
            repository.put(entry)
        assert repository.count(EVERYTHING) == 0
    finally:
        as_owner(GRANTED)

    repository.put(entry)
    assert repository.count(EVERYTHING) == 1


FORBIDDEN = "INSERT INTO hardwon.metadata (tenant, key, value) VALUES (-%(tenant)s, 'x', 'x')"
"""Of a tenant that is not the member's."""


def test_a_transaction_with_a_refused_statement_stores_nothing_and_says_so(
    ann: PostgresDatabase,
) -> None:
    repository = PostgresEntryRepository(ann)
    with (  # noqa: PT012  # at its end
        pytest.raises(StorageError, match="an earlier step failed: nothing was stored"),
        repository.transaction(),
    ):
        repository.put(lesson("before the refused one"))
        ann.rows(FORBIDDEN)  # sent with the next read
        with pytest.raises(StorageError, match="this role may not do that"):
            repository.count(EVERYTHING)

    with (  # noqa: PT012  # at its end
        pytest.raises(StorageError, match="this role may not do that"),
        repository.transaction(),
    ):
        repository.put(lesson("before the refused one"))
        ann.rows(FORBIDDEN)  # sent with the end

    assert repository.count(EVERYTHING) == 0
    repository.put(lesson("after it"))
    assert repository.count(EVERYTHING) == 1


def test_reads_go_on_after_a_refused_one_in_a_snapshot(ann: PostgresDatabase) -> None:
    repository, keywords = PostgresEntryRepository(ann), PostgresKeywordIndex(ann)
    repository.put(lesson("A parser."))
    as_owner("REVOKE SELECT ON hardwon.posting FROM hardwon_member")
    try:
        with repository.snapshot():
            for _ in range(2):
                with pytest.raises(KeywordIndexUnavailableError, match="this role may not do that"):
                    keywords.match(["parser"], "any", EVERYTHING, IN_TIME)
                assert repository.count(EVERYTHING) == 1
    finally:
        as_owner("GRANT SELECT ON hardwon.posting TO hardwon_member")


def lose_connection(database: PostgresDatabase) -> None:
    with psycopg.connect(store(), autocommit=True) as owner:
        owner.execute(
            "SELECT pg_terminate_backend(%s, 5000)", [database.session.connection.info.backend_pid]
        )


def test_a_transaction_whose_connection_is_lost_stores_nothing_and_says_so(
    ann: PostgresDatabase,
) -> None:
    repository = PostgresEntryRepository(ann)
    with pytest.raises(StorageError), repository.transaction():  # noqa: PT012  # at its end
        repository.put(lesson("first"))
        lose_connection(ann)
        with pytest.raises(StorageError):
            repository.count(EVERYTHING)
        with pytest.raises(StorageError, match="the connection was lost: nothing was stored"):
            repository.put(lesson("second"))

    assert repository.count(EVERYTHING) == 0
    repository.put(lesson("third"))
    assert repository.count(EVERYTHING) == 1


def test_a_transaction_that_ends_on_a_lost_connection_says_so(ann: PostgresDatabase) -> None:
    repository = PostgresEntryRepository(ann)
    with pytest.raises(StorageError), repository.transaction():  # noqa: PT012  # at its end
        repository.put(lesson("first"))
        lose_connection(ann)

    assert repository.count(EVERYTHING) == 0


def test_a_snapshot_whose_connection_is_lost_mixes_no_two_states(ann: PostgresDatabase) -> None:
    repository = PostgresEntryRepository(ann)
    with pytest.raises(StorageError, match="the connection was lost"), repository.snapshot():  # noqa: PT012  # at its end
        repository.count(EVERYTHING)
        lose_connection(ann)
        with pytest.raises(StorageError):
            repository.matching(EVERYTHING, limit=1)

    assert repository.count(EVERYTHING) == 0


def test_a_connection_that_is_lost_between_two_reads_is_made_again(ann: PostgresDatabase) -> None:
    repository = PostgresEntryRepository(ann)
    lose_connection(ann)
    assert repository.count(EVERYTHING) == 0

    lose_connection(ann)
    with repository.snapshot():
        assert repository.count(EVERYTHING) == 0
    lose_connection(ann)
    repository.put(lesson("first"))
    assert repository.count(EVERYTHING) == 1
