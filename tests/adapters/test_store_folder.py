"""The folder of a store is its user's alone: hardwon's files are closed to others, another user's are refused."""

import os
import stat
from pathlib import Path

import pytest

from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.store import BlockIndex, open_sqlite
from hardwon.adapters.store_folder import exposed, opened_store, refusal
from hardwon.domain.model.errors import StorageError
from tests.machine import NOBODY

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="needs root, to give files to another user"
)

BLOCKS = BlockIndex(NumpyVectorIndex, pack_block)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    "name", ["memory.db", "memory.db-wal", "memory.db.v7", "capture.db", "hook.log", "pauses.jsonl"]
)
@pytest.mark.parametrize("open_mode", [0o644, 0o660, 0o666])
def test_files_of_hardwon_are_closed_to_others(tmp_path: Path, name: str, open_mode: int) -> None:
    store = tmp_path / "store"
    store.mkdir(mode=0o755)
    (store / name).touch()
    (store / name).chmod(open_mode)
    opened_store(str(store)).close()

    assert [mode(store), mode(store / name)] == [0o700, 0o600]


@pytest.mark.parametrize("umask", [0o002, 0o000, 0o022])
def test_a_store_is_made_closed_under_any_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        open_store(str(tmp_path / "store")).close()
    finally:
        os.umask(before)

    assert [mode(tmp_path / "store"), mode(tmp_path / "store" / "memory.db")] == [0o700, 0o600]


def test_checkpoints_are_closed_too(tmp_path: Path) -> None:
    checkpoints = tmp_path / "checkpoints"
    checkpoints.mkdir(mode=0o755)
    (checkpoints / "1.db").touch(mode=0o644)
    opened_store(str(tmp_path)).close()

    assert [mode(checkpoints), mode(checkpoints / "1.db")] == [0o700, 0o600]


def test_a_folder_that_holds_other_things_keeps_its_mode_and_ours_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for name in ("notes.txt", "memory.db"):
        (tmp_path / name).touch(mode=0o644)
    opened_store(str(tmp_path)).close()

    assert [mode(tmp_path), mode(tmp_path / "notes.txt"), mode(tmp_path / "memory.db")] == [
        0o755,
        0o644,
        0o600,
    ]


@pytest.mark.parametrize("open_mode", [0o775, 0o777, 0o757])
def test_a_folder_with_other_things_that_others_may_write_to_is_refused(
    tmp_path: Path, open_mode: int
) -> None:
    (tmp_path / "notes.txt").touch()
    tmp_path.chmod(open_mode)

    with pytest.raises(StorageError, match=r"other users may write to .*: run chmod go-w"):
        opened_store(str(tmp_path))
    assert mode(tmp_path) == open_mode


def test_a_folder_for_all_whose_files_are_protected_by_the_sticky_bit_keeps_its_mode(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o1777)
    opened_store(str(tmp_path)).close()

    assert mode(tmp_path) == 0o777 | stat.S_ISVTX


def test_a_link_of_the_user_to_their_own_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "dotfiles")
    open_store(str(tmp_path / "store")).close()

    assert (tmp_path / "dotfiles" / "memory.db").is_file()


@pytest.mark.parametrize(
    "name", ["memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal"]
)
def test_a_link_in_the_place_of_a_database_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(
        StorageError, match=rf"{name} is a link, to .*elsewhere: put the file itself there, or name"
    ):
        open_store(str(tmp_path))
    assert (tmp_path / "elsewhere").read_bytes() == b""


@needs_root
@pytest.mark.parametrize("name", ["", "memory.db", "memory.db-wal", "memory.db-journal"])
def test_a_file_or_folder_of_another_user_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    os.chown(tmp_path / name, NOBODY, NOBODY)

    with pytest.raises(
        StorageError,
        match=r"belongs to (the )?user .*: run hardwon as that user, or name another store",
    ):
        open_store(str(tmp_path))


@needs_root
def test_the_refusal_of_another_users_folder_or_link_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "theirs").mkdir(mode=0o755)
    (tmp_path / "planted").symlink_to(tmp_path / "own")
    for name in ("theirs", "planted"):
        os.chown(tmp_path / name, NOBODY, NOBODY, follow_symlinks=False)

    assert refusal(str(tmp_path / "own")) == refusal(str(tmp_path / "none")) == ""
    assert "belongs to" in refusal(str(tmp_path / "theirs"))
    assert "belongs to" in refusal(str(tmp_path / "planted"))
    assert mode(tmp_path / "theirs") == 0o755


def test_a_file_system_without_modes_costs_one_line_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(str(tmp_path)).close()
    (tmp_path / "memory.db").chmod(0o644)
    monkeypatch.setattr(os, "chmod", lambda *_, **__: None)  # as on a drive of Windows
    lines = list[str]()
    for _ in range(2):
        open_sqlite(str(tmp_path), lines.append, BLOCKS).close()

    assert [line.split(": ")[0] for line in lines] == [
        f"{tmp_path}/memory.db can be read by other users of this machine, as its file system keeps no permissions"
    ]
    assert exposed(str(tmp_path / "memory.db")) == lines[0]


def test_files_that_are_closed_expose_nothing(tmp_path: Path) -> None:
    open_store(str(tmp_path)).close()

    assert exposed(str(tmp_path / "memory.db")) == exposed(str(tmp_path / "none")) == ""
