"""Failures of snapshots: they are reported, and the store is unchanged."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.use_cases.checkpoints import Checkpoints
from hardwon.ports.snapshots import Replacement
from tests.adapters.sqlite.sqlite_store import (
    DOCUMENTS,
    EVERY_ENTRY,
    FULL,
    Sql,
    checkpoints_of,
    names,
    opened,
    state,
)
from tests.adapters.sqlite.test_migrations import KEPT_FULL, KEPT_PLAIN, SCHEMA_1
from tests.contracts.worlds import ALL, World, world_of
from tests.fakes.projects import working_in
from tests.machine import LONGEST_WAIT
from tests.strategies import lesson, of_file, planted

ROOT = Path(__file__).parents[3]


def test_an_outcome_that_differs_from_the_snapshot_is_rolled_back(
    folder: Path, world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    world.add(FULL)
    checkpoints.create("before", "", EVERY_ENTRY)
    world.repository.delete(FULL.entry_id)
    sql(
        "CREATE TRIGGER faulty AFTER INSERT ON entry_text BEGIN UPDATE entry_text SET notes = 'other'; END"
    )
    before = state(folder)
    with pytest.raises(
        StorageError, match="the outcome is not what the snapshot holds; nothing was changed"
    ):
        checkpoints.restore("before")

    assert state(folder) == before


def test_a_number_that_another_entry_has_by_now_is_not_taken_from_it(
    folder: Path, tmp_path: Path, world: World, checkpoints: Checkpoints
) -> None:
    document = of_file("one", kind="document", project="here")
    world.add(document)
    checkpoints.create("before", "", DOCUMENTS)
    with opened(tmp_path / "other") as other:
        world_of(other).add(lesson("of another store"))
        checkpoints_of(other).snapshots.back_up(str(tmp_path / "b.db"))
    checkpoints.restore_file(str(tmp_path / "b.db"), "b.db", working_in("here"))
    before = state(folder)
    with pytest.raises(
        StorageError, match="number 1 belongs to another entry by now: restore with scope all"
    ):
        checkpoints.restore("before")

    assert state(folder) == before
    assert checkpoints.restore("before", "all").replacement == Replacement(1, 1, 0)
    assert world.repository.matching(EVERYTHING, limit=ALL) == [document]


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4_096:40_960] = os.urandom(1) * 36_864
    path.write_bytes(data)


def replaced_by_text(path: Path) -> None:
    path.write_text("text, not a database" * 100)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_another_program(path: Path) -> None:
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entry (x)")


def removed(path: Path) -> None:
    path.unlink()


def of_a_later_version(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")


def without_its_text(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE entry_text SET entry_seq = 99 WHERE entry_seq = 1")


DAMAGES = [
    truncated,
    overwritten,
    replaced_by_text,
    emptied,
    of_another_program,
    removed,
    of_a_later_version,
    without_its_text,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_an_unusable_snapshot_is_reported_and_nothing_is_changed(
    folder: Path, world: World, checkpoints: Checkpoints, damage: Callable[[Path], None]
) -> None:
    world.add(FULL, *(lesson(f"lesson {number}") for number in range(30)))
    made = checkpoints.create("before", "", EVERY_ENTRY)
    world.repository.delete(FULL.entry_id)
    damage(Path(made.snapshot_path))
    before = state(folder)
    with pytest.raises(StorageError, match=r"1\.db: .*nothing was changed") as raised:
        checkpoints.restore("before")

    assert isinstance(raised.value, NewerSchemaError) == (damage is of_a_later_version)
    assert "doctor" not in str(raised.value)
    assert state(folder) == before


def test_a_damaged_store_is_not_set_aside(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(
            *(lesson(f"lesson {number} " + "word " * 200) for number in range(50))
        )
    data = bytearray((folder / "memory.db").read_bytes())
    data[-20_000:-4_096] = b"\xaa" * (20_000 - 4_096)
    (folder / "memory.db").write_bytes(data)
    with contextlib.closing(SqliteDatabase(str(folder / "memory.db"))) as database:
        with pytest.raises(
            CorruptStoreError, match=r"memory\.db: .*, run: hardwon doctor --repair"
        ):
            checkpoints_of(database).create("before", "", EVERY_ENTRY)
        assert checkpoints_of(database).all() == []
    assert names(folder / "checkpoints") == []


def test_a_snapshot_of_an_older_schema_is_read_as_a_store_of_it_would_be(
    tmp_path: Path, world: World, checkpoints: Checkpoints
) -> None:
    old = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(old)) as connection:
        MIGRATIONS[0](connection)
        connection.executescript(SCHEMA_1)
    before = old.read_bytes()
    world.add(lesson("there now"))
    restored = checkpoints.restore_file(str(old), "old.db", working_in("here"))

    assert restored.replacement == Replacement(2, 2, 1)
    assert world.repository.matching(LEARNINGS, limit=ALL) == [KEPT_PLAIN, KEPT_FULL]
    assert world.vectors.vectors_of([FULL.entry_id]).get(FULL.entry_id) == planted(0.6)
    assert world.add(lesson("next")) == [10]
    assert old.read_bytes() == before
    assert names(tmp_path) == ["deep", "old.db"]


CREATE = """
import os, resource, signal, sys
from hardwon.adapters.sqlite import copies, snapshots
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.clock import SystemClock
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.errors import StorageError
from hardwon.domain.use_cases.checkpoints import Checkpoints

