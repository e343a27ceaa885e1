"""A store of an earlier version is copied beside itself before it is migrated."""

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.copies import keep_copy
from hardwon.adapters.sqlite.opening import drift_of, open_store
from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.domain.model.errors import NewerSchemaError, OlderSchemaError, StorageError
from tests.adapters.sqlite.earlier_stores import STORES, content, unpack
from tests.adapters.sqlite.sqlite_store import opened

OLD = next(store for store in STORES if store.stem == "4-24dd24c")
COPY = "memory.db.v4"
OPEN = "import sys; from hardwon.adapters.sqlite.opening import open_store; open_store(sys.argv[1]).close()"
SLOW = "import time; from hardwon.adapters.sqlite import copies; finish = copies._let_be_single; copies._let_be_single = lambda path: (time.sleep(0.2), finish(path));"
KILLED = "import os; from hardwon.adapters.sqlite import {module} as module; module.{name} = lambda *_: os.kill(os.getpid(), 9);"


@pytest.fixture
def path(folder: Path) -> Path:
    return unpack(OLD, folder)


def copies(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith("memory.db.v"))


def version(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        [(value,)] = connection.execute("SELECT value FROM _metadata WHERE key = 'schema_version'")
        return str(value)


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let writes beyond *size* bytes of a file fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_neither_a_new_store_nor_an_empty_file_nor_one_of_todays_version_is_copied(
    folder: Path,
) -> None:
    folder.mkdir(parents=True)
    (folder / "memory.db").touch()
    for _ in range(2):
        with opened(folder):
            pass

    assert copies(folder) == []


@pytest.mark.usefixtures("path")
def test_a_copy_is_for_the_user_alone(folder: Path) -> None:
    with opened(folder):
        [copy] = copies(folder)

    assert (folder / copy).stat().st_mode & 0o777 == 0o600


def test_a_copy_that_cannot_be_written_stops_the_migration_and_nothing_is_changed(
    path: Path, folder: Path
) -> None:
    before, data = content(path), path.read_bytes()
    with (
        no_file_larger_than(64 * 1024),
        pytest.raises(
            StorageError,
            match=r"^the store was not migrated, as no copy .*memory\.db\.v4.*nothing was changed$",
        ),
    ):
        open_store(str(folder))

    assert (content(path), path.read_bytes(), copies(folder)) == (before, data, [])
    with opened(folder) as database:
        assert drift_of(database) == []


def test_a_folder_in_the_place_of_the_copy_stops_the_migration(path: Path, folder: Path) -> None:
    before = content(path)
    (folder / COPY / "mine").mkdir(parents=True)
    with pytest.raises(StorageError, match="nothing was changed"):
        open_store(str(folder))

    assert (content(path), copies(folder)) == (before, [COPY])


@pytest.mark.parametrize(
    ("module", "name", "left"),
    [("copies", "publish", [f"{COPY}.partial"]), ("drift", "repair", [COPY])],
    ids=["while copying", "before migrating"],
)
def test_a_killed_process_leaves_the_old_store_and_no_half_copy(
    path: Path, folder: Path, module: str, name: str, left: list[str]
) -> None:
    before = content(path)
    program = KILLED.format(module=module, name=name) + OPEN
    assert (
        subprocess.run([sys.executable, "-c", program, str(folder)], check=False).returncode == -9
    )
    assert (version(path), copies(folder)) == ("4", left)

    with opened(folder) as database:
        assert drift_of(database) == []
    assert copies(folder) == [COPY]
    assert content(folder / COPY) == before


@pytest.mark.usefixtures("path")
def test_half_copies_of_killed_processes_are_removed(folder: Path) -> None:
    for name in ("memory.db.v3.partial", "memory.db.v4.partial"):
        (folder / name).write_bytes(b"half a copy")
    with opened(folder):
        pass

    assert copies(folder) == [COPY]


def test_processes_that_open_an_old_store_at_once_end_well_with_one_copy(
    path: Path, folder: Path
) -> None:
    before = content(path)
    running = [subprocess.Popen([sys.executable, "-c", SLOW + OPEN, str(folder)]) for _ in range(3)]

    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert (version(path), copies(folder)) == (str(NEWEST), [COPY])
    assert content(folder / COPY) == before


def test_changes_in_the_write_ahead_log_are_copied_too(path: Path, folder: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE entry_text SET name = 'Logged' WHERE entry_seq = 5")
        with opened(folder):
            pass
    with closing(sqlite3.connect(folder / COPY)) as copy:
        assert copy.execute("SELECT name FROM entry_text WHERE entry_seq = 5").fetchall() == [
            ("Logged",)
        ]
        assert copy.execute("PRAGMA journal_mode").fetchall() == [("delete",)]


def test_only_the_last_two_copies_are_kept(path: Path, folder: Path) -> None:
    for name in ("memory.db.version", "memory.db.v2.mine", "memory.db.broken-1"):
        (folder / name).touch()
    for number in (1, 2, 10):
        keep_copy(str(path), number)
        os.utime(f"{path}.v{number}", ns=(number, number))
    assert copies(folder) == [
        "memory.db.v10",
        "memory.db.v2",
        "memory.db.v2.mine",
        "memory.db.version",
    ]

    keep_copy(str(path), 1)  # a copy that was put back is the newest when it is migrated again
    assert copies(folder) == [
        "memory.db.v1",
        "memory.db.v10",
        "memory.db.v2.mine",
        "memory.db.version",
    ]


@pytest.mark.parametrize(
    ("there", "named"),
    [((), ""), ((4, 6), "memory.db.v6"), ((4, 98), "memory.db.v4"), ((98,), "")],
)
def test_a_program_that_is_too_old_says_what_it_needs_and_where_a_copy_is_that_it_can_read(
    folder: Path, there: tuple[int, ...], named: str
) -> None:
    with opened(folder) as database:
        database.rows("UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")
    for number in there:
        (folder / f"memory.db.v{number}").touch()
    with pytest.raises(NewerSchemaError) as raised:
        open_store(str(folder))

    message = str(raised.value)
    assert (
        f"schema version 99, this hardwon knows {NEWEST}: upgrade hardwon to one that knows 99"
        in message
    )
    assert message.endswith("; nothing was changed")
    assert (str(folder / named) in message) if named else ("copy" not in message)


def test_a_store_too_large_for_a_hook_is_left_to_others(path: Path, folder: Path) -> None:
    size = path.stat().st_size
    with pytest.raises(
        OlderSchemaError, match=rf"memory\.db is of version 4 .* version {NEWEST}.*the worker"
    ):
        open_store(str(folder), largest_upgrade=size - 1)
    assert (version(path), copies(folder)) == ("4", [])

    open_store(str(folder), largest_upgrade=size).close()
    open_store(str(folder), largest_upgrade=0).close()
    assert (version(path), copies(folder)) == (str(NEWEST), [COPY])
