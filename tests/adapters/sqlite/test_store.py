import datetime as dt
import json
import sqlite3
import stat
import sys
from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from hardwon.adapters.sqlite.database import Parameters, SqliteDatabase
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.ports.override import override
from tests.adapters.sqlite.sqlite_store import FULL, Sql, dump, opened
from tests.contracts.worlds import ALL, World, world_of
from tests.strategies import DIMENSIONS, FILE_KINDS, NOW, SPACE, lesson, of_file, planted

COLUMNS = [
    "id",
    "name",
    "description",
    "reasoning",
    "category",
    "keywords",
    "references",
    "observation_count",
    "confidence",
    "recall_count",
    "last_recalled_at",
    "created_at",
    "updated_at",
    "source",
    "source_project",
    "embedding",
]

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def test_the_view_entries_has_the_sixteen_columns(sql: Sql) -> None:
    assert [row[1] for row in sql("PRAGMA table_info(entries)")] == COLUMNS


def test_the_view_memories_has_the_ten_columns(sql: Sql) -> None:
    assert [row[1] for row in sql("PRAGMA table_info(memories)")] == [
        "id",
        "text",
        "embedding",
        "type",
        "project",
        "workspace",
        "branch",
        "timestamp",
        "source_file",
        "permanent",
    ]


def test_each_view_shows_its_own_kinds(world: World, sql: Sql) -> None:
    files = {kind: of_file("text", kind=kind) for kind in FILE_KINDS}
    world.add(FULL, *files.values())

    assert sql("SELECT id FROM entries") == [(FULL.entry_id,)]
    assert dict(sql("SELECT type, id FROM memories")) == {
        kind: files[kind].entry_id for kind in CONVERSATION_KINDS
    }
    assert {row[0] for row in sql("SELECT typeof(timestamp) FROM memories")} == {"integer"}


def test_an_entry_reads_plainly_from_outside(world: World, sql: Sql) -> None:
    [number] = world.add(FULL)
    world.embed(FULL, planted(0.6))
    world.usage.record_recall([number], NOW)
    [row] = sql("SELECT * FROM entries")
    values = dict(zip(COLUMNS, row, strict=True))

    assert values.pop("embedding") == array("f", planted(0.6)).tobytes()
    assert json.loads(str(values.pop("keywords"))) == ["retry", "café"]
    assert json.loads(str(values.pop("references"))) == ["src/a.py", 'it\'s "quoted"']
    for column, timestamp in (
        ("created_at", FULL.created_at),
        ("updated_at", FULL.updated_at),
        ("last_recalled_at", NOW),
    ):
        assert dt.datetime.fromisoformat(str(values.pop(column))) == timestamp
    assert values == {
        "id": FULL.entry_id,
        "name": "Backoff",
        "description": "Retry with a backoff.",
        "reasoning": "It took a day.",
        "category": "patterns",
        "observation_count": 3,
        "confidence": "high",
        "recall_count": 1,
        "source": "retro",
        "source_project": "here",
    }


def test_missing_values_are_null_or_empty(world: World, sql: Sql) -> None:
    world.add(lesson("plain"))

    assert sql(
        'SELECT reasoning, keywords, "references", recall_count, last_recalled_at, source_project, embedding FROM entries'
    ) == [("", "[]", "[]", 0, None, None, None)]


def test_lists_are_json_that_sqlite_reads_too(world: World, sql: Sql) -> None:
    world.add(attrs.evolve(FULL, keywords=tuple(f"label {number}" for number in range(12))))

    assert sql(
        "SELECT json_array_length(keywords), json_extract(\"references\", '$[0]') FROM entries"
    ) == [(10, "src/a.py")]


def test_the_embedding_is_that_of_the_active_space(world: World, sql: Sql) -> None:
    world.add(FULL)
    world.embed(FULL, planted(0.6))
    other = world.vectors_of(SPACE._replace(model="other"))
    other.put((text, planted(0.8)) for text in other.pending(1))

    assert sql("SELECT embedding FROM entries") == [(array("f", planted(0.8)).tobytes(),)]
    assert sql("SELECT length(embedding) FROM entries") == [(4 * DIMENSIONS,)]


def test_a_conversation_shows_its_vector_of_whatever_space(world: World, sql: Sql) -> None:
    active, elsewhere, without = (
        of_file(text, kind="decision", path=f"{text}.md") for text in ("one", "two", "three")
    )
    world.add(active, elsewhere, without)
    vectors, other = world.vectors, world.vectors_of(SPACE._replace(model="other"))
    pending, numbers = {text.number: text for text in vectors.pending(3)}, world.numbers()
    other.put((pending[numbers[entry.entry_id]], planted(0.8)) for entry in (active, elsewhere))
    vectors.put([(pending[numbers[active.entry_id]], planted(0.6))])

    assert dict(sql("SELECT id, embedding FROM memories")) == {
        active.entry_id: array("f", planted(0.6)).tobytes(),
        elsewhere.entry_id: array("f", planted(0.8)).tobytes(),
        without.entry_id: None,
    }
    assert sql("SELECT count(*) FROM memories") == [(3,)]


