"""Erasure removes a text from every table of the tenant, and from no table of another tenant."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any, NamedTuple

import attrs
import psycopg
import pytest
from psycopg import sql

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.erase import PostgresRows, ServerCopies
from hardwon.adapters.postgres.metadata import PostgresMetadata
from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.receipt import Influence, NearMiss, Receipt, ReceiptEntry
from hardwon.domain.model.project import Identity
from hardwon.ports.entries import Proposal
from hardwon.ports.file_state import Tombstone
from tests.adapters.postgres.servers import stored as stored_rows
from tests.contracts.worlds import ALL, World
from tests.postgres_server import member, store, world_of
from tests.strategies import NOW, lesson, of_file, planted

pytestmark = pytest.mark.postgres

MARK = "quorvexum"
SECRET = "AKIA" + "IOSFODNN7EXAMPLE"
"""No parameter of a statement may hold it, but a text that was stored by an earlier version."""

TEXT_COLUMNS = """
    SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c
    WHERE c.table_schema = 'hardwon' AND c.data_type IN ('text', 'ARRAY', 'jsonb') AND EXISTS (
        SELECT 1 FROM information_schema.columns t
        WHERE t.table_schema = 'hardwon' AND t.table_name = c.table_name AND t.column_name = 'tenant')
"""


class Member(NamedTuple):
    """A member's connection and ports."""

    database: PostgresDatabase
    world: World

    @property
    def rows(self) -> PostgresRows:
        """The place under test."""
        return PostgresRows(self.database)


@contextmanager
def joined(tenant: str | None = None) -> Iterator[Member]:
    with member(tenant) as address, closing(PostgresDatabase(address)) as database:
        yield Member(database, world_of(database))


@pytest.fixture
def here() -> Iterator[Member]:
    with joined() as one:
        yield one


