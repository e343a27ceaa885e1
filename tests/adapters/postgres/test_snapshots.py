"""Checkpoints on a server: what they save, what stays another member's, and what they refuse."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import attrs
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.metadata import PostgresMetadata
from hardwon.adapters.postgres.restore import LEDGERS, SAVED, fingerprints
from hardwon.adapters.postgres.session import NEWEST
from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Influence
from hardwon.ports.file_state import Tombstone
from tests.contracts.changes import Change, changes
from tests.contracts.worlds import ALL, World
from tests.postgres_server import member, store, world_of
from tests.strategies import NOW, few_examples, lesson, of_file, planted

pytestmark = pytest.mark.postgres

EVERY_ENTRY = Contents("all", "here")
DOCUMENTS = Contents("documents", "here")

FIGURES = """
    SELECT coalesce(sum(entries), 0), coalesce(sum(entry_words), 0), coalesce(sum(passages), 0), coalesce(sum(passage_words), 0)
    FROM hardwon.corpus WHERE tenant = %(tenant)s
"""
COUNTED = """
    SELECT count(*) FILTER (WHERE passage = 0), coalesce(sum(words) FILTER (WHERE passage = 0), 0),
        count(*) FILTER (WHERE passage > 0), coalesce(sum(words) FILTER (WHERE passage > 0), 0)
    FROM hardwon.document WHERE tenant = %(tenant)s
"""
POSTINGS = """
    SELECT term, number, passage, words, passage_words, times, own_times, passage_times, owner FROM hardwon.posting
    WHERE tenant = %(tenant)s ORDER BY 1, 2, 3, 4
