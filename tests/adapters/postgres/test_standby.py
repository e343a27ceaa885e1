"""A synchronous standby that is promoted under load: nothing acknowledged is lost, and writers go on by themselves."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from tests.adapters.postgres.servers import (
    Server,
    Writer,
    is_whole,
    new_server,
    standby_of,
)
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

WRITERS = 3
LESSONS = 60
BEFORE = 15
"""Lessons of each writer that are acknowledged before the primary is killed."""

RETRY_SECONDS = 60.0
PROMOTION_SECONDS = 30


@pytest.fixture
def primary() -> Iterator[Server]:
    with new_server() as server:
        yield server


@pytest.fixture
def standby(primary: Server) -> Iterator[Server]:
    with standby_of(primary) as server:
        yield server


@pytest.fixture
def both(primary: Server, standby: Server) -> str:
    """Return the address that names both servers."""
    return f"postgresql://postgres@/postgres?host={primary.folder},{standby.folder}&target_session_attrs=read-write"


def promote(standby: Server) -> None:
    with psycopg.connect(standby.address, autocommit=True) as connection:
        assert connection.execute(
            "SELECT pg_promote(true, %s)", [PROMOTION_SECONDS]
        ).fetchone() == (True,)


def test_a_promoted_standby_has_all_that_was_acknowledged(
    primary: Server, standby: Server, both: str
) -> None:
    with closing(PostgresDatabase(both)) as database, ExitStack() as stack:
        writers = [
            stack.enter_context(Writer(both, f"writer {number}", LESSONS, RETRY_SECONDS))
            for number in range(WRITERS)
        ]
        for writer in writers:
            writer.wait_for(BEFORE)
        primary.kill()
        amid = [len(writer.acknowledged()) for writer in writers]
        promote(standby)
        codes = [writer.wait() for writer in writers]
        known = [entry_id for writer in writers for entry_id in writer.acknowledged()]
        stored = PostgresEntryRepository(database).ids_starting_with("", 10_000)

        assert sum(amid) < WRITERS * LESSONS
        assert codes == [0] * WRITERS
        assert len(known) == WRITERS * LESSONS
        assert sorted(stored) == sorted(known)
        assert is_whole(database)
        assert database.rows(
            "SELECT sum(entries), count(*) FROM hardwon.corpus WHERE tenant = %(tenant)s"
        ) == [(WRITERS * LESSONS, 1)]
        assert (
            database.value(
                "SELECT count(*) FROM hardwon.document WHERE tenant = %(tenant)s AND passage = 0"
            )
            == WRITERS * LESSONS
        )


def test_an_open_store_goes_on_by_itself_after_a_promotion(
    primary: Server, standby: Server, both: str
) -> None:
    with closing(PostgresDatabase(both)) as database:
        repository = PostgresEntryRepository(database)
        repository.put(lesson("before"))
        primary.kill()
        with pytest.raises(StorageError):
            repository.put(lesson("meanwhile"))
        promote(standby)
        repository.put(lesson("after"))

        assert repository.count(EVERYTHING) == 2
        assert not database.is_read_only


def test_a_standby_is_read_and_refuses_writes(standby: Server, both: str) -> None:
    with closing(PostgresDatabase(both)) as database:
        PostgresEntryRepository(database).put(lesson("on the primary"))
    with closing(PostgresDatabase(standby.address)) as database:
        repository = PostgresEntryRepository(database)

        assert database.is_read_only
        assert repository.count(EVERYTHING) == 1
        with pytest.raises(StorageError, match="can only be read now: a standby needs its primary"):
            repository.put(lesson("on the standby"))


def test_a_standby_is_still_read_after_a_refused_write(standby: Server) -> None:
    with closing(PostgresDatabase(standby.address)) as database:
        repository = PostgresEntryRepository(database)
        with pytest.raises(StorageError):
            repository.put(lesson("on the standby"))

        assert repository.count(EVERYTHING) == 0
