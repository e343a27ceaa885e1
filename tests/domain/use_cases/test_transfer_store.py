"""An export of everything that a real store holds, read back into another one."""

import contextlib
import datetime as dt
import io
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.export_format.lines import header_line, read_records, record_line
from hardwon.adapters.sqlite.contents import SqliteStoreContents
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.restore import fingerprints
from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.export import ExportedEntry
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Identity, Project, Registry
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.domain.use_cases.transfer_store import ExportStore, ImportedStore, ImportStore
from hardwon.ports.file_state import Tombstone
from tests.contracts.changes import Change, changes
from tests.contracts.worlds import World, open_new_store, world_of
from tests.fakes.clock import FixedClock
from tests.fakes.projects import InMemoryRepositoryHistory
from tests.strategies import DAY, NOW, lesson, of_file

LATER = NOW + dt.timedelta(days=400)
IN_TIME = Deadline(lambda: 0.0)


@attrs.frozen
class Store:
    """A real store, exported and imported as the commands do it, on a machine that has the folders *present*."""

    database: SqliteDatabase
    present: frozenset[str] = frozenset()

    @property
    def world(self) -> World:
        return world_of(self.database)

    def registry(self) -> Registry:
        return Registry(self.world.projects.known())

    def exported(self) -> bytes:
        export = ExportStore(SqliteStoreContents(self.database), self.registry())
        with export.contents.snapshot():
            return b"".join(
                [header_line("1", NOW, export.counts()), *map(record_line, export.records())]
            )

    def merge(self, data: bytes) -> ImportedStore:
        know = KnowProjects(
            self.world.projects, InMemoryRepositoryHistory(), exists=self.present.__contains__
        )
        contents = SqliteStoreContents(self.database)
        clock = FixedClock(LATER)
        importer = ImportStore(
            self.world.repository, contents, know, lambda root: Identity(root, root), clock
        )
        return importer.merge(read_records(io.BytesIO(data)), IN_TIME)


@contextlib.contextmanager
def stores(number: int = 2, present: Iterable[str] = ()) -> Iterator[list[Store]]:
    with contextlib.ExitStack() as cleanup:
        folders = [cleanup.enter_context(tempfile.TemporaryDirectory()) for _ in range(number)]
        yield [
            Store(
                cleanup.enter_context(contextlib.closing(open_new_store(folder))),
                frozenset(present),
            )
            for folder in folders
        ]