def as_owner(statement: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(store(), autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def places_of(tenant: int, text: str) -> set[str]:
    """Return the columns of all tables in which rows of *tenant* hold *text* in any letter case."""
    found = set[str]()
    with psycopg.connect(store()) as connection:
        for table, column in connection.execute(TEXT_COLUMNS).fetchall():
            query = sql.SQL(
                "SELECT 1 FROM hardwon.{} WHERE tenant = %s AND strpos(lower({}::text), %s) > 0"
            ).format(sql.Identifier(table), sql.Identifier(column))
            if connection.execute(query, (tenant, text.lower())).fetchone():
                found.add(f"{table}.{column}")
    return found


def marked_entries() -> list[Entry]:
    """Return an entry for each field that holds a text, with the mark in it alone."""
    texts = (
        "name",
        "reasoning",
        "notes",
        "project",
        "source_project",
        "workspace",
        "branch",
        "spec_folder",
    )
    lists = ("keywords", "tags", "references", "trigger_phrases")
    entries = [lesson(f"Use {MARK.upper()} here.")]
    entries += [_with(lesson(f"About {field}"), field, f"of {MARK}") for field in texts]
    entries += [_with(lesson(f"List {field}"), field, (f"a {MARK}",)) for field in lists]
    entries += [of_file("path", path=f"{MARK}.md"), of_file("anchor", path="a.md", anchor_id=MARK)]
    entries += [
        of_file(
            "Conversation", kind="conversation", path="c.md", session_id=f"s {MARK}", channel=MARK
        )
    ]
    return entries


def _with(entry: Entry, field: str, value: Any) -> Entry:
    return attrs.evolve(entry, **{field: value})


def record(world: World, kept: Entry) -> None:
    """Put the mark into all that is not an entry itself."""
    number = world.numbers()[kept.entry_id]
    world.history.record(number, [FieldChange("notes", f"old {MARK}", "new")], NOW)
    world.history.record(ALL, [FieldChange("deleted", f"gone {MARK}", None)], NOW)
    world.history.record(ALL, [FieldChange("notes", "of the same", "that was deleted")], NOW)
    receipt = Receipt(
        "s", "prompt", NOW, "here", f"What is {MARK}?", None, "hybrid", "d", ("text",)
    )
    world.receipts.record(receipt)
    shown = ReceiptEntry(kept.entry_id, "lesson", "d", origin=f"of {MARK}")
    world.receipts.record(receipt._replace(query=None, shown=(shown,)))
    world.receipts.record(
        receipt._replace(query=None, missed=(NearMiss(kept.entry_id, 0.1, MARK),))
    )
    world.influences.record(Influence(kept.entry_id, f"s{MARK}", "answer", f"said {MARK}", NOW))
    world.ledger.record(f"/{MARK}/patterns.md", {"Backoff"}, "1")
    world.ledger.record("/a/patterns.md", {f"Pattern: {MARK}", "Cache"}, "1")
    world.tombstones.add(Tombstone(f"/{MARK}.md", "", "1"), NOW)
    absent = attrs.evolve(of_file("Text."), tags=(MARK,))
    world.absences.keep(AbsentFile("/gone.md", {"": standing_of(absent)}), NOW)
    project = world.projects.add(Identity(f"/{MARK}", f"/{MARK}"), MARK)
    world.projects.add_place(kept.entry_id, project.id)
    world.projects.trust_below(f"/{MARK}", trusted=True)


def fill(one: Member) -> Entry:
    """Put the mark into every table; return an entry without it."""
    world = one.world
    kept = lesson("Kept")
    world.add(kept, *marked_entries())
    world.embed(marked_entries()[0], planted(1.0))
    world.proposals.propose(Proposal(kept.entry_id, marked_entries()[0].entry_id, 0.5))
    old = attrs.evolve(lesson("Older"), superseded_by=marked_entries()[0].entry_id)
    world.repository.put(old)
    record(world, kept)
    PostgresMetadata(one.database).move_label_cursor(MARK)
    world.repository.put(attrs.evolve(marked_entries()[1], name="Without it by now"))
    with world.snapshots.transaction():
        checkpoint = Checkpoint(
            name=f"before {MARK}",
            description=f"of {MARK}",
            contents=Contents("all", MARK, f"/{MARK}", MARK),
            created_at=NOW,
        )
        world.snapshots.take(checkpoint)
    return kept


def erasure_of(one: Member) -> Erasure:
    return Erasure((MARK,), frozenset(one.rows.ids_holding(Erasure((MARK,)))))


def test_no_text_of_the_tenant_holds_what_was_erased(here: Member) -> None:
    kept = fill(here)
    erasure = erasure_of(here)
    assert len(erasure.ids) == len(marked_entries()) - 1
    here.rows.erase(erasure)

    assert places_of(here.database.tenant, MARK) == set()
    for entry_id in erasure.ids:
        assert places_of(here.database.tenant, entry_id) == set()
    assert here.rows.found(erasure) == []
    assert here.rows.traces([MARK]) == []
    stored = {
        entry.description: entry for entry in here.world.repository.matching(EVERYTHING, limit=ALL)
    }
    assert stored.keys() == {kept.description, "Older", "About name"}
    assert stored["Older"].superseded_by is None


def test_equal_texts_of_another_tenant_stay(here: Member) -> None:
    with joined() as other:
        for tenant in (here, other):
            fill(tenant)
        before = places_of(other.database.tenant, MARK)
        here.rows.erase(erasure_of(here))

        assert places_of(here.database.tenant, MARK) == set()
        assert places_of(other.database.tenant, MARK) == before
        assert ({place.partition(".")[0] for place in before}) == {
            *(
                "entry",
                "entry_text",
                "history",
                "metadata",
                "posting",
                "receipt",
                "receipt_entry",
                "influence",
            ),
            *("source", "source_heading", "tombstone", "departed", "project", "trusted_folder"),
            *("checkpoint", "saved_row"),
        }


def test_texts_to_be_erased_are_counted_and_what_it_says_is_known(here: Member) -> None:
    world = here.world
    world.add(lesson(f"First {MARK}"), lesson("Second"))
    with world.snapshots.transaction():
        taken = world.snapshots.take(
            Checkpoint(name="one", contents=Contents("all", ""), created_at=NOW)
        )
    world.tombstones.add(Tombstone(f"/{MARK}.md", "", "1"), NOW)
    erasure = erasure_of(here)

    path = here.database.path
    assert [*here.rows.found(erasure)] == [
        (path, 1, "entry"),
        (path, 1, "tombstone"),
        (f"{path}, {taken.snapshot_path}", 1, "entry"),
    ]
    assert {(text.text, text.is_identity) for text in here.rows.texts(erasure)} == {
        (f"First {MARK}", True),
        ("Lesson", False),
    }


def test_texts_are_found_in_any_letter_case_and_alphabet(here: Member) -> None:
    world = here.world
    world.add(
        lesson("Die STRASSE entlang"), lesson("naïve Café"), lesson('Said "so\\far"\nand went on')
    )

    for text, found in {
        "straße": 1,
        "CAFÉ": 1,
        'say "so': 0,
        'said "so\\far"\nand': 1,
        "strasse": 1,
    }.items():
        assert len(here.rows.ids_holding(Erasure((text,)))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("m\u00fchlrad", 3),
        ("Mu\u0308hlrad", 3),
        ("the secret plan", 3),
        ("strasse", 1),
        ("IT", 1),
        ("Muhlrad", 0),
        ("the secret, plan", 0),
    ],
)
def test_texts_are_found_in_each_of_their_spellings(here: Member, text: str, found: int) -> None:
    texts = (
        "M\u00fchlrad",
        "of Mu\u0308hlrad",
        "\uff2d\u00dcHLRAD",
        "THE SECRET PLAN",
        "the\n> secret  plan",
        "of the\tsecret\n\nplan",
    )
    here.world.add(*map(lesson, (*texts, "Stra\u00dfe", "IT", "of it")))

    holding = here.rows.ids_holding(Erasure((text,)))
    assert len(holding) == found
    here.rows.erase(Erasure((text,)))
    assert here.rows.ids_holding(Erasure((text,))) == []
    assert len(here.world.repository.matching(EVERYTHING, limit=ALL)) == len(texts) + 3 - found


def test_texts_that_other_entries_hold_are_known(here: Member) -> None:
    world = here.world
    first, second = (
        lesson("One long line that two entries hold"),
        lesson("Another line of one entry"),
    )
    world.add(
        first,
        second,
        attrs.evolve(lesson("Third"), notes="So: one long line that two entries hold."),
    )
    lines = [entry.description.casefold() for entry in (first, second)]

    assert here.rows.unused(lines, [first.entry_id, second.entry_id]) == {lines[1]}


def test_a_restore_brings_nothing_of_it_back(here: Member) -> None:
    fill(here)
    here.rows.erase(erasure_of(here))
    [checkpoint] = here.world.snapshots.checkpoints()
    with here.world.snapshots.opened(checkpoint.snapshot_path) as snapshot:
        snapshot.bring_back(Contents("all", ""), name=checkpoint.name, at=NOW)

    assert places_of(here.database.tenant, MARK) == set()


def test_texts_of_another_member_stay_and_the_report_says_so(here: Member) -> None:
    [(tenant,)] = as_owner(
        "SELECT name FROM hardwon.tenant WHERE tenant = %s", here.database.tenant
    )
    with joined(str(tenant)) as other:
        other.world.add(of_file(f"Their {MARK}"), lesson(f"Theirs {MARK}"))
        other.world.projects.add_place(lesson(f"Theirs {MARK}").entry_id, f"place {MARK}")
        here.world.add(lesson(f"Ours {MARK}"))
        their = stored_rows(here.database.tenant)["entry_place"]
        here.rows.erase(erasure_of(here))

        assert {
            entry.description for entry in other.world.repository.matching(EVERYTHING, limit=ALL)
        } == {f"Their {MARK}", f"Theirs {MARK}"}
        assert stored_rows(here.database.tenant)["entry_place"] == their
        copies = ServerCopies(here.database.path, here.rows)
        [first, line] = copies.holding(erasure_of(here), ())
        assert "entries of other members that hold it: 1; only their authors" in first
        assert "other members" in line

        other.rows.erase(erasure_of(other))
        assert len(copies.holding(erasure_of(here), ())) == 1


def test_secrets_that_were_kept_before_are_redacted_everywhere(here: Member) -> None:
    world = here.world
    entry = attrs.evolve(
        lesson("Log in with THE-KEY at once."), notes="THE-KEY", tags=("THE-KEY tag",)
    )
    [number] = world.add(entry)
    world.embed(entry, planted(1.0))
    world.ledger.record("/THE-KEY/patterns.md", {"THE-KEY"}, "1")
    world.receipts.record(
        Receipt("s", "prompt", NOW, "here", "THE-KEY?", None, "hybrid", "d", ("THE-KEY",))
    )
    with world.snapshots.transaction():
        world.snapshots.take(Checkpoint(name="one", contents=Contents("all", ""), created_at=NOW))
    forge("THE-KEY", SECRET, here.database.tenant)
    assert places_of(here.database.tenant, SECRET)

    [found] = here.rows.secrets()
    assert found.number >= 8
    here.rows.redact()

    assert places_of(here.database.tenant, SECRET) == set()
    assert here.rows.secrets() == []
    [stored] = world.repository.matching(EVERYTHING, limit=ALL)
    assert (stored.number, stored.notes) == (number, "[REDACTED]")
    assert world.repository.by_id(stored.entry_id) == stored
    assert world.vectors.vectors_of([stored.entry_id]).get(stored.entry_id) is None
    [checkpoint] = world.snapshots.checkpoints()
    with world.snapshots.opened(checkpoint.snapshot_path) as snapshot:
        assert snapshot.bring_back(checkpoint.contents, name="one", at=NOW).memory_count == 1
    assert places_of(here.database.tenant, SECRET) == set()


def test_a_restore_redacts_what_an_earlier_version_saved(here: Member) -> None:
    world = here.world
    world.add(lesson("Log in with THE-KEY at once."))
    with world.snapshots.transaction():
        taken = world.snapshots.take(
            Checkpoint(name="one", contents=Contents("all", ""), created_at=NOW)
        )
    world.repository.delete(lesson("Log in with THE-KEY at once.").entry_id)
    as_owner(
        "UPDATE hardwon.saved_row SET content = replace(content::text, 'THE-KEY', %s)::jsonb WHERE tenant = %s",
        SECRET,
        here.database.tenant,
    )
    with world.snapshots.opened(taken.snapshot_path) as snapshot:
        snapshot.bring_back(taken.contents, name="one", at=NOW)

    [stored] = world.repository.matching(EVERYTHING, limit=ALL)
    assert SECRET not in stored.description
    assert world.repository.by_id(stored.entry_id) == stored
    assert places_of(here.database.tenant, SECRET) == set()


def forge(old: str, new: str, tenant: int) -> None:
    """Replace a text in every column of *tenant*, as no member can do it."""
    with ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(store()))
        stack.enter_context(connection.transaction())
        connection.execute("SET LOCAL session_replication_role = replica")
        for table, column in connection.execute(TEXT_COLUMNS).fetchall():
            kind = connection.execute(
                "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s",
                (f"hardwon.{table}", column),
            ).fetchone()
            assert kind
            connection.execute(
                sql.SQL(
                    "UPDATE hardwon.{} SET {} = replace({}::text, %s, %s)::{} WHERE tenant = %s"
                ).format(
                    sql.Identifier(table),
                    sql.Identifier(column),
                    sql.Identifier(column),
                    sql.SQL(kind[0]),
                ),
                (old, new, tenant),
            )