def test_the_metadata_names_the_schema_and_the_active_space(world: World, sql: Sql) -> None:
    assert sql("SELECT key FROM _metadata ORDER BY key") == [
        ("keyword_index_version",),
        ("schema_version",),
    ]

    world.add(FULL)
    world.embed(FULL, planted(0.6))
    metadata: dict[str, str] = dict(sql("SELECT key, value FROM _metadata"))
    assert metadata["schema_version"] == str(NEWEST)
    assert metadata["embedding_provider"] == SPACE.provider
    assert metadata["embedding_model"] == SPACE.model
    assert metadata["embedding_dimensions"] == str(DIMENSIONS)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET category = 'tips'",
        "UPDATE entry SET category = NULL",
        "UPDATE entry SET confidence = 'certain'",
        "UPDATE entry SET kind = 'thought'",
        "UPDATE entry SET observation_count = 0",
        "UPDATE entry SET updated_at = NULL",
        "UPDATE entry SET id = NULL",
        "UPDATE entry_text SET source = 'rumour'",
        "UPDATE entry_text SET source = NULL",
        "UPDATE entry_text SET name = ' '",
        "UPDATE entry_text SET name = NULL",
        "UPDATE entry_text SET description = ''",
        "UPDATE entry_text SET created_at = NULL",
        "UPDATE entry_text SET keywords = '[1,2,3,4,5,6,7,8,9,10,11]'",
        "UPDATE entry_text SET \"references\" = 'no list'",
        "UPDATE entry_text SET tags = 'no list'",
        "UPDATE entry SET permanent = 2",
        "UPDATE entry SET permanent = NULL",
        "INSERT INTO recall VALUES (1, -1, '2026-01-01')",
        "INSERT INTO entry (id, kind, category, updated_at) SELECT id, kind, category, updated_at FROM entry",
        "DELETE FROM entries",
    ],
)
def test_the_database_itself_refuses_bad_values(world: World, sql: Sql, statement: str) -> None:
    world.add(FULL)

    with pytest.raises((sqlite3.IntegrityError, sqlite3.OperationalError)):
        sql(statement)


def test_deleting_an_entry_takes_its_texts_counters_and_vectors_along(
    world: World, database: SqliteDatabase, sql: Sql
) -> None:
    [number] = world.add(FULL)
    world.embed(FULL, planted(0.6))
    world.usage.record_recall([number], NOW)
    database.rows("DELETE FROM entry")

    for table in ("entry_text", "recall", "vector"):
        assert sql(f"SELECT count(*) FROM {table}") == [(0,)]


def test_the_store_writes_ahead_and_keeps_foreign_keys(database: SqliteDatabase, sql: Sql) -> None:
    assert sql("PRAGMA journal_mode") == [("wal",)]
    assert database.value("PRAGMA foreign_keys") == 1
    assert database.value("PRAGMA busy_timeout") == 5_000


def test_a_deliberate_write_is_on_the_disk_and_a_counter_of_a_hook_may_be_lost(
    folder: Path,
) -> None:
    for durable, synchronous in ((True, 2), (False, 1)):
        with closing(open_store(str(folder), durable=durable)) as database:
            assert database.value("PRAGMA synchronous") == synchronous


@posix_only
def test_folder_and_files_are_for_their_owner_alone(folder: Path, world: World) -> None:
    world.add(FULL)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert files == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_opening_again_changes_nothing(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL)
    before, data = dump(folder), (folder / "memory.db").read_bytes()
    with opened(folder) as database:
        assert world_of(database).repository.by_id(FULL.entry_id) == FULL

    assert dump(folder) == before
    assert (folder / "memory.db").read_bytes() == data


def test_an_empty_file_becomes_a_store(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "memory.db").touch()
    with opened(folder) as database:
        assert world_of(database).repository.matching(LEARNINGS, limit=ALL) == []


def refusing(times: int) -> type[sqlite3.Connection]:
    """Return connections that refuse a write-ahead log so often, as where two make the same new store."""

    class Refusing(sqlite3.Connection):
        left = times

        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
            if "journal_mode" in sql and self.left:
                self.left -= 1
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(sql, parameters)

    return Refusing


def test_a_new_store_that_another_process_makes_right_now_is_opened_when_it_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=refusing(3)))
    with closing(open_store(str(folder))) as database:
        assert database.rows("PRAGMA journal_mode") == [("wal",)]


def test_a_new_store_that_another_process_goes_on_making_is_an_error_after_the_time_for_writers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=refusing(10_000)))
    with pytest.raises(StorageError, match="is locked"):
        open_store(str(folder), busy_seconds=0.02)


def test_a_newer_schema_is_refused_and_nothing_is_written(folder: Path) -> None:
    with opened(folder) as database:
        database.rows("UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")
        database.rows("DROP TABLE entries_fts")
    data = (folder / "memory.db").read_bytes()

    with pytest.raises(NewerSchemaError, match=r"version 99.*upgrade"):
        open_store(str(folder))
    assert (folder / "memory.db").read_bytes() == data


