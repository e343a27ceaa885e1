import errno
import os
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.file_errors import FULL, may_exist, problem_of, translated
from hardwon.domain.model.errors import StorageError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    database = SqliteDatabase(str(file))
    database.rows("PRAGMA journal_mode = WAL")
    database.rows("CREATE TABLE entry (text)")
    database.rows("INSERT INTO entry VALUES ('kept')")
    database.close()
    return file


def test_a_usable_file_has_no_problem(path: Path) -> None:
    assert problem_of(str(path)) == ""
    assert problem_of(str(path.with_name("none.db"))) == ""
    assert problem_of("/no/such/folder/memory.db") == ""


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    assert problem_of(str(tmp_path)).endswith("is a folder, not a file: move it away")


def test_the_file_of_another_user_gets_another_way_out_than_chmod(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        os, "access", lambda item, mode: not (item == str(path) and mode == os.W_OK)
    )

    assert problem_of(str(path)) == f"no permission to write it: run chmod u+rw {path}"
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    assert (
        f"which belongs to user {path.stat().st_uid}: let that user give it to you"
        in problem_of(str(path))
    )


def test_a_full_disk_is_called_full() -> None:
    with pytest.raises(StorageError, match=f"memory.db: {FULL}$"), translated("memory.db"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_path_that_cannot_be_looked_at_may_exist(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert may_exist(str(path))
    assert not may_exist(str(path.with_name("none.db")))
    assert not may_exist("a\0b")

    def refuse(_: str) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "lstat", refuse)
    assert may_exist(str(path))
