"""Connections of a server are few: agents give theirs back, and one too many is told so."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import add_member
from hardwon.adapters.postgres.server import reason_of
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.settings import ServerAddress, Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.mcp import threads
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.adapters.postgres.servers import new_server, until
from tests.machine import LONGEST_WAIT
from tests.postgres_server import member, store, url_of

pytestmark = pytest.mark.postgres

TOO_MANY = "too many agents at once: use a pooler"
AGENTS = 120
"""More than a server takes by default."""


@pytest.fixture
def address() -> Iterator[str]:
    with member() as address:
        yield address


def role_of(address: str) -> str:
    return str(conninfo_to_dict(address)["user"])


@pytest.fixture
def connections(address: str) -> Iterator[Callable[[], int]]:
    """Return a function that counts the member's connections."""
    with psycopg.connect(store(), autocommit=True) as owner:

        def count() -> int:
            row = owner.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = %s", [role_of(address)]
            ).fetchone()
            return int(row[0]) if row else 0

        yield count


@pytest.fixture
def worker(address: str, tmp_path: Path) -> MemoryWorker:
    settings = Settings(
        global_store=str(tmp_path), embedding_provider="off", server=ServerAddress(url_of(address))
    )
    return MemoryWorker(settings, str(tmp_path), lambda _: None)


def test_a_quiet_server_process_gives_its_connection_back_and_works_on(
    worker: MemoryWorker, connections: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "QUIET_SECONDS", 0.05)

    async def session() -> list[int]:
        counts = list[int]()
        async with worker.open():
            for _ in range(2):
                await asyncio.to_thread(until, lambda: connections() == 0)
                counts.append(await worker.call(lambda memory: memory.repository.count(EVERYTHING)))
        return counts

    assert asyncio.run(session()) == [0, 0]


def test_a_call_in_time_keeps_the_connection(
    worker: MemoryWorker, connections: Callable[[], int]
) -> None:
    async def session() -> None:
        async with worker.open():
            for _ in range(3):
                await worker.call(lambda memory: memory.repository.count(EVERYTHING))
                assert connections() == 1

    asyncio.run(session())
    until(lambda: connections() == 0)  # the server notices a closed connection a moment later


def test_an_agent_too_many_is_told_to_use_a_pooler(address: str) -> None:
    with psycopg.connect(store(), autocommit=True) as owner, ExitStack() as stack:
        owner.execute(
            sql.SQL("ALTER ROLE {} CONNECTION LIMIT 2").format(sql.Identifier(role_of(address)))
        )
        for _ in range(2):
            stack.enter_context(closing(PostgresDatabase(address)))
        with pytest.raises(StorageError, match=TOO_MANY):
            PostgresDatabase(address)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    """Yield the settings of an agent whose store is on a server as it comes."""
    with new_server() as server:
        with psycopg.connect(server.address, autocommit=True) as owner:
            owner.execute("CREATE ROLE ann LOGIN")
        add_member(server.address, "ann")
        yield Settings(
            global_store=str(tmp_path),
            embedding_provider="off",
            server=ServerAddress(url_of(make_conninfo(server.address, user="ann"))),
        )


def test_of_many_agents_at_once_each_gets_an_answer_or_the_reason(settings: Settings) -> None:
    everyone_asked = Barrier(AGENTS)

    def answer(wait: Callable[[], object]) -> str:
        try:
            with closing(open_memory(settings, lambda _: None)) as memory:
                answered = f"{memory.repository.count(EVERYTHING)} lessons"
                wait()
        except StorageError as error:
            wait()
            return str(error)
        return answered

    with ThreadPoolExecutor(AGENTS) as agents:
        asked = [
            agents.submit(answer, lambda: everyone_asked.wait(LONGEST_WAIT)) for _ in range(AGENTS)
        ]
        answers = [agent.result() for agent in asked]

    answered, refused = (
        answers.count("0 lessons"),
        sum(TOO_MANY in line for line in answers),
    )
    assert answered + refused == AGENTS
    assert min(answered, refused) > 0
    assert answer(lambda: None) == "0 lessons"


@pytest.mark.parametrize(
    "message",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "ann"',
        'FATAL:  too many connections for database "memory"',
        "FATAL:  no more connections allowed (max_client_conn)",
    ],
)
def test_every_limit_of_a_server_or_pooler_is_named_alike(message: str) -> None:
    assert TOO_MANY in reason_of(psycopg.OperationalError(f"connection failed: {message}"))