"""


@contextmanager
def joined(tenant: str | None = None) -> Iterator[PostgresDatabase]:
    with member(tenant) as address, closing(PostgresDatabase(address)) as database:
        yield database


@pytest.fixture
def database() -> Iterator[PostgresDatabase]:
    with joined() as here:
        yield here


@pytest.fixture
def world(database: PostgresDatabase) -> World:
    return world_of(database)


def as_owner(statement: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(store(), autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def tenant_of(database: PostgresDatabase) -> str:
    [(name,)] = as_owner("SELECT name FROM hardwon.tenant WHERE tenant = %s", database.tenant)
    return str(name)


def take(world: World, contents: Contents = EVERY_ENTRY, name: str = "before") -> Checkpoint:
    with world.snapshots.transaction():
        return world.snapshots.take(Checkpoint(name=name, contents=contents, created_at=NOW))


def restore(world: World, checkpoint: Checkpoint) -> None:
    with world.snapshots.opened(checkpoint.snapshot_path) as snapshot:
        snapshot.bring_back(checkpoint.contents, name=checkpoint.name, at=NOW)


def stored(database: PostgresDatabase, world: World) -> dict[int, str]:
    numbers = [entry.number or 0 for entry in world.repository.matching(EVERYTHING, limit=ALL)]
    return fingerprints(database.rows, numbers)


@given(before=st.lists(changes, max_size=6), after=st.lists(changes, max_size=6))
@few_examples
def test_every_stored_value_and_every_index_comes_back(
    before: list[Change], after: list[Change]
) -> None:
    with joined() as database:
        world = world_of(database)
        for change in before:
            change(world)
        checkpoint = take(world)
        then, postings = stored(database, world), database.rows(POSTINGS)
        for change in after:
            change(world)
        restore(world, checkpoint)

        assert stored(database, world) == then
        assert database.rows(POSTINGS) == postings
        assert database.rows(FIGURES) == database.rows(COUNTED)


def test_history_gains_a_line_for_each_entry_and_loses_none(
    database: PostgresDatabase, world: World
) -> None:
    kept, changed = world.add(lesson("kept"), lesson("changed"))
    checkpoint = take(world)
    world.history.record(kept, [FieldChange("tier", "normal", "critical")], NOW)
    world.repository.delete(lesson("changed").entry_id)
    [added] = world.add(lesson("added"))
    restore(world, checkpoint)

    lines = database.rows(
        "SELECT number, field_changed, old_value, new_value FROM hardwon.history WHERE tenant = %(tenant)s ORDER BY id"
    )
    assert lines == [
        (kept, "tier", "normal", "critical"),
        (changed, "restored", None, "before"),
        (added, "removed", None, "before"),
    ]


def test_scope_all_brings_the_ledgers_and_decisions_back(
    database: PostgresDatabase, world: World
) -> None:
    metadata = PostgresMetadata(database)
    world.add(lesson("one"))
    world.embed(lesson("one"), planted(1.0))
    world.ledger.record("/a/patterns.md", {"Backoff"}, "1")
    world.tombstones.add(Tombstone("/memory/1.md", "", "hash"), NOW)
    metadata.decide_provider("local")
    checkpoint = take(world)
    world.ledger.record("/a/patterns.md", {"Cache"}, "2")
    world.ledger.record("/b/patterns.md", {"Lock"}, "3")
    world.tombstones.forget("/memory/1.md")
    metadata.decide_provider("openai", force=True)
    metadata.move_label_cursor("0" * 16)
    restore(world, checkpoint)

    assert (
        world.ledger.headings("/a/patterns.md"),
        world.ledger.fingerprint("/a/patterns.md"),
    ) == ({"Backoff"}, "1")
    assert world.ledger.fingerprint("/b/patterns.md") is None
    assert world.tombstones.deleted("/memory/1.md", "hash") == {""}
    assert (metadata.automatic_provider, metadata.label_cursor) == ("local", None)


def test_rows_of_other_members_stay(database: PostgresDatabase, world: World) -> None:
    with joined(tenant_of(database)) as other:
        theirs = world_of(other)
        shared = lesson("shared")
        world.add(shared)
        theirs.add(of_file("Their file"))
        theirs.influences.record(Influence(shared.entry_id, "s", "answer", "their words", NOW))
        checkpoint = take(world)
        theirs.ledger.record("/a/patterns.md", {"Backoff"}, "1")
        world.repository.put(attrs.evolve(shared, notes="changed"))
        restore(world, checkpoint)

        [influence] = theirs.influences.newest(limit=ALL)
        assert influence.phrase == "their words"
        assert {
            entry.description for entry in theirs.repository.matching(EVERYTHING, limit=ALL)
        } == {
            "shared",
            "Their file",
        }
        assert theirs.ledger.fingerprint("/a/patterns.md") == "1"
        assert theirs.snapshots.checkpoints() == []
        with (
            pytest.raises(StorageError, match="has no checkpoint"),
            theirs.snapshots.opened(checkpoint.snapshot_path),
        ):
            pass


def test_an_entry_that_another_member_made_private_is_not_taken(
    database: PostgresDatabase, world: World
) -> None:
    with joined(tenant_of(database)) as other:
        world.add(lesson("shared"))
        checkpoint = take(world)
        made_private = "UPDATE hardwon.{} SET owner = %s WHERE tenant = %s"
        tables = ("entry_text", "document", "posting")
        of_entry = ", ".join(f"of_{table} AS ({made_private.format(table)})" for table in tables)
        as_owner(
            f"WITH {of_entry} {made_private.format('entry')}", *(other.role, database.tenant) * 4
        )

        with pytest.raises(StorageError, match="another member keeps private"):
            restore(world, checkpoint)
        assert len(world_of(other).repository.matching(EVERYTHING, limit=ALL)) == 1


def test_ids_that_changed_hands_come_back(world: World) -> None:
    one, two, three = map(lesson, ("one", "two", "three"))
    world.add(one, two)
    checkpoint = take(world)
    then = {entry.number: entry for entry in world.repository.matching(EVERYTHING, limit=ALL)}
    world.repository.reword(one.entry_id, three)
    world.repository.reword(two.entry_id, one)
    world.repository.reword(three.entry_id, two)
    restore(world, checkpoint)

    assert {
        entry.number: entry for entry in world.repository.matching(EVERYTHING, limit=ALL)
    } == then
    assert world.repository.reworded(three.entry_id) is None


def test_forgotten_entries_are_not_brought_back(world: World) -> None:
    world.add(lesson("kept"), lesson("forgotten"))
    checkpoint = take(world)
    world.repository.delete(lesson("forgotten").entry_id)
    world.repository.forgotten.add("owner", ["forgotten"], NOW)
    restore(world, checkpoint)

    assert [entry.description for entry in world.repository.matching(EVERYTHING, limit=ALL)] == [
        "kept"
    ]


def test_a_checkpoint_of_a_newer_schema_is_refused(
    database: PostgresDatabase, world: World
) -> None:
    checkpoint = take(world)
    database.rows(
        "UPDATE hardwon.checkpoint SET metadata = metadata || %(newer)s WHERE tenant = %(tenant)s",
        newer={"schema": NEWEST + 1},
    )

    with pytest.raises(
        NewerSchemaError, match=f"checkpoint:{checkpoint.number} has schema version {NEWEST + 1}"
    ):
        restore(world, checkpoint)


def test_a_damaged_outcome_is_rolled_back(database: PostgresDatabase, world: World) -> None:
    world.add(lesson("one"))
    checkpoint = take(world)
    world.repository.put(attrs.evolve(lesson("one"), notes="now"))
    database.rows(
        "UPDATE hardwon.saved_row SET content = jsonb_set(content, '{description}', '\" \"')"
        " WHERE tenant = %(tenant)s AND relation = 'entry_text'"
    )
    before = stored(database, world)

    with pytest.raises(StorageError, match="nothing was changed"):
        restore(world, checkpoint)
    assert stored(database, world) == before


def test_a_file_is_brought_in_by_another_command(world: World) -> None:
    with (
        pytest.raises(
            StorageError,
            match="a file is restored in a folder, and copied from there by: hardwon store copy",
        ),
        world.snapshots.opened("/b.db"),
    ):
        pass
    with pytest.raises(
        StorageError, match="is no file; a copy in a folder is made by: hardwon store copy"
    ):
        world.snapshots.back_up("/b.db")


def test_every_table_is_saved_or_stays_on_purpose() -> None:
    tables = {
        name
        for (name,) in as_owner(
            "SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'hardwon' AND column_name = 'tenant'"
        )
    }
    apart = {"tenant", "member", "state"}
    apart |= {"proposal"}  # of entries that come back: found again with their next vectors
    apart |= {"opinion", "trusted_folder"}  # what is known of projects today holds
    apart |= {"forgotten"}  # what was forgotten stays so
    apart |= {"document", "posting", "corpus"}  # derived: made again
    apart |= {
        "receipt",
        "receipt_entry",
    }  # they record what was injected, whatever the store has later
    assert tables == {*SAVED, *apart, "checkpoint", "saved_row"}
    assert {*LEDGERS} < {*SAVED}
