"""A store of version 9 gets the owners of entries in all rows about them."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from hardwon.adapters.postgres import migrate as migration
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import add_member, migrate, migrations
from hardwon.adapters.postgres.session import NEWEST
from hardwon.domain.model.errors import StorageError
from tests.postgres_server import execute, new_database, world_of

pytestmark = pytest.mark.postgres

BEFORE = 9
SHARED, PERSONAL = 1, 2
COUNTED = ("recall", "usage", "entry_alias", "entry_place")

# As the programs of version 9 stored it.
ENTRY = """
    INSERT INTO hardwon.entry (tenant, number, id, owner, kind, category, observation_count, confidence, created_at, updated_at,
        reach, permanent, tier, importance_weight, context_type, content_hash, words, retired)
    VALUES (1, %(number)s, %(id)s, %(owner)s, 'learning', 'patterns', 1, 'low', now(), now(),
        'everywhere', false, 'normal', 0.5, 'general', %(id)s, 2, false)
"""
TEXT = """
    INSERT INTO hardwon.entry_text (tenant, number, owner, name, description, reasoning, notes, keywords, tags, "references",
        trigger_phrases, text_hash, source, own_tier)
    VALUES (1, %(number)s, %(owner)s, 'Lock', %(id)s, '', '', '{}', '{}', '{}', '{}', %(id)s, 'manual', false)
"""
ABOUT = (
    "INSERT INTO hardwon.recall (tenant, number, recall_count, last_recalled_at) VALUES (1, %(number)s, 3, now())",
    "INSERT INTO hardwon.usage (tenant, number, access_count) VALUES (1, %(number)s, 4)",
    "INSERT INTO hardwon.entry_alias (tenant, number, old_id) VALUES (1, %(number)s, 'old ' || %(id)s)",
    "INSERT INTO hardwon.entry_place (tenant, number, project) VALUES (1, %(number)s, 'there')",
    """
    INSERT INTO hardwon.document (tenant, number, passage, owner, words) SELECT 1, %(number)s, passage, %(owner)s, 2
    FROM generate_series(0, 1) AS passage
    """,
    "INSERT INTO hardwon.posting VALUES (1, 1, %(number)s, 2, 2, 1, 1, 1, 'lock', %(owner)s)",
)
PAIR = "INSERT INTO hardwon.proposal (tenant, older, newer, probability) VALUES (1, %s, %s, 0.9)"
SAVED = """
    INSERT INTO hardwon.saved_row (tenant, snapshot, relation, place, number, content)
    SELECT 1, 'checkpoint:1', '{table}', row_number() OVER (), x.number, to_jsonb(x) FROM hardwon.{table} x
"""
OWNERS = """
    SELECT number, entry_owner FROM hardwon.{table} ORDER BY number
"""
OWNERS_SAVED = """
    SELECT number, content ->> 'entry_owner' FROM hardwon.saved_row WHERE relation = '{table}' ORDER BY number
