"""The schema of a store is made once, however often and by how many it is asked for, and a server that does not fit is left as it is."""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres import migrate as migrations
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import add_member, members, migrate, remove_member, vacuum
from hardwon.adapters.postgres.session import NEWEST
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from tests.machine import LONGEST_WAIT
from tests.postgres_server import new_database, server, world_of
from tests.strategies import SPACE, lesson, planted

pytestmark = pytest.mark.postgres

AT_ONCE = 4
EVERY_VERSION = [*range(1, NEWEST + 1)]
INDEX = f"vector_near_{SPACE.dimensions}"


@pytest.fixture
def empty() -> Iterator[str]:
    with new_database() as address:
        yield address


@pytest.fixture
def store(empty: str) -> str:
    migrate(empty)
    return empty


def run(address: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(address, autocommit=True) as owner:
        cursor = owner.execute(sql.SQL(statement))
        return cursor.fetchall() if cursor.description else []


def test_a_second_migration_adds_nothing(empty: str) -> None:
    assert migrate(empty) == EVERY_VERSION
    assert migrate(empty) == []


def test_of_several_migrations_at_once_one_makes_the_schema(empty: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        added = [*pool.map(migrate, [empty] * AT_ONCE)]

    assert sorted(added) == [[]] * (AT_ONCE - 1) + [EVERY_VERSION]
    with closing(PostgresDatabase(empty)) as database:
        assert database.entries_at_first == 0


SECRET = "quixoblate" * 4
PAGES_WITH_SECRET = f"""
    SELECT count(*) FROM generate_series(0, pg_relation_size('hardwon.entry_text') / 8192 - 1) AS page
    WHERE strpos(encode(get_raw_page('hardwon.entry_text', page::int), 'escape'), '{SECRET}') > 0
"""


def add_and_delete(address: str) -> None:
    """Add an entry with the secret, and delete it."""
    run(address, "CREATE EXTENSION pageinspect")
    with closing(PostgresDatabase(address)) as database:
        world = world_of(database)
        world.add(entry := lesson(f"The codename is {SECRET}"))
        world.repository.delete(entry.entry_id)


READER = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"
WRITER = "BEGIN; SELECT pg_current_xact_id()"


@pytest.mark.parametrize(
    ("at", "begin"),
    [
        pytest.param(str, READER, id="reader"),
        pytest.param(str, WRITER, id="writer"),
        pytest.param(lambda _: server(), WRITER, id="writer of another database"),
    ],
)
def test_bytes_that_another_transaction_still_sees_are_no_success(
    store: str, monkeypatch: pytest.MonkeyPatch, at: Callable[[str], str], begin: str
) -> None:
    monkeypatch.setattr(migrations, "SNAPSHOT_SECONDS", 0.0)
    with psycopg.connect(at(store), autocommit=True) as other:
        other.execute(begin)
        add_and_delete(store)
        with pytest.raises(StorageError, match="another session still sees deleted rows"):
            vacuum(store)
        assert run(store, PAGES_WITH_SECRET) != [(0,)]
        other.execute("COMMIT")

    monkeypatch.setattr(migrations, "SNAPSHOT_SECONDS", LONGEST_WAIT)
    vacuum(store)
    assert run(store, PAGES_WITH_SECRET) == [(0,)]


def test_a_reader_of_another_database_is_not_awaited(store: str) -> None:
    with psycopg.connect(server(), autocommit=True) as other:
        other.execute(READER)
        add_and_delete(store)
        vacuum(store)
        assert run(store, PAGES_WITH_SECRET) == [(0,)]


def test_the_owner_removes_the_bytes_of_deleted_rows_and_another_role_is_told_who_may(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "SNAPSHOT_SECONDS", LONGEST_WAIT)  # for tests beside
    add_and_delete(store)
    assert run(store, PAGES_WITH_SECRET) != [(0,)]

    vacuum(store)
    assert run(store, PAGES_WITH_SECRET) == [(0,)]

    role = f"other_{uuid.uuid4().hex[:8]}"
    run(store, f"CREATE ROLE {role} LOGIN")
    try:
        add_member(store, role)
        with pytest.raises(
            StorageError,
            match=r"may not vacuum; the tables' owner, \w+, runs: hardwon forget --vacuum",
        ):
            vacuum(make_conninfo(store, user=role))
    finally:
        remove_member(store, role)
        run(store, f"DROP ROLE {role}")


def test_a_schema_of_a_later_hardwon_is_refused_and_left(store: str) -> None:
    run(store, "INSERT INTO hardwon.migration (version, checksum) VALUES (99, 'later')")

    for act in (migrate, PostgresDatabase):
        with pytest.raises(
            NewerSchemaError, match=r"has schema version 99.*install the newest hardwon"
        ):
            act(store)


def test_a_schema_of_an_earlier_hardwon_is_refused_with_the_way_out(store: str) -> None:
    run(store, "DELETE FROM hardwon.migration")

    with pytest.raises(
        StorageError, match=f"hardwon needs {NEWEST}; its owner runs: hardwon store migrate"
    ):
        PostgresDatabase(store)


def test_a_schema_that_a_changed_file_made_is_left(store: str) -> None:
    run(store, "UPDATE hardwon.migration SET checksum = 'other'")

    with pytest.raises(StorageError, match="was made by a changed hardwon; nothing was done"):
        migrate(store)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("OLDEST_SERVER", 990_000, "hardwon needs 16 or newer"),
        ("OLDEST_VECTOR", (99, 0), r"has pgvector \d.*; hardwon needs 0.8 or newer"),
    ],
)
def test_a_server_that_is_too_old_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, empty: str, name: str, value: object, message: str
) -> None:
    monkeypatch.setattr(migrations, name, value)

    with pytest.raises(StorageError, match=message):
        migrate(empty)
    assert run(empty, "SELECT 1 FROM pg_namespace WHERE nspname = 'hardwon'") == []


