"""Colleagues: what the statements of one do to the lessons of another, and what not."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import LiteralString

import attrs
import psycopg
import pytest
from psycopg import sql

from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.use_cases.edit_entries import ChangeEntry, DeleteEntries
from tests.adapters.postgres.every_method import FIRST, RULE, SECOND, Member, fill, members
from tests.adapters.postgres.servers import columns, stored
from tests.contracts.worlds import IN_TIME
from tests.fakes.clock import FixedClock
from tests.strategies import NOW, lesson

pytestmark = pytest.mark.postgres

REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.IntegrityError)


@pytest.fixture
def two() -> Iterator[tuple[Member, Member]]:
    """Yield Ann, who has rows in every table, and Eve of the same tenant."""
    with members(*[uuid.uuid4().hex] * 2) as (ann, eve):
        fill(ann)
        yield ann, eve


ATTEMPTS: tuple[LiteralString, ...] = (
    "UPDATE hardwon.entry SET author = {eve}",
    "UPDATE hardwon.entry_text SET author = {eve}",
    "UPDATE hardwon.entry SET tier = 'constitutional'",
    "UPDATE hardwon.entry SET tier = 'deprecated' WHERE number = {number}",
    "UPDATE hardwon.entry SET author = {eve}, tier = 'normal' WHERE id = {id}",
    "INSERT INTO hardwon.entry SELECT (jsonb_populate_record(e, jsonb_build_object('number', 999, 'id', 'new'))).* FROM hardwon.entry e WHERE number = {number}",
    "INSERT INTO hardwon.entry SELECT e.* FROM hardwon.entry e WHERE number = {number} ON CONFLICT (tenant, number) DO UPDATE SET tier = 'critical'",
    "MERGE INTO hardwon.entry e USING (SELECT 1) s ON e.number = {number} WHEN MATCHED THEN UPDATE SET tier = 'critical'",
    "MERGE INTO hardwon.entry e USING (SELECT 1) s ON e.number = {number} WHEN MATCHED THEN DELETE",
    "DELETE FROM hardwon.entry",
    "DELETE FROM hardwon.entry WHERE number = {number}",
    "DELETE FROM hardwon.entry_text",
    "WITH gone AS (DELETE FROM hardwon.entry RETURNING 1) SELECT count(*) FROM gone",
    "TRUNCATE hardwon.entry, hardwon.entry_text CASCADE",
    "UPDATE hardwon.entry SET owner = {eve} WHERE number = {number}",
    (
        "WITH t AS (UPDATE hardwon.entry_text SET owner = {eve} WHERE number = {number}), d AS (UPDATE hardwon.document SET owner = {eve}"
        " WHERE number = {number}), p AS (UPDATE hardwon.posting SET owner = {eve} WHERE number = {number}) UPDATE hardwon.entry SET owner = {eve}"
        " WHERE number = {number}"
    ),
    "SELECT hardwon.change_tier({number}, 'constitutional')",
    "SELECT hardwon.take_over({number}, '/eve/file.md')",
    "UPDATE hardwon.entry_text SET file_path = '/eve/file.md' WHERE number = {number}",
    "UPDATE hardwon.project SET trust = 'trusted'",
    "DELETE FROM hardwon.project",
    "UPDATE hardwon.opinion SET trust = 'trusted'",
    "UPDATE hardwon.trusted_folder SET path = '/'",
    "INSERT INTO hardwon.opinion (tenant, owner, project, trust) VALUES ({tenant}, {ann}, 'x', 'trusted')",
    "INSERT INTO hardwon.trusted_folder (tenant, owner, machine, path) VALUES ({tenant}, {ann}, 'x', '/')",
    "UPDATE hardwon.member SET role = {ann}",
    "DELETE FROM hardwon.member",
    "UPDATE hardwon.receipt SET outcome = '[]'",
    "UPDATE hardwon.receipt_entry SET is_rejected = true",
    "DELETE FROM hardwon.influence",
    "SET ROLE hardwon_member; SELECT hardwon.change_tier({number}, 'constitutional')",
)


def test_no_statement_of_a_colleague_changes_what_is_its_authors_alone(
    two: tuple[Member, Member],
) -> None:
    ann, eve = two
    before = stored(ann.database.tenant)
    values = {
        "ann": ann.database.role,
        "eve": eve.database.role,
        "tenant": ann.database.tenant,
        "number": ann.number_of(FIRST),
        "id": FIRST.entry_id,
    }
    literals = {name: sql.Literal(value) for name, value in values.items()}
    for attempt in ATTEMPTS:
        with psycopg.connect(eve.address) as connection, suppress(*REFUSED):
            connection.execute(sql.SQL(attempt).format(**literals))
        assert stored(ann.database.tenant) == before, attempt


def test_all_columns_but_author_and_tier_may_be_changed_as_by_an_edit(
    two: tuple[Member, Member],
) -> None:
    _, eve = two
    refused = set[str]()
    with psycopg.connect(eve.address, autocommit=True) as connection:
        for table in ("entry", "entry_text"):
            for name in columns()[table]:
                change = sql.SQL("UPDATE hardwon.{} SET {} = {} WHERE false")
                try:
                    connection.execute(
                        change.format(*map(sql.Identifier, (table, name)), sql.Identifier(name))
                    )
                except psycopg.errors.InsufficientPrivilege:
                    refused.add(f"{table}.{name}")

    assert refused == {"entry.author", "entry.tier", "entry_text.author"}


def test_an_author_changes_the_tier_and_deletes_and_a_colleague_does_not(
    two: tuple[Member, Member],
) -> None:
    ann, eve = two
    for member in (eve, ann):
        entry = member.world.repository.by_id(RULE.entry_id)
        assert entry is not None
        member.world.repository.put(
            attrs.evolve(entry, tier="important", notes=f"By {member.database.role}.")
        )
        now = ann.world.repository.by_id(RULE.entry_id)
        assert now is not None
        assert (now.tier, now.notes) == (
            "important" if member is ann else "constitutional",
            f"By {member.database.role}.",
        )

    assert not eve.world.repository.delete(RULE.entry_id)
    assert ann.world.repository.delete(RULE.entry_id)
    assert ann.world.repository.by_id(RULE.entry_id) is None


def test_a_colleague_who_deletes_or_promotes_gets_a_line_and_nothing_is_changed(
    two: tuple[Member, Member],
) -> None:
    ann, eve = two
    eve.world.add(own := lesson("A lesson of Eve."))
    delete = DeleteEntries.on(eve.store, FixedClock(NOW))
    found = eve.world.repository.matching(EVERYTHING, limit=9)
    with pytest.raises(StorageError, match="is another member's: only its author can delete it"):
        delete.delete(found)
    change = ChangeEntry.on(eve.store, FixedClock(NOW))
    for tier in ("critical", "deprecated"):
        with pytest.raises(StorageError, match="only its author can change its tier"):
            change.apply(FIRST.entry_id, EntryChange(importance_tier=tier, title="By Eve"))
    assert change.apply(FIRST.entry_id, EntryChange(title="By Eve")).entry.name == "By Eve"
    assert ann.world.keywords.match(["parser"], "any", EVERYTHING, IN_TIME).count() >= 1
    assert eve.world.repository.by_id(own.entry_id)

    assert [entry.entry_id for entry in delete.delete([own])] == [own.entry_id]
    assert {entry.entry_id for entry in ann.world.repository.matching(EVERYTHING, limit=99)} > {
        FIRST.entry_id,
        SECOND.entry_id,
    }


def test_a_restore_leaves_the_lessons_of_colleagues(two: tuple[Member, Member]) -> None:
    ann, eve = two
    eve.world.add(own := lesson("A lesson of Eve."), gone := lesson("Another one of Eve."))
    with eve.world.snapshots.transaction():
        taken = eve.world.snapshots.take(
            Checkpoint(name="eve's", contents=Contents("all", ""), created_at=NOW)
        )
    eve.world.repository.put(attrs.evolve(own, tier="critical", notes="Later."))
    eve.world.repository.delete(gone.entry_id)
    eve.world.add(lesson("Added by Eve."))
    ann.world.add(gone, lesson("Added by Ann."))
    ann.world.repository.delete(SECOND.entry_id)
    theirs = {entry.entry_id for entry in ann.world.repository.matching(EVERYTHING, limit=99)}
    with (
        eve.world.snapshots.opened(taken.snapshot_path) as snapshot,
        eve.world.snapshots.transaction(),
    ):
        snapshot.bring_back(taken.contents, name=taken.name, at=NOW)

    restored = eve.world.repository.by_id(own.entry_id)
    assert restored is not None
    assert (restored.tier, restored.notes) == (own.tier, own.notes)
    kept = {entry.entry_id for entry in ann.world.repository.matching(EVERYTHING, limit=99)}
    assert kept == theirs - {lesson("Added by Eve.").entry_id}
    assert not eve.world.repository.delete(gone.entry_id)
