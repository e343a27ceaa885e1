import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import attrs
import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import LEARNINGS
from tests.adapters.sqlite.sqlite_store import FULL, Sql, opened
from tests.contracts.worlds import ALL, IN_TIME, World, world_of
from tests.strategies import NOW, lesson


def test_a_snapshot_does_not_see_what_others_write_meanwhile(folder: Path, world: World) -> None:
    world.add(FULL)
    with opened(folder) as other, world.repository.snapshot():
        assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 1
        world_of(other).repository.put(lesson("another"))

        assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 1
        assert world.keywords.size() == 1
    assert len(world.repository.matching(LEARNINGS, limit=ALL)) == 2


def test_kept_values_are_read_again_after_any_change(
    folder: Path, database: SqliteDatabase
) -> None:
    def count() -> int:
        read: list[int] = []
        database.kept("count", lambda: read.append(1))
        return len(read)

    assert (count(), count()) == (1, 0)
    database.rows("UPDATE _metadata SET value = value")
    assert (count(), count()) == (1, 0)
    with opened(folder) as other:
        other.rows("INSERT INTO _metadata (key, value) VALUES ('probe', '1')")
    assert (count(), count()) == (1, 0)
    with suppress(LookupError), database.transaction():
        database.rows("UPDATE _metadata SET value = value")
        assert (count(), count()) == (1, 0)
        raise LookupError
    assert (count(), count()) == (1, 0)


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        SqliteDatabase(str(tmp_path / "moved.db"), read_only=True, anywhere=True)

    assert [*tmp_path.iterdir()] == []


def test_a_busy_store_is_an_error_and_nothing_is_changed(folder: Path, sql: Sql) -> None:
    impatient = open_store(str(folder), busy_seconds=0.01)
    world = world_of(impatient)
    sql("BEGIN IMMEDIATE")

    with pytest.raises(StorageError, match=r"memory\.db: .*locked"):
        world.repository.put(FULL)
    with pytest.raises(StorageError, match=r"memory\.db: .*locked"):
        world.usage.record_recall([1], NOW)
    sql("ROLLBACK")
    assert sql("SELECT count(*) FROM entries") == [(0,)]
    world.repository.put(FULL)
    impatient.close()


def test_recall_counts_do_not_wait_long_for_another_writer(
    database: SqliteDatabase, sql: Sql
) -> None:
    world = world_of(database)
    [number] = world.add(FULL)
    sql("BEGIN IMMEDIATE")

    with pytest.raises(StorageError, match="locked"):
        world.usage.record_recall([number], NOW)
    sql("ROLLBACK")
    assert database.value("PRAGMA busy_timeout") == 5_000


def test_a_recall_counted_within_a_snapshot_is_not_lost_in_silence(world: World, sql: Sql) -> None:
    [number] = world.add(FULL)
    refused = False
    with world.repository.snapshot():
        try:
            world.usage.record_recall([number], NOW)
        except StorageError:
            refused = True

    assert refused or sql("SELECT recall_count FROM entries") == [(1,)]


def test_numbers_and_indexes_survive_vacuum(database: SqliteDatabase, world: World) -> None:
    entries = [
        attrs.evolve(lesson(f"lesson {number}"), notes=f"word{number}") for number in range(20)
    ]
    world.add(*entries)
    database.rows("DELETE FROM entries_fts WHERE rowid IN (SELECT seq FROM entry WHERE seq % 2)")
    database.rows("DELETE FROM entry WHERE seq % 2")
    numbers = world.numbers()
    database.rows("VACUUM")

    assert world.numbers() == numbers
    assert database.rows("PRAGMA integrity_check") == [("ok",)]
    database.rows("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')")
    for entry_id, number in numbers.items():
        [entry] = world.repository.hydrate([number])
        assert entry.entry_id == entry_id
        [hit] = world.keywords.match([entry.notes], "any", LEARNINGS, IN_TIME).top(ALL)
        assert hit.number == number


def test_the_number_of_a_deleted_entry_is_not_given_again_even_when_reopened(folder: Path) -> None:
    with opened(folder) as database:
        world = world_of(database)
        [first] = world.add(FULL)
        world.repository.delete(FULL.entry_id)
        database.rows("VACUUM")
    with opened(folder) as database:
        [second] = world_of(database).add(FULL)

    assert second > first


WRITER = """
import sys
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.opening import open_store
from tests.fakes.projects import store_entry
from tests.strategies import lesson

folder, writer = sys.argv[1:]
store = store_entry(SqliteEntryRepository(open_store(folder)))
for number in range(100):
    store.keep(lesson(f"writer {writer} lesson {number}"))
    store.keep(lesson("the same for all"))
"""


def test_two_processes_write_at_once_and_nothing_is_lost(folder: Path) -> None:
    root = Path(__file__).parents[3]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(writer)], cwd=root)
        for writer in range(2)
    ]

    assert [writer.wait() for writer in writers] == [0, 0]
    with opened(folder) as database:
        assert database.value("SELECT count(*) FROM entries") == 201
        assert database.value("SELECT max(observation_count) FROM entries") == 200
        assert (
            database.value("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'writer'")
            == 200
        )
        database.rows("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')")


def test_half_a_surrogate_pair_is_an_error_of_the_store(world: World) -> None:
    for ask in (
        lambda: world.repository.files_starting_with("/\udcff"),
        lambda: world.repository.ids_starting_with("\udcff", 1),
        lambda: world.repository.with_file("/\udcff"),
    ):
        with pytest.raises(StorageError, match=r"memory\.db: '.*udcff.*' is not valid text"):
            ask()
