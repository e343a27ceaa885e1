"""A second tenant sees, counts and changes nothing of a first one; nor does a member of what is another's own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import add_member, remove_member
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Identity
from tests.adapters.postgres.every_method import (
    CONTEXTS,
    COUNTED_FOR_ALL,
    FILE,
    FIRST,
    NEEDS_A_FILE,
    PERSONAL,
    READS,
    WRITES,
    Member,
    fill,
    fill_personal,
    fill_shared,
    joined,
    members,
    roles_of,
)
from tests.adapters.postgres.servers import (
    WITHOUT_EFFECT,
    answers,
    as_owner,
    columns,
    stored,
    tables_of_tenants,
)
from tests.postgres_server import SECRET, member, store
from tests.strategies import NOW, lesson

pytestmark = pytest.mark.postgres

KNOWN_TO_ALL = frozenset(
    (
        *("keywords.size", "triggers.version", "vectors.version", "metadata.state_at"),
        "contents.is_unused",
    )
)
"""Figures of a whole tenant, to which what is personal counts too."""

REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)


@pytest.fixture
def ann() -> Iterator[Member]:
    with joined() as user:
        yield user


def public(role: object) -> set[str]:
    return {
        name
        for name in dir(type(role))
        if not (name.startswith("_") or name.isupper())  # no statements
        and not isinstance(getattr(type(role), name), int)  # no numbers
    }


def test_all_methods_of_all_adapters_are_tried(ann: Member) -> None:
    methods = {
        f"{role}.{name}" for role, adapter in roles_of(ann).items() for name in public(adapter)
    }
    methods -= {"index.warm", "vectors.database"}

    assert methods - {*READS, *WRITES} - CONTEXTS - NEEDS_A_FILE - COUNTED_FOR_ALL == set()


def test_every_table_of_a_tenant_has_rows_in_these_tests(ann: Member) -> None:
    fill(ann)
    empty = {table for table, rows in stored(ann.database.tenant).items() if not rows}

    assert empty <= {"opinion", "entry_alias"}


def test_another_tenant_sees_and_counts_nothing(ann: Member) -> None:
    with joined() as bob:
        expected = answers(bob)
        fill(ann)

        assert answers(bob) == expected


def test_the_same_ids_and_texts_in_two_tenants_are_not_taken_for_each_other(ann: Member) -> None:
    with joined() as bob:
        fill(bob)
        expected = answers(bob)
        fill(ann)
        ann.world.add(
            *(lesson(f"Another lesson {number} about the parser.") for number in range(5))
        )

        assert answers(bob) == expected


@pytest.fixture
def bob_and_his_rows(ann: Member) -> Iterator[tuple[Member, dict[str, list[str]]]]:
    with joined() as bob:
        fill(bob)
        fill(ann)
        yield bob, stored(bob.database.tenant)


def test_no_method_changes_anything_of_another_tenant(
    ann: Member, bob_and_his_rows: tuple[Member, dict[str, list[str]]]
) -> None:
    bob, rows = bob_and_his_rows
    for name, write in WRITES.items():
        before = stored(ann.database.tenant)
        write(ann)

        assert stored(bob.database.tenant) == rows, name
        assert (
            write is WRITES["upkeep.pack"]
            or name in WITHOUT_EFFECT
            or stored(ann.database.tenant) != before
        ), name


def test_a_member_of_the_same_tenant_sees_nothing_of_what_is_personal() -> None:
    with members("both see this", "both see this") as (ann, eve):
        fill_shared(ann)
        expected = answers(eve, KNOWN_TO_ALL)
        fill_personal(ann)

        assert answers(eve, KNOWN_TO_ALL) == expected


def test_shared_entries_are_seen_by_all_members_of_a_tenant() -> None:
    with members("one for two", "one for two") as (ann, eve):
        fill_shared(ann)

        for name in (
            "repository.matching",
            "repository.printed",
            "keywords.match",
            "index.compare",
            "proposals.open",
        ):
            assert repr(READS[name](ann)) == repr(READS[name](eve)) != repr([]), name


def test_the_same_personal_texts_of_two_members_are_two() -> None:
    with members("same texts", "same texts") as (ann, eve):
        fill(ann)
        expected = answers(ann, KNOWN_TO_ALL)
        fill_personal(eve)

        assert answers(ann, KNOWN_TO_ALL) == expected


def test_no_method_changes_what_is_another_members_own() -> None:
    with members("writers", "writers") as (ann, eve):
        fill(ann)
        fill_personal(eve)
        eve.world.projects.add(Identity("/own", "/own"), "own")
        own = stored(ann.database.tenant, ann.database.role)
        for name, write in WRITES.items():
            kept = {} if name == "repository.delete" else own
            write(eve)
            now = stored(ann.database.tenant, ann.database.role)

            assert now == own or not kept, name
            own = now


def test_a_members_own_checkpoint_is_restored_without_the_rows_of_others() -> None:
    with members("restorers", "restorers") as (ann, eve):
        fill(ann)
        own = stored(ann.database.tenant, ann.database.role)
        fill_personal(eve)
        WRITES["repository.put"](eve)
        WRITES["snapshots.bring_back"](eve)

        assert stored(ann.database.tenant, ann.database.role) == own


# By plain SQL, with a member's own address.


def connected(address: str) -> psycopg.Connection[Any]:
    return psycopg.connect(address, autocommit=True)


def own_rows(user: Member, table: str, names: set[str]) -> list[str]:
    """Return the rows of a table that a member may see."""
    may_see = (
        "owner IN ('', {role})"
        if table in {"entry", "entry_text", "vector", "document", "corpus", "posting", "history"}
        else "owner = {role}"
    )
    condition = may_see if "owner" in names and table != "project" else "true"
    query = sql.SQL(
        "SELECT to_jsonb(x)::text FROM hardwon.{table} x WHERE tenant = {tenant} AND " + condition
    ).format(
        table=sql.Identifier(table),
        tenant=sql.Literal(user.database.tenant),
        role=sql.Literal(user.database.role),
    )
    return sorted(str(row) for (row,) in as_owner(query))


def test_a_query_without_any_condition_gives_own_rows_only() -> None:
    with members("selecting", "selecting", None) as (ann, eve, bob):
        for user in (ann, bob):
            fill(user)
        fill_personal(eve)
        with connected(ann.address) as connection:
            for table, names in columns().items():
                if "tenant" not in names or table in {"tenant", "member"}:
                    continue
                query = sql.SQL("SELECT to_jsonb(x)::text FROM hardwon.{} x").format(
                    sql.Identifier(table)
                )
                seen = sorted(str(row) for (row,) in connection.execute(query).fetchall())

                assert seen == own_rows(ann, table, names), table


def test_members_and_tenants_are_shown_no_others(ann: Member) -> None:
    with joined() as bob, connected(ann.address) as connection:
        fill(bob)

        assert connection.execute("SELECT role FROM hardwon.member").fetchall() == [
            (ann.database.role,)
        ]
        assert connection.execute("SELECT tenant FROM hardwon.tenant").fetchall() == [
            (ann.database.tenant,)
        ]


@pytest.fixture
def attacked(ann: Member) -> Iterator[tuple[Member, Member]]:
    """Yield the attacker, and a victim in another tenant."""
    with joined() as bob:
        fill(bob)
        fill(ann)
        yield ann, bob


LIFTING = (
    "SET ROLE {victim}",
    "SET SESSION AUTHORIZATION {victim}",
    "SET ROLE postgres",
    "ALTER TABLE hardwon.entry DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE hardwon.entry NO FORCE ROW LEVEL SECURITY",
    "ALTER POLICY shared_or_own ON hardwon.entry USING (true)",
    "DROP POLICY shared_or_own ON hardwon.entry",
    "CREATE POLICY all_of_them ON hardwon.entry USING (true)",
    "ALTER TABLE hardwon.entry OWNER TO {attacker}",
    "UPDATE hardwon.member SET tenant = {tenant}",
    "UPDATE hardwon.member SET role = {name}",
    "DELETE FROM hardwon.member",
    "INSERT INTO hardwon.member (role, tenant) VALUES ('somebody', {tenant})",
    "UPDATE hardwon.tenant SET name = 'mine'",
    "TRUNCATE hardwon.entry CASCADE",
    "GRANT hardwon_member TO {victim}",
    "GRANT {victim} TO {attacker}",
    "ALTER ROLE {attacker} BYPASSRLS",
    "ALTER ROLE hardwon_member BYPASSRLS",
    "CREATE FUNCTION hardwon.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TABLE hardwon.mine (tenant integer)",
    "CREATE TRIGGER mine BEFORE INSERT ON hardwon.entry EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "DELETE FROM hardwon.migration",
    "UPDATE hardwon.migration SET version = 99",
    "DELETE FROM hardwon.state",
    "COPY hardwon.entry FROM PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
)


def attack(ann: Member, bob: Member, statement: str) -> sql.Composed:
    return sql.SQL(statement).format(
        attacker=sql.Identifier(ann.database.role),
        victim=sql.Identifier(bob.database.role),
        name=sql.Literal(bob.database.role),
        tenant=sql.Literal(bob.database.tenant),
    )


def test_no_policy_can_be_lifted_by_a_member(attacked: tuple[Member, Member]) -> None:
    ann, bob = attacked
    with connected(ann.address) as connection:
        for statement in LIFTING:
            try:
                connection.execute(attack(ann, bob, statement))
            except psycopg.errors.InsufficientPrivilege:
                continue
            pytest.fail(f"not refused: {statement}")

        assert connection.execute(
            "SELECT count(*) FROM hardwon.entry WHERE tenant != %s", [ann.database.tenant]
        ).fetchone() == (0,)


def test_without_row_security_a_member_is_shown_nothing(attacked: tuple[Member, Member]) -> None:
    ann, _ = attacked
    with connected(ann.address) as connection:
        connection.execute("SET row_security = off")
        for table in tables_of_tenants():
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                connection.execute(
                    sql.SQL("SELECT 1 FROM hardwon.{}").format(sql.Identifier(table))
                )


def test_the_role_of_all_members_sees_nothing(attacked: tuple[Member, Member]) -> None:
    ann, _ = attacked
    with connected(ann.address) as connection:
        connection.execute("SET ROLE hardwon_member")
        for table in (*tables_of_tenants(), "member", "tenant"):
            query = sql.SQL("SELECT 1 FROM hardwon.{}").format(sql.Identifier(table))

            assert connection.execute(query).fetchall() == [], table


def test_a_function_of_a_members_own_is_shown_own_rows_only(
    attacked: tuple[Member, Member],
) -> None:
    ann, bob = attacked
    shown = list[str]()
    with connected(ann.address) as connection:
        connection.add_notice_handler(lambda notice: shown.append(str(notice.message_primary)))
        connection.execute(
            "CREATE FUNCTION pg_temp.tell(given integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001"
            " AS $$ BEGIN RAISE NOTICE '%', given; RETURN true; END $$"
        )
        connection.execute("SELECT 1 FROM hardwon.entry WHERE pg_temp.tell(tenant)")

    assert {*shown} == {str(ann.database.tenant)} != {str(bob.database.tenant)}


def copied(table: str, changes: Mapping[str, object]) -> sql.Composed:
    """Return the statement that inserts a member's own row of a table again, with other values."""
    names = sql.SQL(", ").join(map(sql.Identifier, changes))
    kept = sql.SQL(
        "INSERT INTO hardwon.{table} OVERRIDING SYSTEM VALUE"
        " SELECT (jsonb_populate_record(x, {changes}::jsonb)).* FROM hardwon.{table} x LIMIT 1"
    )
    del names
    return kept.format(
        table=sql.Identifier(table), changes=sql.Literal(psycopg.types.json.Jsonb(dict(changes)))
    )


