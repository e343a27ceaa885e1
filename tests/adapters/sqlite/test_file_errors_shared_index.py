"""Where blocks are small, the shared index of the log has no holes once a store is open, or the store is only read."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.file_errors import REGION, ROOM, free_bytes, has_room
from hardwon.adapters.sqlite.opening import open_store
from hardwon.domain.model.errors import StorageError
from tests.doors.states import disk_of_small_blocks, fill_but_for, in_its_own_namespace, may_mount

pytestmark = pytest.mark.skipif(
    not may_mount("small blocks"), reason="needs root, mkfs.ext4 and loop devices"
)


def on_small_blocks(folder: Path, act: Callable[[Path], None]) -> int:
    """Run *act* on the store's folder on such a disk, in a child; return the signal that ended it, 0 when all went well."""
    (place := folder / "place").mkdir()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            assert in_its_own_namespace()
            assert disk_of_small_blocks(place)
            act(place)
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1]


def write_much(database: SqliteDatabase) -> None:
    with database.transaction():
        database.rows("CREATE TABLE filler (text BLOB)")
        database.rows(f"INSERT INTO filler VALUES (zeroblob({ROOM}))")


def write_until_full(database: SqliteDatabase) -> None:
    while True:
        database.rows(
            "INSERT OR REPLACE INTO _metadata (key, value) VALUES (random(), zeroblob(4000))"
        )


def test_a_store_that_is_open_outlives_a_disk_that_gets_full(tmp_path: Path) -> None:
    def act(place: Path) -> None:
        database = open_store(str(place / "store"))
        assert os.stat(f"{database.path}-shm").st_blocks * 512 >= REGION
        fill_but_for(place, 0)
        with pytest.raises(StorageError, match="full"):
            write_much(database)
        assert database.value("SELECT count(*) FROM entry") == 0

    assert on_small_blocks(tmp_path, act) == 0


@pytest.mark.parametrize("free", [8 * 1024, 16 * 1024, ROOM - 1024])
def test_without_room_a_store_is_only_read(tmp_path: Path, free: int) -> None:
    def act(place: Path) -> None:
        open_store(str(place / "store")).close()
        fill_but_for(place, free)
        database = open_store(str(place / "store"))
        assert database.is_read_only
        assert not has_room(str(place))

    assert on_small_blocks(tmp_path, act) == 0


@pytest.mark.parametrize("free", [ROOM, 2 * ROOM])
def test_with_room_it_is_written(tmp_path: Path, free: int) -> None:
    def act(place: Path) -> None:
        open_store(str(place / "store")).close()
        fill_but_for(place, free)
        database = open_store(str(place / "store"))
        assert not database.is_read_only
        with pytest.raises(StorageError, match="full"):
            write_until_full(database)

    assert on_small_blocks(tmp_path, act) == 0


def test_a_log_that_was_never_written_back_is_read_without_an_index(tmp_path: Path) -> None:
    def act(place: Path) -> None:
        writer = open_store(str(place / "store"))
        writer.rows("INSERT INTO _metadata (key, value) VALUES ('last', 'kept')")
        kept = {
            name: (place / "store" / name).read_bytes() for name in ("memory.db", "memory.db-wal")
        }
        writer.close()
        for name, content in kept.items():
            (place / "store" / name).write_bytes(content)
        fill_but_for(place, 16 * 1024)
        database = SqliteDatabase(str(place / "store" / "memory.db"))
        assert database.value("SELECT value FROM _metadata WHERE key = 'last'") == "kept"
        assert database.is_read_only

    assert on_small_blocks(tmp_path, act) == 0


def test_room_is_counted_in_bytes_that_users_may_write(tmp_path: Path) -> None:
    about = os.statvfs(tmp_path)
    assert free_bytes(str(tmp_path)) <= about.f_bfree * about.f_frsize
    assert free_bytes(str(tmp_path / "none")) == ROOM
