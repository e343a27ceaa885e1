"""Through a pooler in transaction mode, where many clients share few connections, each member has their own rows."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from threading import Barrier
from typing import NamedTuple

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.adapters.postgres.migrate import add_member
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from tests.adapters.postgres.every_method import READS, WRITES, Member, fill
from tests.adapters.postgres.servers import (
    POOL_SIZE,
    PROGRAM,
    WITHOUT_EFFECT,
    answers,
    new_server,
    pooler,
    stored,
)
from tests.machine import LONGEST_WAIT
from tests.postgres_server import SECRET, member, store, world_of
from tests.strategies import lesson, of_file

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(PROGRAM is None, reason="no PgBouncer here: apt-get install pgbouncer"),
]

CLIENTS = 5
"""Clients of each of four members at once."""

ROUNDS = 3


def role_of(address: str) -> str:
    return str(conninfo_to_dict(address)["user"])


@contextmanager
def pooled(*tenants: str | None) -> Iterator[list[str]]:
    """Yield an address through a pooler of a new member of each of *tenants*, None for one of its own."""
    with ExitStack() as stack:
        addresses = [stack.enter_context(member(tenant)) for tenant in tenants]
        through = stack.enter_context(pooler(store(), *map(role_of, addresses)))
        yield [through(address) for address in addresses]


@pytest.fixture
def ann_and_bob() -> Iterator[tuple[Member, Member]]:
    """Yield members of two tenants, both connected through a pooler."""
    with pooled(None, None) as addresses, ExitStack() as stack:
        databases = [
            stack.enter_context(closing(PostgresDatabase(address))) for address in addresses
        ]
        ann, bob = (
            Member(address, database, world_of(database))
            for address, database in zip(addresses, databases, strict=True)
        )
        yield ann, bob


def test_another_tenant_sees_and_counts_nothing_through_a_pooler(
    ann_and_bob: tuple[Member, Member],
) -> None:
    ann, bob = ann_and_bob
    expected = answers(bob)
    fill(ann)
    interleaved = dict[str, str]()
    with ann.database.transaction():
        for name, read in READS.items():
            read(ann)
            interleaved[name] = repr(read(bob))

    assert interleaved == expected
    assert answers(ann) != expected
    assert answers(bob) == expected


def test_the_same_texts_in_two_tenants_are_two_through_a_pooler(
    ann_and_bob: tuple[Member, Member],
) -> None:
    ann, bob = ann_and_bob
    fill(bob)
    expected = answers(bob)
    fill(ann)
    ann.world.add(*(lesson(f"Another lesson {number} about the parser.") for number in range(5)))

    assert answers(bob) == expected


def test_no_statement_is_prepared_through_a_pooler(ann_and_bob: tuple[Member, Member]) -> None:
    ann, _ = ann_and_bob
    for number in range(20):
        ann.world.add(lesson(f"Lesson {number}."))

    assert ann.database.value("SELECT count(*) FROM pg_prepared_statements") == 0


def test_no_method_changes_anything_of_another_tenant_through_a_pooler(
    ann_and_bob: tuple[Member, Member],
) -> None:
    ann, bob = ann_and_bob
    fill(bob)
    fill(ann)
    rows = stored(bob.database.tenant)
    for name, write in WRITES.items():
        before = stored(ann.database.tenant)
        bob.world.repository.count(EVERYTHING)
        write(ann)
        bob.world.repository.count(EVERYTHING)

        assert stored(bob.database.tenant) == rows, name
        assert (
            write is WRITES["upkeep.pack"]
            or name in WITHOUT_EFFECT
            or stored(ann.database.tenant) != before
        ), name


class Client(NamedTuple):
    """
    One of many clients of a pooler.

    Attributes:
        address: By which it connects; its member's other clients have the same one.
        tenant: The name of its member's tenant.
        number: Tells it from all others.

    """

    address: str
    tenant: str
    number: int

    def lessons(self) -> list[str]:
        """Return what it stores for its tenant."""
        return [f"lesson {place} of client {self.number}" for place in range(ROUNDS)]

    def notes(self) -> list[str]:
        """Return what it stores for its member alone."""
        return [f"note {place} of client {self.number}" for place in range(ROUNDS)]


def seen_by(client: Client, clients: Sequence[Client]) -> set[str]:
    """Return all texts that *client* may see."""
    lessons = {
        text for other in clients if other.tenant == client.tenant for text in other.lessons()
    }
    return lessons | {
        text for other in clients if other.address == client.address for text in other.notes()
    }


CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usesysid IS NOT NULL"


def work(client: Client, may_see: set[str], all_connected: Barrier) -> int:
    """Store lessons and notes beside other clients; return how many connections the server had at most."""
    connections = 0
    with closing(
        PostgresDatabase(client.address, busy_seconds=LONGEST_WAIT, longest_wait=LONGEST_WAIT)
    ) as database:
        user = Member(client.address, database, world_of(database))
        all_connected.wait(LONGEST_WAIT)
        for text, note in zip(client.lessons(), client.notes(), strict=True):
            user.world.add(lesson(text), of_file(note, path=f"{note}.md"))
            seen = {
                entry.description for entry in user.world.repository.matching(EVERYTHING, limit=-1)
            }
            connections = max(connections, database.value(CONNECTIONS))

            assert {text, note} <= seen <= may_see
            assert 2 <= user.world.repository.count(EVERYTHING) <= len(may_see)
            assert database.value("SELECT current_user::text") == database.role
    return connections


def test_many_clients_over_few_connections_see_their_own() -> None:
    tenants = ("pool one", "pool one", "pool two", "pool two")
    with pooled(*tenants) as addresses:
        members = [*zip(addresses, tenants, strict=True)] * CLIENTS
        clients = [
            Client(address, tenant, number) for number, (address, tenant) in enumerate(members)
        ]
        barrier = Barrier(len(clients))
        with ThreadPoolExecutor(len(clients)) as threads:
            running = [
                threads.submit(work, client, seen_by(client, clients), barrier)
                for client in clients
            ]
            connections = max(thread.result(LONGEST_WAIT) for thread in running)
        for client in clients:
            with closing(PostgresDatabase(client.address)) as database:
                user = Member(client.address, database, world_of(database))
                seen = {
                    entry.description
                    for entry in user.world.repository.matching(EVERYTHING, limit=-1)
                }

                assert seen == seen_by(client, clients)
                assert user.world.repository.count(EVERYTHING) == len(seen)

        assert connections <= POOL_SIZE * len(addresses) < len(clients)


def test_the_server_itself_checks_the_password_that_a_member_gives_the_pooler() -> None:
    with new_server() as server, psycopg.connect(server.address, autocommit=True) as owner:
        for role in ("ann", "bob"):
            create = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                sql.Identifier(role), sql.Literal(SECRET)
            )
            owner.execute(create)
            add_member(server.address, role, role)
        (server.folder / "pg_hba.conf").write_text(
            "local all postgres trust\nlocal all all scram-sha-256\n"
        )
        owner.execute("SELECT pg_reload_conf()")
        with pooler(server.address, "ann", "bob") as through:
            ann, bob = (
                through(make_conninfo(server.address, user=role, password=SECRET))
                for role in ("ann", "bob")
            )
            with closing(PostgresDatabase(ann)) as database:
                PostgresEntryRepository(database).put(lesson("of ann"))
            owner.execute("ALTER ROLE bob PASSWORD 'another'")
            for refused in (
                make_conninfo(ann, password=SECRET[1:]),
                make_conninfo(ann, user="postgres"),
                bob,
            ):
                with pytest.raises(
                    StorageError, match="the server refuses this role or its password"
                ):
                    PostgresDatabase(refused)