def contents(store: Store) -> dict[str, object]:
    """Return all stored values but vectors, by entry and table."""
    database = store.database
    database.rows("DELETE FROM vector")
    tables = {
        table: database.rows(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("sources", "source_heading", "departed", "tombstone", "project")
    }
    history = database.rows(
        "SELECT memory_id, field_changed, old_value, new_value, changed_at FROM history ORDER BY 1, 5"
    )
    indexed = database.rows("SELECT rowid FROM entries_fts ORDER BY rowid")
    return {
        **tables,
        "history": history,
        "entries": fingerprints(database, EVERYTHING),
        "indexed": indexed,
    }


def _record_everywhere(world: World, number: int) -> None:
    """Leave a trace in every table about entry *number* and files."""
    world.history.record(
        number, [FieldChange("title", None, "Früher\n"), FieldChange("tier", "a", "b")], NOW
    )
    world.history.record(number, [FieldChange("title", "b", None)], NOW - DAY)
    world.ledger.record(f"/bank/{number}.md", {"### One", "### Zwei"}, "fingerprint")
    world.tombstones.add(Tombstone(f"/memory/{number}.md", "section", "0" * 64), NOW)
    gone = of_file("Gone.", tier="critical", tags=("t",))
    standings = {"": standing_of(gone), "part": standing_of(attrs.evolve(gone, own_tier=True))}
    world.absences.keep(AbsentFile(f"/memory/gone{number}.md", standings), NOW)
    world.absences.keep(AbsentFile(f"#gone{number}", standings), NOW)


@given(happened=st.lists(changes, max_size=10), traces=st.sets(st.integers(1, 5), max_size=3))
@settings(max_examples=max(1, settings().max_examples // 5))
@example([], {1, 2})
def test_an_empty_store_becomes_equal_in_every_value(
    happened: list[Change], traces: set[int]
) -> None:
    with stores() as (original, empty):
        for change in happened:
            change(original.world)
        for number in traces:
            _record_everywhere(original.world, number)
        original.world.repository.retire_expired(LATER)
        exported = original.exported()

        outcome = empty.merge(exported)

        assert contents(empty) == contents(original)
        assert (outcome.known, outcome.forgotten, outcome.skipped) == (0, 0, [])
        assert empty.exported().split(b"\n")[1:] == exported.split(b"\n")[1:]


@given(happened=st.lists(changes, max_size=6), here=st.lists(changes, max_size=6))
@settings(max_examples=max(1, settings().max_examples // 10))
def test_importing_twice_changes_nothing_more(happened: list[Change], here: list[Change]) -> None:
    with stores() as (original, other):
        for store, changed in ((original, happened), (other, here)):
            for change in changed:
                change(store.world)
        _record_everywhere(original.world, 1)
        other.merge(original.exported())
        once = contents(other)

        outcome = other.merge(original.exported())

        assert contents(other) == once
        assert outcome.added == 0


def test_places_and_earlier_ids_come_along() -> None:
    with stores() as (original, empty):
        entry = attrs.evolve(lesson("Said in two projects."), project="one")
        original.world.repository.put(entry)
        original.world.projects.add_place(entry.entry_id, "two")
        original.database.rows("INSERT INTO entry_alias (entry_seq, old_id) VALUES (1, 'f00d')")

        empty.merge(original.exported())

        assert empty.world.projects.places_of(entry.entry_id) == ("two",)
        assert empty.database.rows("SELECT * FROM entry_alias") == [(1, "f00d")]


def _used(store: Store, entry: Entry, times: int, at: dt.datetime) -> None:
    number = store.world.add(entry)[0]
    for _ in range(times):
        store.world.usage.record_access([number], at)
        store.world.usage.record_recall([number], at)
        store.world.usage.record_validation(number, useful=times > 1)


def test_a_known_entry_keeps_its_texts_and_takes_the_larger_counters() -> None:
    here = attrs.evolve(lesson("Known."), tier="critical", tags=("mine",), observation_count=2)
    there = attrs.evolve(lesson("Known.", name="Other"), tags=("theirs",), observation_count=5)
    with stores() as (original, other):
        _used(original, there, 3, NOW)
        _used(other, here, 1, NOW + DAY)

        outcome = other.merge(original.exported())
        [entry] = other.world.repository.matching(EVERYTHING, limit=9)

        assert (outcome.added, outcome.known) == (0, 1)
        assert (entry.name, entry.tier, entry.tags, entry.observation_count) == (
            "Lesson",
            "critical",
            ("mine",),
            5,
        )
        assert (entry.recall_count, entry.last_recalled_at) == (3, NOW + DAY)
        assert entry.usage == (3, NOW + DAY, (3, 3))


def test_smaller_counters_change_nothing() -> None:
    with stores() as (original, other):
        _used(original, lesson("Known."), 1, NOW)
        _used(other, lesson("Known."), 3, NOW + DAY)
        before = contents(other)

        other.merge(original.exported())

        assert contents(other)["entries"] == before["entries"]


def test_forgotten_texts_are_left_out_and_counted() -> None:
    secret = lesson("The merger with Fnordcorp is on Monday, as everyone in the room has heard.")
    with stores() as (original, other):
        number = original.world.add(secret, lesson("Kept."))[0] + 1
        original.world.history.record(number, [FieldChange("title", secret.description, "b")], NOW)
        other.world.repository.forgotten.add(secret.entry_id, [secret.description], NOW)

        outcome = other.merge(original.exported())

        assert (outcome.added, outcome.forgotten) == (1, 1)
        assert [
            entry.description for entry in other.world.repository.matching(EVERYTHING, limit=9)
        ] == ["Kept."]
        assert "Fnordcorp" not in "\n".join(other.database.connection.iterdump())


def test_a_file_that_is_of_another_kind_here_stays() -> None:
    path = "/memory/x.md"
    there = attrs.evolve(of_file("There."), file_path=path)
    here = attrs.evolve(of_file("Here.", kind="gotcha"), file_path=path)
    with stores() as (original, other):
        original.world.repository.put(there)
        other.world.repository.put(here)

        outcome = other.merge(original.exported())

        assert outcome.skipped == [
            "line 2: its file is kept as a gotcha here, which stays as it is"
        ]
        assert other.world.repository.matching(EVERYTHING, limit=9) == [here]


def test_a_mistake_far_down_leaves_nothing_behind() -> None:
    with stores() as (original, empty):
        original.world.add(lesson("One."), lesson("Two."))
        before = contents(empty)

        with pytest.raises(InvalidEntryError, match="line 3"):
            empty.merge(original.exported().replace(b'"Two."', b"Two."))

        assert contents(empty) == before


def _project(store: Store, root: str, **facts: Any) -> Project:
    project = store.world.projects.add(
        Identity(f"{root}/.git", root, is_repository=True, inode=7), Path(root).name
    )
    known = project._replace(
        first_commit="c0ffee", remote="git@host:shop.git", authorship="own"
    )._replace(**facts)
    store.world.projects.put(known)
    return known


def test_a_project_is_found_by_its_remote_and_first_commit_and_its_files_move_with_it() -> None:
    with stores(present=["/home/new/shop/.git"]) as (original, other):
        there, here = _project(original, "/home/old/shop"), _project(other, "/home/new/shop")
        entry = attrs.evolve(
            of_file("Moved."),
            file_path="/home/old/shop/memory/x.md",
            project=there.id,
            workspace="/home/old",
        )
        original.world.repository.put(entry)

        other.merge(original.exported())
        [moved] = other.world.repository.matching(EVERYTHING, limit=9)

        assert (moved.file_path, moved.project, moved.workspace) == (
            "/home/new/shop/memory/x.md",
            here.id,
            "/home/new",
        )
        assert moved.entry_id != entry.entry_id
        assert other.database.value("SELECT old_id FROM entry_alias") == entry.entry_id
        assert len(other.world.projects.known()) == 1


@pytest.mark.parametrize(
    "remote", ["https://HOST/shop", "ssh://me@host:22/shop.git", "host:/shop.git/"]
)
def test_a_project_is_found_by_its_remote_in_any_spelling(remote: str) -> None:
    with stores(present=["/home/new/shop/.git"]) as (original, other):
        _project(original, "/home/old/shop")
        here = _project(other, "/home/new/shop", remote=remote)

        other.merge(original.exported())

        assert [project.id for project in other.world.projects.known()] == [here.id]


@pytest.mark.parametrize(
    "facts", [{"authorship": "foreign"}, {"authorship": "unknown"}, {"trust": "revoked"}]
)
def test_a_clone_that_may_not_speak_elsewhere_gets_no_memories_of_the_import(
    facts: dict[str, str],
) -> None:
    with stores(present=["/home/new/shop/.git"]) as (original, other):
        _project(original, "/home/old/shop")
        here = _project(other, "/home/new/shop", **facts)

        other.merge(original.exported())

        [known, waiting] = other.world.projects.known()
        assert known == here
        assert waiting.identity.key.startswith("gone:")


@pytest.mark.parametrize(
    "facts", [{"first_commit": "0ther"}, {"remote": "git@host:fork.git"}, {"first_commit": ""}]
)
def test_another_repository_is_another_project(facts: dict[str, str]) -> None:
    with stores(present=["/home/new/shop/.git"]) as (original, other):
        _project(original, "/home/old/shop", **facts)
        _project(other, "/home/new/shop")

        other.merge(original.exported())
        [_, added] = other.world.projects.known()

        assert added.identity.key.startswith("gone:")
        assert added.identity.root == "/home/old/shop"


def test_trust_stays_behind_but_a_refusal_comes_along() -> None:
    with stores() as (original, empty):
        _project(original, "/src/trusted", trust="trusted", first_commit="1", authorship="foreign")
        _project(original, "/src/revoked", trust="revoked", first_commit="2")
        _project(original, "/src/own", first_commit="3")

        empty.merge(original.exported())
        registry = empty.registry()

        assert [registry.reason(project) for project in registry.projects] == [
            "foreign",
            "revoked",
            "own",
        ]


def test_a_repository_made_at_the_old_path_is_not_taken_for_the_imported_project() -> None:
    with stores() as (original, empty):
        _project(original, "/src/shop")
        empty.merge(original.exported())

        made = empty.world.projects.add(
            Identity("/src/shop/.git", "/src/shop", is_repository=True), "shop"
        )

        assert made.authorship == "unknown"


def test_a_path_is_relative_to_the_innermost_project_that_holds_it() -> None:
    with stores(1) as [original]:
        _project(original, "/src/shop")
        original.world.repository.put(
            attrs.evolve(of_file("One."), file_path="/src/shop/memory/a.md")
        )
        original.world.repository.put(attrs.evolve(of_file("Two."), file_path="/elsewhere/b.md"))

        records = [record for _, record in read_records(io.BytesIO(original.exported()))]
        entries = [record for record in records if isinstance(record, ExportedEntry)]

        assert [(found.entry.file_path, found.below) for found in entries] == [
            ("memory/a.md", original.world.projects.known()[0].id),
            ("/elsewhere/b.md", None),
        ]


def test_an_entry_that_expired_meanwhile_is_in_no_index() -> None:
    with stores() as (original, empty):
        original.world.repository.put(attrs.evolve(lesson("For a week."), tier="temporary"))

        empty.merge(original.exported())

        assert empty.database.rows("SELECT retired FROM entry") == [(1,)]
        assert empty.database.rows("SELECT rowid FROM entries_fts") == []


def test_the_number_of_a_deleted_entry_is_not_given_again() -> None:
    with stores() as (original, empty):
        _, last = original.world.add(lesson("Kept."), lesson("Deleted."))
        original.world.history.record(last, [FieldChange("title", "a", "b")], NOW)
        original.world.repository.delete(lesson("Deleted.").entry_id)

        empty.merge(original.exported())

        assert (
            empty.world.history.changes_of(last, 9)
            == original.world.history.changes_of(last, 9)
            != []
        )
        assert empty.world.add(lesson("New.")) == [last + 1]


def test_the_history_of_a_deleted_entry_never_becomes_that_of_another() -> None:
    with stores() as (original, other):
        original.world.history.record(1, [FieldChange("title", "a", "b")], NOW)
        other.world.add(lesson("Number one here."))

        other.merge(original.exported())

        assert other.world.history.changes_of(1, 9) == []


def test_a_section_that_was_deleted_there_stays_where_it_is_kept_here() -> None:
    with stores() as (original, other):
        kept = of_file("Kept here.")
        other.world.repository.put(kept)
        for path in (kept.file_path or "", "/memory/other.md"):
            original.world.tombstones.add(Tombstone(path, "", "0" * 64), NOW)

        other.merge(original.exported())

        assert other.database.rows("SELECT file_path FROM tombstone") == [("/memory/other.md",)]


def test_the_users_trust_is_not_in_the_file() -> None:
    with stores(1) as [original]:
        _project(original, "/src/mine", trust="trusted")

        assert b'"trusted"' not in original.exported()
