"""Policies that Citus accepts, without a subquery or a distributed table."""

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.session import Statement
from hardwon.ports.entries import Proposal
from tests.adapters.postgres.every_method import FILE, FIRST, READS, Member, fill, joined, members
from tests.adapters.postgres.servers import stored, tables_of_tenants
from tests.postgres_server import store, world_of
from tests.strategies import NOW

pytestmark = pytest.mark.postgres

SUBLINK, FUNCTION = re.compile(r"\{SUBLINK\b"), re.compile(r":(?:funcid|opfuncid) (\d+)")
TREES = """
    SELECT c.relname, concat(p.polqual::text, p.polwithcheck::text)
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'hardwon'::regnamespace
"""
OF_HARDWON = """
    SELECT oid, proname, provolatile, prosecdef, prosqlbody IS NOT NULL FROM pg_proc
    WHERE oid = ANY(%s) AND pronamespace != 'pg_catalog'::regnamespace
"""
READ_BY = """
    SELECT DISTINCT d.refobjid::regclass::text FROM pg_depend d
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = %s AND d.refclassid = 'pg_class'::regclass
"""
TENANT = "hardwon.own_tenant()"


def trees(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """Return the expressions of all policies, by their tables."""
    found = dict[str, list[str]]()
    for table, tree in connection.execute(TREES).fetchall():
        found.setdefault(table, []).append(tree)
    return found


def with_subqueries(connection: psycopg.Connection[Any]) -> set[str]:
    return {table for table, of_it in trees(connection).items() if any(map(SUBLINK.search, of_it))}


def test_no_policy_has_a_subquery() -> None:
    with psycopg.connect(store()) as connection:
        assert trees(connection).keys() == {*tables_of_tenants(), "tenant", "member"}
        assert with_subqueries(connection) == set()


@pytest.mark.parametrize(
    "subquery",
    [
        "tenant = (SELECT hardwon.own_tenant())",
        "EXISTS (SELECT FROM hardwon.entry e WHERE e.tenant = usage.tenant AND e.number = usage.number)",
        "tenant IN (SELECT m.tenant FROM hardwon.member m)",
        "tenant = ANY (ARRAY(SELECT m.tenant FROM hardwon.member m))",
    ],
)
@pytest.mark.parametrize("clause", ["USING", "WITH CHECK"])
def test_a_policy_with_a_subquery_would_be_found(
    clause: LiteralString, subquery: LiteralString
) -> None:
    with psycopg.connect(store()) as connection:
        command: LiteralString = "FOR ALL USING" if clause == "USING" else "FOR INSERT WITH CHECK"
        connection.execute(f"CREATE POLICY found ON hardwon.usage {command} ({subquery})")

        assert with_subqueries(connection) == {"usage"}
        connection.rollback()


def test_a_function_of_a_policy_reads_no_distributed_table_and_nothing_by_a_search_path() -> None:
    runbook = (Path(__file__).parents[3] / "deploy" / "citus.sql").read_text("utf-8")
    whole = set(re.findall(r"create_reference_table\('([\w.]+)'\)", runbook))
    with psycopg.connect(store()) as connection:
        called = {
            int(oid)
            for of_table in trees(connection).values()
            for tree in of_table
            for oid in FUNCTION.findall(tree)
        }
        functions = connection.execute(OF_HARDWON, ([*called],)).fetchall()
        read = {
            name: {table for (table,) in connection.execute(READ_BY, (oid,))}
            for oid, name, *_ in functions
        }

    assert {tuple(facts) for _, *facts in functions} == {
        (name, "s", False, True) for name in ("login", "own_tenant", "owns_store")
    }
    assert read == {"login": set(), "own_tenant": {"hardwon.member"}, "owns_store": set()}
    assert read["own_tenant"] <= whole


REFUSED_BY_CITUS = """
    SELECT conrelid::regclass::text, conname FROM pg_constraint
    WHERE connamespace = 'hardwon'::regnamespace AND contype = 'f' AND (confupdtype NOT IN ('a', 'r') OR confdeltype IN ('n', 'd'))
    UNION ALL SELECT tgrelid::regclass::text, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace)
"""


def test_no_key_changes_the_keys_of_other_tables_and_there_are_no_triggers() -> None:
    with psycopg.connect(store()) as connection:
        assert connection.execute(REFUSED_BY_CITUS).fetchall() == []


def test_no_table_of_a_member_is_taken_for_that_of_members() -> None:
    with joined() as ann, joined() as bob, psycopg.connect(ann.address) as connection:
        connection.execute("CREATE TEMP TABLE member (role text, tenant integer)")
        connection.execute(
            "INSERT INTO member VALUES (%s, %s)", (ann.database.role, bob.database.tenant)
        )
        connection.execute("SET search_path = pg_temp, hardwon, pg_catalog")

        assert connection.execute("SELECT hardwon.own_tenant()").fetchone() == (
            ann.database.tenant,
        )


@pytest.fixture
def two() -> Iterator[tuple[Member, Member]]:
    """Yield two members of one tenant, the first with rows in every table."""
    with members(*[uuid.uuid4().hex] * 2) as (ann, eve):
        fill(ann)
        yield ann, eve


def steps(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for step in plan.get("Plans", ()):
        yield from steps(step)


def test_the_tenant_of_the_login_is_a_condition_of_an_index_of_every_table(
    two: tuple[Member, Member],
) -> None:
    ann, _ = two
    without = set[str]()
    with psycopg.connect(ann.address) as connection:
        connection.execute("SET enable_seqscan = off")  # few rows
        for table in (*tables_of_tenants(), "tenant"):
            query = sql.SQL("EXPLAIN (FORMAT JSON) SELECT * FROM hardwon.{}")
            [(plans,)] = connection.execute(query.format(sql.Identifier(table))).fetchall()
            used = [step.get("Index Cond", "") for step in steps(plans[0]["Plan"])]
            if not any(f"(tenant = {TENANT})" in condition for condition in used):
                without.add(table)

    assert without == set()


class Explained(PostgresDatabase):
    """A connection that asks for the plan of every read before it runs it."""

    plans: dict[str, Mapping[str, Any]]

    def _ask(self, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        for statement, values in statements:
            if "hardwon." in statement and statement.lstrip().startswith(("SELECT", "WITH")):
                [[(plans,)]] = super()._ask([(f"EXPLAIN (FORMAT JSON) {statement}", values)])
                self.plans[statement] = plans[0]["Plan"]
        return super()._ask(statements)


def test_no_read_evaluates_the_tenant_of_the_login_for_each_row(two: tuple[Member, Member]) -> None:
    ann, _ = two
    with closing(Explained(ann.address)) as database:
        database.plans = {}
        user = ann._replace(database=database, world=world_of(database))
        for read in READS.values():
            read(user)

    asked = {
        name
        for plan in database.plans.values()
        for step in steps(plan)
        for name, value in step.items()
        if TENANT in str(value) and name != "Plans"
    }
    assert len(database.plans) > 50
    assert asked == {"One-Time Filter"}


PLANTED = {
    "recall": "(tenant, number, entry_owner, recall_count, last_recalled_at) VALUES ({tenant}, {number}, {owner}, 9, now())",
    "usage": "(tenant, number, entry_owner, access_count) VALUES ({tenant}, {number}, {owner}, 9)",
    "entry_alias": "(tenant, number, entry_owner, old_id) VALUES ({tenant}, {number}, {owner}, 'planted')",
    "entry_place": "(tenant, number, entry_owner, project) VALUES ({tenant}, {number}, {owner}, 'planted')",
    "document": "(tenant, number, passage, owner, words) VALUES ({tenant}, {number}, 99, {owner}, 9)",
    "posting": "VALUES ({tenant}, 99, {number}, 1, 1, 1, 1, 1, 'planted', {owner})",
    "vector": "(tenant, space, number, owner, text_hash, vec)"
    " SELECT {tenant}, max(space), {number}, {owner}, 'planted', '[1]' FROM hardwon.space",
}
"""Rows about an entry that another member keeps private."""


@pytest.mark.parametrize("table", PLANTED)
def test_nothing_is_added_to_an_entry_that_is_another_members_own(
    two: tuple[Member, Member], table: str
) -> None:
    ann, eve = two
    number = ann.number_of(FILE)
    ann.world.usage.record_access([number], NOW)
    before = stored(ann.database.tenant)
    roles = (ann.database.role, eve.database.role, "")
    with psycopg.connect(eve.address, autocommit=True) as connection:
        for owner in roles:
            values = {"tenant": ann.database.tenant, "number": number, "owner": owner}
            planted = sql.SQL(f"INSERT INTO hardwon.{table} {PLANTED[table]}").format(
                **{name: sql.Literal(value) for name, value in values.items()}
            )
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.IntegrityError)):
                connection.execute(planted)
    assert stored(ann.database.tenant) == before


def test_a_planted_pair_is_no_proposal_and_prevents_none(
    two: tuple[Member, Member],
) -> None:
    ann, eve = two
    world, pair = ann.world, (ann.number_of(FILE), ann.number_of(FIRST))
    expected = world.proposals.open(9)
    with psycopg.connect(eve.address, autocommit=True) as connection:
        for owner in (eve.database.role, ""):
            connection.execute(
                "INSERT INTO hardwon.proposal (tenant, older, newer, entry_owner, probability) VALUES (%s, %s, %s, %s, 0.9)",
                (ann.database.tenant, *pair, owner),
            )
    assert world.proposals.open(9) == expected

    world.proposals.propose(Proposal(FILE.entry_id, FIRST.entry_id, 0.7))

    assert len(world.proposals.open(9)) == len(expected) + 1
    assert world.proposals.reject(FILE.entry_id, FIRST.entry_id)
    assert world.proposals.open(9) == expected
    assert eve.world.proposals.open(9) == expected