def test_a_role_that_may_not_create_is_refused(empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute("CREATE ROLE may_not_create LOGIN")
    try:
        with pytest.raises(
            StorageError, match="an administrator runs, in this database: CREATE EXTENSION vector"
        ):
            migrate(f"{empty} user=may_not_create")
    finally:
        run(empty, "DROP ROLE may_not_create")


def test_an_owner_who_is_no_superuser_makes_the_schema_tenants_and_indexes(
    monkeypatch: pytest.MonkeyPatch, empty: str
) -> None:
    monkeypatch.setattr(migrations, "LARGEST_SCAN", 1)
    run(empty, "CREATE EXTENSION vector")
    name = f"owner_{uuid.uuid4().hex[:8]}"
    ann, bob = f"{name}_ann", f"{name}_bob"
    run(
        empty,
        f"CREATE ROLE {name} LOGIN; GRANT CREATE ON DATABASE {conninfo_to_dict(empty)['dbname']} TO {name}",
    )
    owner = make_conninfo(empty, user=name)
    with pytest.raises(
        StorageError,
        match=f"ALTER ROLE {name} CREATEROLE|GRANT hardwon_member TO {name} WITH ADMIN",
    ):
        migrate(owner)
    run(empty, f"ALTER ROLE {name} CREATEROLE")
    run(empty, MEMBERS_ROLE)
    run(
        empty,
        f"GRANT hardwon_member TO {name} WITH ADMIN OPTION; CREATE ROLE {ann} LOGIN; CREATE ROLE {bob} LOGIN",
    )
    assert migrate(owner) == EVERY_VERSION
    add_member(owner, ann, "first")
    add_member(owner, bob, "second")
    with closing(PostgresDatabase(make_conninfo(empty, user=bob))) as database:
        world = world_of(database)
        world.add(lesson("first"), lesson("second"))
        world.embed_all({number: planted(0.5) for number in world.numbers().values()})
    migrate(owner)

    assert run(empty, IS_VALID) == [(True,)]
    assert len(members(owner)) == 3


MEMBERS_ROLE = """
    DO $$ BEGIN CREATE ROLE hardwon_member NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
"""
IS_VALID = f"SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = '{INDEX}'"


def test_many_vectors_get_an_index_and_one_that_was_left_unfinished_is_made_again(
    monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    monkeypatch.setattr(migrations, "LARGEST_SCAN", 1)
    with closing(PostgresDatabase(store)) as database:
        world = world_of(database)
        world.add(lesson("first"), lesson("second"))
        world.embed_all({number: planted(0.5) for number in world.numbers().values()})
    migrate(store)
    assert run(store, IS_VALID) == [(True,)]

    run(
        store,
        f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'hardwon.{INDEX}'::regclass",
    )
    migrate(store)
    assert run(store, IS_VALID) == [(True,)]


def test_members_join_and_leave_one_tenant(store: str) -> None:
    role = "member_who_moves"
    run(store, f"CREATE ROLE {role} LOGIN")
    try:
        add_member(store, role, "first")
        with pytest.raises(
            StorageError, match=f"is a member of 'first': hardwon store remove-member {role} first"
        ):
            add_member(store, role, "second")
        assert (role, "first") in members(store)

        assert remove_member(store, role)
        assert not remove_member(store, role)
        add_member(store, role, "second")
        assert (role, "second") in members(store)
        with pytest.raises(
            StorageError, match="has no role 'nobody_here'; create it with: CREATE ROLE nobody_here"
        ):
            add_member(store, "nobody_here")
    finally:
        run(store, f"REVOKE hardwon_member FROM {role}; DROP ROLE {role}")