folder, fault = sys.argv[1:]
checkpoints = Checkpoints(snapshots=SqliteSnapshots(open_store(folder)), clock=SystemClock())

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if fault == "full disk":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
elif fault == "killed while copying":
    copies._ensure_whole = lambda *_, **__: die()
elif fault == "killed before the commit":
    copies._let_be_single = die
elif fault == "killed after the commit":
    snapshots._finish = die
try:
    checkpoints.create("before", "", Contents("all", "here"))
except StorageError as error:
    sys.exit(str(error))
"""


def create_with(fault: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", CREATE, str(folder), fault]
    return subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=LONGEST_WAIT
    )


def test_a_full_disk_is_reported_and_leaves_nothing_behind(folder: Path, world: World) -> None:
    world.add(FULL)
    before = state(folder)
    ran = create_with("full disk", folder)

    assert ran.returncode == 1
    assert "checkpoints/1.db" in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert state(folder) == before


@pytest.mark.parametrize("fault", ["killed while copying", "killed before the commit"])
def test_remains_of_a_killed_process_are_no_checkpoint_and_the_next_one_clears_them(
    folder: Path, world: World, checkpoints: Checkpoints, fault: str
) -> None:
    world.add(FULL)
    ran = create_with(fault, folder)

    assert ran.returncode == -signal.SIGKILL
    assert len(names(folder / "checkpoints")) == 1
    assert checkpoints.all() == []
    (folder / "checkpoints" / "notes.txt").touch()
    checkpoints.create("second", "", EVERY_ENTRY)
    assert names(folder / "checkpoints") == ["1.db", "notes.txt"]
    assert checkpoints.restore("second").replacement == Replacement(1, 0, 0)


WRITER = """
import sys
import time
from hardwon.adapters.sqlite.opening import open_store
from tests.contracts.worlds import world_of
from tests.strategies import lesson

world = world_of(open_store(sys.argv[1]))
print("ready", flush=True)
for number in range(10_000):
    with world.repository.transaction():
        for half in ("left", "right"):
            world.repository.put(lesson(f"{half} {number}"))
    time.sleep(0.001)  # SQLite's lock is not fair
"""


def test_a_checkpoint_whose_process_was_killed_after_the_commit_is_whole(
    folder: Path, world: World, checkpoints: Checkpoints
) -> None:
    world.add(FULL)
    ran = create_with("killed after the commit", folder)
    [made] = checkpoints.all()

    assert (ran.returncode, made.is_there, names(folder / "checkpoints")) == (
        -signal.SIGKILL,
        True,
        ["1.db.new"],
    )
    assert checkpoints.restore("before").replacement == Replacement(1, 0, 0)
    assert names(folder / "checkpoints") == ["1.db", "2.db"]
    assert all(checkpoint.is_there for checkpoint in checkpoints.all())
    checkpoints.delete("before")
    assert names(folder / "checkpoints") == ["2.db"]


def test_the_snapshots_of_an_earlier_store_in_the_folder_are_never_touched(
    folder: Path, checkpoints: Checkpoints
) -> None:
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "7.db").write_text("a snapshot of the store that doctor moved aside")
    made = checkpoints.create("before", "", EVERY_ENTRY)

    assert (made.number, names(folder / "checkpoints")) == (8, ["7.db", "8.db"])
    assert (folder / "checkpoints" / "7.db").read_text().startswith("a snapshot")


def test_a_checkpoint_made_during_writes_is_a_consistent_snapshot(
    folder: Path, checkpoints: Checkpoints
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert writer.stdout
    writer.stdout.readline()
    try:
        made = [checkpoints.create(f"number {number}", "", EVERY_ENTRY) for number in range(5)]
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()
    for checkpoint in made:
        with opened_copy(checkpoint.snapshot_path) as copy:
            assert copy.value("SELECT count(*) FROM entry") == checkpoint.memory_count
            assert checkpoint.memory_count % 2 == 0


def test_a_busy_store_is_reported_and_nothing_is_changed(folder: Path, sql: Sql) -> None:
    with contextlib.closing(open_store(str(folder), busy_seconds=0.01)) as impatient:
        sql("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locked"):
            checkpoints_of(impatient).create("before", "", EVERY_ENTRY)
        sql("ROLLBACK")
        assert names(folder / "checkpoints") == []
        checkpoints_of(impatient).create("before", "", EVERY_ENTRY)