@pytest.mark.parametrize(
    "content", [b"this is no database " * 500, b"SQLite format 3\0" + b"\xff" * 5_000]
)
def test_a_file_that_is_no_database_is_an_error_that_names_it_and_is_left_unchanged(
    folder: Path, content: bytes
) -> None:
    folder.mkdir(parents=True)
    path = folder / "memory.db"
    path.write_bytes(content)

    with pytest.raises(StorageError, match=r"memory\.db"):
        open_store(str(folder))
    assert path.read_bytes() == content


def test_a_folder_where_the_file_should_be_is_an_error_that_names_it(folder: Path) -> None:
    (folder / "memory.db").mkdir(parents=True)

    with pytest.raises(StorageError, match=r"memory\.db"):
        open_store(str(folder))


def test_a_file_where_the_folder_should_be_is_an_error_that_names_it(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.touch()

    with pytest.raises(StorageError, match="store"):
        open_store(str(folder))


def test_embedding_and_embedding_again_leave_updated_at(world: World, sql: Sql) -> None:
    world.add(FULL)
    before = sql("SELECT updated_at FROM entries")
    world.embed(FULL, planted(0.6))
    world.vectors.put((text, planted(0.8)) for text in world.vectors.texts(ALL))

    assert sql("SELECT updated_at FROM entries") == before


def test_a_vector_of_another_width_is_skipped_with_one_line(
    database: SqliteDatabase, world: World
) -> None:
    warnings: list[str] = []
    [broken, fine] = world.add(FULL, lesson("another"))
    world.embed(FULL, planted(0.6))
    world.embed(lesson("another"), planted(0.8))
    database.rows("UPDATE vector SET vec = zeroblob(10) WHERE entry_seq = ?", (broken,))

    store = SqliteVectorStore(database, SPACE, warnings.append)
    assert store.load([broken, fine]).numbers == [fine]
    assert len(warnings) == 1
    assert f"entry {broken} has 10 bytes" in warnings[0]
    assert "hardwon embed" in warnings[0]


@pytest.mark.parametrize(
    "timestamp",
    [
        dt.datetime.min.replace(tzinfo=dt.UTC),
        dt.datetime.max.replace(tzinfo=dt.UTC),
        NOW.replace(microsecond=0),
        NOW.astimezone(dt.timezone(dt.timedelta(hours=-11))),
    ],
)
def test_timestamps_are_kept_to_the_microsecond_and_sort_as_text(
    world: World, sql: Sql, timestamp: dt.datetime
) -> None:
    entry = attrs.evolve(FULL, updated_at=timestamp)
    world.add(entry, attrs.evolve(lesson("another"), updated_at=NOW + dt.timedelta(microseconds=1)))

    assert world.repository.by_id(entry.entry_id) == entry
    assert [len(str(text)) for (text,) in sql("SELECT updated_at FROM entries")] == [32, 32]
    by_text = sql("SELECT id FROM entries ORDER BY updated_at DESC, id")
    assert [
        (found.entry_id,) for found in world.repository.matching(LEARNINGS, limit=ALL)
    ] == by_text


def test_a_newer_store_that_does_not_write_ahead_is_left_as_it_is(folder: Path) -> None:
    folder.mkdir(parents=True)
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE _metadata (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO _metadata VALUES ('schema_version', '99')")
        connection.commit()
    data = path.read_bytes()

    with pytest.raises(NewerSchemaError):
        open_store(str(folder))
    assert path.read_bytes() == data


SECOND = 2


class Queued(SqliteDatabase):
    """A writer that does not wait, beside one that commits at its second look."""

    other: SqliteDatabase
    looks = 0

    @override
    def value(self, sql: str, parameters: Parameters = (), /, **named: object) -> Any:
        if sql == "PRAGMA data_version":
            self.looks += 1
            if self.looks == SECOND and self.other.connection.in_transaction:
                self.other.rows("COMMIT")
        return super().value(sql, parameters, **named)


@pytest.mark.parametrize("changes", [SqliteDatabase.transaction, SqliteDatabase.counting])
def test_a_writer_waits_on_while_others_get_on(
    folder: Path, changes: Callable[[SqliteDatabase], AbstractContextManager[None]]
) -> None:
    with (
        closing(open_store(str(folder))) as other,
        closing(Queued(other.path, busy_seconds=0)) as queued,
    ):
        queued.other = other
        other.rows("BEGIN IMMEDIATE")
        other.note_change()
        with changes(queued):
            assert queued.looks == 3


def test_a_writer_gives_up_where_another_program_holds_the_lock(folder: Path) -> None:
    with (
        closing(open_store(str(folder))) as other,
        closing(Queued(other.path, busy_seconds=0)) as queued,
        closing(SqliteDatabase(other.path)) as holding,
    ):
        queued.other = other
        holding.rows("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="is locked"), queued.transaction():
            pytest.fail("it has the lock")
        assert queued.looks == 2
        holding.rows("ROLLBACK")