"""


class Before(NamedTuple):
    """A store of version 9, with entries of Ann."""

    owner: str
    ann: str
    eve: str

    @property
    def role(self) -> str:
        """The role of Ann."""
        return str(psycopg.conninfo.conninfo_to_dict(self.ann)["user"])


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Iterator[Before]:
    """Yield a store whose policies bind its owner, who is no superuser."""
    name = f"m{uuid.uuid4().hex[:8]}"
    roles = [f"{name}_{who}" for who in ("owner", "ann", "eve")]
    with new_database() as address:
        execute(address, SQL("CREATE EXTENSION vector"))
        for role in roles:
            execute(address, SQL("CREATE ROLE {} LOGIN CREATEROLE").format(Identifier(role)))
        database = str(psycopg.conninfo.conninfo_to_dict(address)["dbname"])
        execute(
            address,
            SQL("ALTER DATABASE {} OWNER TO {}").format(*map(Identifier, (database, roles[0]))),
        )
        execute(
            address,
            SQL(
                "DO $$ BEGIN CREATE ROLE hardwon_member; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            ),
        )
        execute(
            address,
            SQL("GRANT hardwon_member TO {} WITH ADMIN OPTION").format(Identifier(roles[0])),
        )
        found = Before(*(make_conninfo(address, user=role) for role in roles))
        with monkeypatch.context() as patch:
            patch.setattr(migration, "migrations", lambda: migrations()[:BEFORE])
            assert migrate(found.owner) == [*range(1, BEFORE + 1)]
        for role in roles[1:]:
            add_member(found.owner, role)
        _fill(found)
        yield found
    for role in roles:
        execute(
            make_conninfo(address, dbname="postgres"),
            SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(Identifier(role)),
        )


def _fill(store: Before) -> None:
    with psycopg.connect(store.ann) as connection:
        for number, owner in ((SHARED, ""), (PERSONAL, store.role), (3, "")):
            for statement in (ENTRY, TEXT, *ABOUT):
                connection.execute(
                    statement, {"number": number, "owner": owner, "id": f"id {number}"}
                )
        connection.execute(PAIR, (SHARED, PERSONAL))
        connection.execute(PAIR, (SHARED, 3))
        for table in ("entry", "entry_text", *COUNTED):
            connection.execute(SAVED.format(table=table))


def asked(address: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(address) as connection:
        return connection.execute(statement).fetchall()


def test_rows_of_version_9_get_the_owner_of_their_entry(before: Before) -> None:
    assert migrate(before.owner) == [*range(BEFORE + 1, NEWEST + 1)]

    expected = [(SHARED, ""), (PERSONAL, before.role), (3, "")]
    for table in COUNTED:
        assert asked(before.ann, OWNERS.format(table=table)) == expected, table
        assert asked(before.ann, OWNERS_SAVED.format(table=table)) == expected, table
        assert asked(before.eve, OWNERS.format(table=table)) == [(SHARED, ""), (3, "")], table
    pairs = "SELECT newer, entry_owner FROM hardwon.proposal ORDER BY newer"
    assert asked(before.ann, pairs) == [(PERSONAL, before.role), (3, "")]
    assert asked(before.eve, pairs) == [(3, "")]
    assert asked(before.owner, pairs) == [(3, "")]
    with closing(PostgresDatabase(before.ann)) as ann, closing(PostgresDatabase(before.eve)) as eve:
        kept = world_of(ann).repository.by_id(f"id {PERSONAL}")
        assert kept is not None
        assert (kept.recall_count, kept.usage.access_count) == (3, 4)
        assert world_of(eve).repository.by_id(f"id {PERSONAL}") is None


def test_a_program_of_version_9_that_is_connected_goes_on_and_its_next_connection_is_refused(
    before: Before,
) -> None:
    with psycopg.connect(before.ann) as connection:
        connection.execute("UPDATE hardwon.recall SET recall_count = recall_count + 1")
        connection.commit()
        migrate(before.owner)
        connection.execute("UPDATE hardwon.recall SET recall_count = recall_count + 1")
        for statement in (ENTRY, TEXT, *ABOUT):
            connection.execute(statement, {"number": 9, "owner": "", "id": "id 9"})
        connection.commit()
        counts = connection.execute("SELECT recall_count FROM hardwon.recall ORDER BY number")

        assert counts.fetchall() == [(5,), (5,), (5,), (3,)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hardwon.adapters.postgres.session.NEWEST", BEFORE)
        with pytest.raises(StorageError, match="install the newest hardwon"):
            PostgresDatabase(before.ann)


def test_functions_of_an_owner_who_is_no_superuser_act_for_the_login(before: Before) -> None:
    migrate(before.owner)
    change = "SELECT hardwon.change_tier(%s, 'critical')"
    with psycopg.connect(before.eve) as eve, psycopg.connect(before.ann) as ann:
        eve.execute(change, (SHARED,))
        eve.execute(change, (PERSONAL,))
        eve.execute("SELECT hardwon.take_over(%s, '/eve')", (SHARED,))
        assert eve.execute("DELETE FROM hardwon.entry").rowcount == 0
        for number in (SHARED, PERSONAL):
            ann.execute(change, (number,))
    tiers = "SELECT number, tier, author FROM hardwon.entry ORDER BY number"
    assert asked(before.ann, tiers) == [
        (SHARED, "critical", before.role),
        (PERSONAL, "critical", before.role),
        (3, "normal", before.role),
    ]
    with psycopg.connect(before.owner) as owner:
        assert owner.execute("DELETE FROM hardwon.entry").rowcount == 2
    assert [number for number, *_ in asked(before.ann, tiers)] == [PERSONAL]
