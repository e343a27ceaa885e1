"""The whole store in a file, and back."""

import contextlib
import os
import shutil
import stat
from pathlib import Path
from unittest import mock

import pytest

from hardwon.adapters.sqlite import snapshots
from hardwon.adapters.sqlite.copies import opened_copy, write_copy
from hardwon.adapters.sqlite.database import IN_MEMORY, SqliteDatabase
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.errors import InvalidCheckpointError, StorageError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.adapters.sqlite.sqlite_store import EVERY_ENTRY, FULL, Sql, checkpoints_of, names, opened
from tests.contracts.worlds import ALL, World, world_of
from tests.fakes.projects import working_in
from tests.strategies import lesson, planted


def test_a_backup_is_one_private_file_with_all_that_was_acknowledged(
    tmp_path: Path, world: World, checkpoints: Checkpoints
) -> None:
    world.add(FULL)
    path = tmp_path / "b.db"
    checkpoints.snapshots.back_up(str(path))

    assert names(tmp_path) == ["b.db", "deep"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with opened_copy(str(path)) as copy:
        assert world_of(copy).repository.matching(LEARNINGS, limit=ALL) == [FULL]


def test_a_backup_replaces_a_file_only_on_request(tmp_path: Path, checkpoints: Checkpoints) -> None:
    path = tmp_path / "b.db"
    path.write_text("mine")
    with pytest.raises(InvalidCheckpointError, match="is there already"):
        checkpoints.snapshots.back_up(str(path))
    assert path.read_text() == "mine"
    checkpoints.snapshots.back_up(str(path), replace=True)
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_the_copy_of_a_killed_backup_is_removed_by_a_later_one(
    tmp_path: Path, checkpoints: Checkpoints
) -> None:
    left = list[str]()

    def killed(source: SqliteDatabase, path: str) -> None:
        write_copy(source, path)
        shutil.copy(path, f"{path}.kept")
        left.append(path)

    with mock.patch.object(snapshots, "write_copy", killed):
        checkpoints.snapshots.back_up(str(tmp_path / "b.db"))
    [path] = left
    os.rename(f"{path}.kept", path)
    os.utime(path, (0, 0))
    checkpoints.snapshots.back_up(str(tmp_path / "b.db"), replace=True)

    assert names(tmp_path) == ["b.db", "deep"]


@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-shm"])
def test_a_backup_never_replaces_the_store_itself(
    folder: Path, checkpoints: Checkpoints, name: str
) -> None:
    (folder / "link").symlink_to(folder / name)
    for path in (folder / name, folder / "link"):
        with pytest.raises(InvalidCheckpointError, match="is the store itself"):
            checkpoints.snapshots.back_up(str(path), replace=True)


def test_a_backup_never_replaces_a_checkpoint(checkpoints: Checkpoints) -> None:
    made = checkpoints.create("before", "", Contents("all", "here"))

    with pytest.raises(InvalidCheckpointError, match="is the store itself"):
        checkpoints.snapshots.back_up(made.snapshot_path, replace=True)


def test_a_backup_where_nothing_can_be_written_is_reported(
    tmp_path: Path, checkpoints: Checkpoints
) -> None:
    with pytest.raises(InvalidCheckpointError, match="its folder is not there"):
        checkpoints.snapshots.back_up(str(tmp_path / "nowhere" / "b.db"))
    with pytest.raises(InvalidCheckpointError, match="is no regular file"):
        checkpoints.snapshots.back_up(str(tmp_path), replace=True)
    assert names(tmp_path) == ["deep"]


def test_without_a_store_there_is_nothing_to_copy(tmp_path: Path) -> None:
    with (
        contextlib.closing(SqliteDatabase(IN_MEMORY)) as database,
        pytest.raises(StorageError, match="no store yet"),
    ):
        SqliteSnapshots(database).back_up(str(tmp_path / "b.db"))
    assert names(tmp_path) == []


def test_a_backup_fills_a_new_store_with_everything_but_its_checkpoints(
    folder: Path, tmp_path: Path, world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    [_, number, last] = world.add(lesson("gone"), FULL, lesson("gone too"))
    world.embed(FULL, planted(0.6))
    world.repository.delete(lesson("gone").entry_id)
    world.repository.delete(lesson("gone too").entry_id)
    world.ledger.record("/a/patterns.md", {"Backoff"}, "1")
    sql(
        "INSERT INTO history VALUES (5, 1, 'tier', NULL, 'critical', 'then'), (6, 1, 'tier', 'critical', NULL, 'then')"
    )
    checkpoints.create("before", "", EVERY_ENTRY)
    checkpoints.snapshots.back_up(str(tmp_path / "b.db"))
    shutil.rmtree(folder / "checkpoints")
    with opened(tmp_path / "new") as database:
        new, there = world_of(database), checkpoints_of(database)
        there.restore_file(str(tmp_path / "b.db"), "b.db", working_in("here"))

        [entry] = new.repository.matching(LEARNINGS, limit=ALL)
        assert (entry, entry.number) == (FULL, number)
        assert new.vectors.vectors_of([FULL.entry_id]).get(FULL.entry_id) == planted(0.6)
        assert new.ledger.headings("/a/patterns.md") == {"Backoff"}
        assert database.rows("SELECT memory_id, field_changed, new_value FROM history") == [
            (1, "tier", "critical"),
            (1, "tier", None),
            (number, "restored", "b.db"),
        ]
        assert [checkpoint.is_there for checkpoint in there.all()] == [True]
        assert new.add(lesson("next")) == [last + 1]