def test_no_row_of_another_tenant_can_be_written(attacked: tuple[Member, Member]) -> None:
    ann, bob = attacked
    rows = stored(bob.database.tenant)
    with connected(ann.address) as connection:
        for table in sorted({*tables_of_tenants()} - {"state", "opinion", "entry_alias"}):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                connection.execute(copied(table, {"tenant": bob.database.tenant}))
            update = sql.SQL("UPDATE hardwon.{} SET tenant = {}")
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                connection.execute(
                    update.format(sql.Identifier(table), sql.Literal(bob.database.tenant))
                )
            for statement in (
                "UPDATE hardwon.{} SET tenant = tenant WHERE tenant = {}",
                "DELETE FROM hardwon.{} WHERE tenant = {}",
            ):
                done = connection.execute(
                    sql.SQL(statement).format(
                        sql.Identifier(table), sql.Literal(bob.database.tenant)
                    )
                )

                assert done.rowcount == 0, (table, statement)

    assert stored(bob.database.tenant) == rows


def test_no_row_of_another_owner_can_be_written() -> None:
    with members("owners", "owners") as (ann, eve):
        fill(ann)
        fill_personal(eve)
        eve.world.projects.add(Identity("/own", "/own"), "own")
        own = stored(ann.database.tenant, ann.database.role)
        owned = sorted(table for table in tables_of_tenants() if "owner" in columns()[table])
        with connected(eve.address) as connection:
            for table in sorted({*owned} - {"opinion"}):
                with pytest.raises(
                    psycopg.errors.InsufficientPrivilege, match="row-level security"
                ):
                    connection.execute(copied(table, {"owner": ann.database.role}))
                update = sql.SQL("UPDATE hardwon.{} SET owner = {}")
                with pytest.raises(
                    psycopg.errors.InsufficientPrivilege, match="row-level security"
                ):
                    connection.execute(
                        update.format(sql.Identifier(table), sql.Literal(ann.database.role))
                    )
                for statement in (
                    "UPDATE hardwon.{} SET owner = {} WHERE owner = {}",
                    "DELETE FROM hardwon.{} WHERE owner = {}",
                ):
                    values = [
                        sql.Identifier(table),
                        *[sql.Literal(ann.database.role)] * (statement.count("{}") - 1),
                    ]
                    done = connection.execute(sql.SQL(statement).format(*values))

                    assert done.rowcount == 0, (table, statement)

        assert stored(ann.database.tenant, ann.database.role) == own


