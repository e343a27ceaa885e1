"""A copy of a store has every record and vector, also one that was interrupted and begun a second time."""

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.sqlite.contents import SqliteStoreContents
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.errors import ForgottenError
from hardwon.domain.model.export import ExportedEntry, Record
from hardwon.domain.model.project import Identity, Project
from hardwon.domain.use_cases.copy_store import BATCH, CopyOutcome, CopyStore, copy_vectors, preview
from hardwon.ports.transfer import StoreContents
from tests.contracts.changes import Change, changes
from tests.contracts.worlds import World, open_new_store, world_of
from tests.strategies import NOW, few_examples, lesson, of_file, planted

histories = st.lists(changes, max_size=10)


class Store:
    """A store in a file, or on a server."""

    def __init__(self, world: World, contents: StoreContents) -> None:
        self.world = world
        self.contents = contents

    def records(self) -> list[Record]:
        """Return all records; ids of projects differ between stores, and are replaced by their keys."""
        keys = {project.id: project.identity.key for project in self.world.projects.known()}
        return [_with_keys(record, keys) for record in self.contents.records()]

    def copy_to(self, other: "Store") -> CopyOutcome:
        copied = self.copying(other).copy()
        copied.vectors = copy_vectors(
            self.world.vectors, other.world.vectors, other.world.repository
        )
        return copied

    def copying(self, other: "Store") -> CopyStore:
        """Return the copy into *other*."""
        forgotten = self.world.repository.forgotten
        return CopyStore(
            self.contents, forgotten, other.contents, other.world.repository, other.world.projects
        )

    def ids(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the ids of the entries of *numbers*."""
        known = {number: entry_id for entry_id, number in self.world.numbers().items()}
        return {number: known[number] for number in numbers}

    def vectors(self) -> dict[str, object]:
        return {
            entry_id: self.world.vectors.vectors_of([entry_id]).get(entry_id)
            for entry_id in self.world.numbers()
        }


def _with_keys(record: Record, keys: dict[str, str]) -> Record:
    if isinstance(record, Project):
        return record._replace(id="", joined=keys.get(record.joined or ""))
    if isinstance(record, ExportedEntry):
        entry, project = record.entry, record.entry.project
        places = tuple(sorted(keys.get(place, place) for place in record.places))
        return attrs.evolve(
            record,
            entry=attrs.evolve(entry, project=keys.get(project or "", project)),
            places=places,
        )
    return record


@contextlib.contextmanager
def in_a_file() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, closing(open_new_store(folder)) as database:
        yield _of_file(database)


def _of_file(database: SqliteDatabase) -> Store:
    return Store(world_of(database), SqliteStoreContents(database))


@contextlib.contextmanager
def on_a_server() -> Iterator[Store]:
    from hardwon.adapters.postgres.contents import PostgresStoreContents
    from hardwon.adapters.postgres.database import PostgresDatabase
    from tests.postgres_server import member
    from tests.postgres_server import world_of as world_on

    with member() as address, closing(PostgresDatabase(address)) as database:
        yield Store(world_on(database), PostgresStoreContents(database))


def fill(store: Store, happened: list[Change]) -> None:
    project = store.world.projects.add(Identity("/here", "/here"), "here")
    store.world.projects.put(project._replace(chosen="shared", authorship="own"))
    entry = attrs.evolve(lesson("Copied."), project=project.id)
    store.world.add(entry)
    store.world.embed(entry, planted(0.6))
    for change in happened:
        change(store.world)


@given(happened=histories)
@settings(max_examples=max(1, settings().max_examples // 5))
@example([])
def test_a_copy_is_equal_in_every_record_and_vector(happened: list[Change]) -> None:
    with in_a_file() as source, in_a_file() as target:
        fill(source, happened)
        source.copy_to(target)

        assert target.records() == source.records()
        assert target.vectors() == source.vectors()


@pytest.mark.postgres
@given(happened=histories)
@few_examples
@example([])
def test_a_copy_to_a_server_and_back_is_equal(happened: list[Change]) -> None:
    with in_a_file() as source, on_a_server() as there, in_a_file() as back:
        fill(source, happened)
        source.copy_to(there)
        there.copy_to(back)

        assert back.records() == source.records()
        assert back.vectors() == source.vectors()


@pytest.mark.postgres
def test_a_forgotten_text_stays_forgotten_in_a_copy() -> None:
    text, other = (
        f"The {name} database is reset every night at three, so keep no fixture there."
        for name in "AB"
    )
    with in_a_file() as source, on_a_server() as there, in_a_file() as back:
        source.world.repository.forgotten.add("one", [text], NOW)
        there.world.repository.forgotten.add("other", [other], NOW)
        for _ in range(2):
            source.copy_to(there)
        there.copy_to(back)

        for store in (there, back):
            assert store.world.repository.forgotten.holds([text])
            assert store.world.repository.forgotten.holds([other])
            with pytest.raises(ForgottenError):
                store.world.repository.put(lesson(text))
        assert back.world.repository.forgotten.lift("one")
        assert not back.world.repository.forgotten.holds([text])


def test_an_interrupted_copy_goes_on_where_it_was() -> None:
    with in_a_file() as source, in_a_file() as target:
        source.world.add(*(lesson(f"Lesson {number}") for number in range(BATCH + 20)))
        copy = source.copying(target)
        steps = iter(range(BATCH + 10))
        with pytest.raises(StopIteration):
            copy.copy(lambda: next(steps))  # type: ignore[arg-type]
        left = len(target.world.numbers())
        outcome = source.copy_to(target)

        assert left == BATCH
        assert (outcome.known, outcome.added) == (BATCH, 20)
        assert target.records() == source.records()


def test_the_preview_tells_lessons_and_shared_conversations_from_what_stays_personal() -> None:
    with in_a_file() as source:
        shared, private = (
            source.world.projects.add(Identity(key, key), key[1:])
            for key in ("/shared", "/private")
        )
        source.world.projects.put(shared._replace(chosen="shared"))
        source.world.add(lesson("Learned."))
        for place, project in enumerate((shared, private)):
            entry = of_file("Decided.", kind="decision", path=f"/{place}.md")
            source.world.add(attrs.evolve(entry, project=project.id))

        assert preview(source.world.overview, source.world.projects) == [
            ("", "learning", 1, True),
            ("private", "decision", 1, False),
            ("shared", "decision", 1, True),
        ]
