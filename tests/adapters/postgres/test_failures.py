"""A server that stops or dies, and clients that die: nothing acknowledged is lost, and a connection recovers."""

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

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
)
from tests.machine import LONGEST_WAIT
from tests.postgres_server import member, world_of
from tests.strategies import NOW, lesson

pytestmark = pytest.mark.postgres

PROCESSES = 8
LESSONS = 12


@pytest.fixture
def own_server() -> Iterator[Server]:
    """Yield a server that a test may stop or kill, with a store."""
    with new_server() as server:
        yield server


def put_all(address: str, start: int, answers: "multiprocessing.Queue[str]") -> None:
    with closing(PostgresDatabase(address, busy_seconds=60)) as database:
        world = world_of(database)
        for number in range(LESSONS):
            entry = lesson(f"Lesson {(start + number) % LESSONS}")
            world.repository.put(entry)
            world.usage.record_access([world.numbers()[entry.entry_id]], NOW)
            answers.put(entry.entry_id)


def test_eight_processes_with_overlapping_lessons_keep_one_row_each() -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[str] = context.Queue()
    with member() as address, closing(PostgresDatabase(address)) as database:
        processes = [
            context.Process(target=put_all, args=(address, place, answers))
            for place in range(PROCESSES)
        ]
        for process in processes:
            process.start()
        stored = Counter(answers.get(timeout=LONGEST_WAIT) for _ in range(PROCESSES * LESSONS))
        for process in processes:
            process.join()
        world = world_of(database)
        found = world.repository.matching(EVERYTHING, limit=100)

        assert stored == {entry.entry_id: PROCESSES for entry in found}
        assert len({entry.number for entry in found}) == LESSONS
        assert {entry.usage.access_count for entry in found} <= set(range(1, PROCESSES + 1))
        assert database.rows(
            "SELECT sum(entries), count(*) FROM hardwon.corpus WHERE tenant = %(tenant)s"
        ) == [(LESSONS, 1)]
        assert (
            database.value(
                "SELECT count(*) FROM hardwon.document WHERE tenant = %(tenant)s AND passage = 0"
            )
            == LESSONS
        )


def test_a_stopped_server_is_noticed_and_used_again_when_it_goes_on(own_server: Server) -> None:
    with closing(PostgresDatabase(own_server.address, longest_wait=1.0)) as database:
        repository = PostgresEntryRepository(database)
        processes = own_server.processes()
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(StorageError, match="no answer in time"):
                repository.count(EVERYTHING)
        finally:
            for pid in reversed(processes):
                os.kill(pid, signal.SIGCONT)

        repository.put(lesson("after the pause"))
        assert repository.count(EVERYTHING) == 1


def test_a_killed_client_loses_nothing_that_was_acknowledged() -> None:
    with member() as address, closing(PostgresDatabase(address)) as database:
        known = set[str]()
        for name in ("first", "second"):
            with Writer(address, name) as writer:
                writer.wait_for(10)
                writer.kill()
                known |= {*writer.acknowledged()}
        stored = {*PostgresEntryRepository(database).ids_starting_with("", 100_000)}

        assert known <= stored
        assert is_whole(database)


def test_a_killed_server_loses_nothing_that_was_acknowledged(own_server: Server) -> None:
    with (
        closing(PostgresDatabase(own_server.address)) as database,
        Writer(own_server.address, "amid a crash") as writer,
    ):
        writer.wait_for(10)
        [backend] = psycopg.connect(own_server.address).execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'hardwon' AND pid != %s LIMIT 1",
            (database.session.connection.info.backend_pid,),
        ).fetchone() or (0,)
        os.kill(
            backend, signal.SIGKILL
        )  # the server ends all sessions and recovers, as after a crash
        writer.wait()
        known = {*writer.acknowledged()}
        repository = PostgresEntryRepository(database)
        for _ in range(600):
            try:
                stored = {*repository.ids_starting_with("", 100_000)}
                break
            except StorageError:
                time.sleep(0.1)

        assert known <= stored
        assert is_whole(database)