def test_counters_and_places_of_personal_entries_are_their_owners_too() -> None:
    with members("side tables", "side tables") as (ann, eve):
        fill(ann)
        number = ann.number_of(FILE)
        ann.world.usage.record_access([number], NOW)
        ann.world.usage.record_recall([number], NOW)
        ann.world.projects.add_place(FILE.entry_id, "secret place")
        with connected(eve.address) as connection:
            for table in ("recall", "usage", "entry_place"):
                query = sql.SQL("SELECT 1 FROM hardwon.{} WHERE number = {}")
                found = connection.execute(
                    query.format(sql.Identifier(table), sql.Literal(number))
                ).fetchall()

                assert found == [], table


def test_no_member_puts_a_file_among_those_of_another_member() -> None:
    with members("planting", "planting") as (ann, eve):
        fill(ann)
        eve.world.add(lesson("To be disguised."))
        number = eve.number_of(lesson("To be disguised."))
        with (
            connected(eve.address) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(
                "UPDATE hardwon.entry_text SET author = %s, file_path = '/memory/planted.md' WHERE number = %s",
                (ann.database.role, number),
            )

        assert ann.world.repository.with_file("/memory/planted.md") is None


@pytest.fixture
def untrusted() -> Iterator[str]:
    """Yield the address of a role that logs in and is no member."""
    with member() as address:
        role = str(psycopg.conninfo.conninfo_to_dict(address)["user"])
        as_owner(sql.SQL("DELETE FROM hardwon.member WHERE role = {}").format(sql.Literal(role)))
        yield address


def test_a_role_that_is_no_member_any_more_but_has_rights_sees_nothing(
    ann: Member, untrusted: str
) -> None:
    fill(ann)
    with connected(untrusted) as connection:
        for table in (*tables_of_tenants(), "member", "tenant"):
            query = sql.SQL("SELECT 1 FROM hardwon.{}").format(sql.Identifier(table))

            assert connection.execute(query).fetchall() == [], table


def test_a_role_that_was_never_a_member_may_not_even_ask(ann: Member, untrusted: str) -> None:
    fill(ann)
    role = str(psycopg.conninfo.conninfo_to_dict(untrusted)["user"])
    as_owner(sql.SQL("REVOKE hardwon_member FROM {}").format(sql.Identifier(role)))
    try:
        with connected(untrusted) as connection:
            for table in tables_of_tenants():
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(
                        sql.SQL("SELECT 1 FROM hardwon.{}").format(sql.Identifier(table))
                    )
    finally:
        as_owner(sql.SQL("GRANT hardwon_member TO {}").format(sql.Identifier(role)))


REFUSED_OPENINGS: tuple[Callable[[str], object], ...] = (PostgresDatabase,)


def test_a_removed_member_is_refused_with_the_way_out(ann: Member) -> None:
    role = ann.database.role
    assert remove_member(store(), role)
    try:
        with pytest.raises(StorageError) as caught:
            PostgresDatabase(ann.address)
        with pytest.raises(StorageError):
            ann.world.repository.put(FIRST)
        with pytest.raises(StorageError):
            ann.world.repository.count(EVERYTHING)
    finally:
        add_member(store(), role, role)

    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert role in str(caught.value)
    assert "hardwon store add-member" in str(caught.value)


def test_texts_of_a_removed_member_stay_and_are_seen_when_the_member_comes_back(
    ann: Member,
) -> None:
    fill(ann)
    rows = stored(ann.database.tenant)
    remove_member(store(), ann.database.role)
    add_member(store(), ann.database.role, ann.database.role)

    assert stored(ann.database.tenant) == rows
    assert {entry.entry_id for entry in PERSONAL} <= {
        *ann.world.repository.ids_starting_with("", 99)
    }


def test_a_checkpoint_of_one_member_has_no_rows_of_another() -> None:
    with members("saving", "saving") as (ann, eve):
        fill(ann)
        with eve.world.snapshots.transaction():
            taken = eve.world.snapshots.take(
                Checkpoint(name="eve's", contents=Contents("all", "here"), created_at=NOW)
            )
        saved = as_owner(
            sql.SQL(
                "SELECT 1 FROM hardwon.saved_row WHERE tenant = {} AND snapshot = {} AND content->>'owner' = {}"
            ).format(
                sql.Literal(eve.database.tenant),
                sql.Literal(taken.snapshot_path),
                sql.Literal(ann.database.role),
            )
        )

        assert saved == []
        assert ann.world.snapshots.named("eve's") is None
        with pytest.raises(StorageError), ann.world.snapshots.opened(taken.snapshot_path):
            pass
