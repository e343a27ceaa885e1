"""A folder that is held open: names stay in it, and no link on its way is followed."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters import folder as module
from hardwon.adapters.durable import written_file, written_output
from hardwon.adapters.folder import Folder, exposed, make_folder, opened_store, real_place, refusal
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex, pack_block
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.store import BlockIndex, store_in
from hardwon.domain.model.errors import StorageError
from tests.machine import NOBODY


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a real folder with a project and a folder outside of it."""
    real = Path(os.path.realpath(tmp_path))
    for name in ("project/a/b", "outside/b"):
        (real / name).mkdir(parents=True)
    return real


def swap(home: Path, name: str, target: str = "outside") -> None:
    """Put a link in the place of a folder of the project."""
    (home / "project" / name).rename(home / "aside")
    (home / "project" / name).symlink_to(home / target)


@pytest.mark.parametrize("name", ["a", "a/b"])
def test_no_link_is_followed_at_the_end_or_on_the_way(home: Path, name: str) -> None:
    swap(home, name)

    with pytest.raises(
        OSError, match="a link took the place of a folder on its way: nothing was written"
    ):
        Folder(str(home / "project" / "a" / "b"))


@pytest.mark.parametrize("name", ["a", "a/b"])
def test_folders_are_made_through_no_link(home: Path, name: str) -> None:
    swap(home, name)

    with pytest.raises(OSError, match="a link took the place"):
        make_folder(str(home / "project" / "a" / "b" / "c"))
    assert [*(home / "outside").rglob("c")] == []


def test_a_file_is_made_in_the_folder_that_was_opened_whatever_takes_its_place(home: Path) -> None:
    with Folder(str(home / "project" / "a" / "b")) as folder:
        swap(home, "a/b")
        os.close(folder.open("new", os.O_WRONLY | os.O_CREAT))
        folder.replace("new", "file")
        assert folder.has("file")
        assert folder.names() == ["file"]

    assert os.listdir(home / "aside") == ["file"]
    assert os.listdir(home / "outside") == ["b"]


def test_a_folder_that_is_swapped_while_a_file_is_written_gets_nothing(home: Path) -> None:
    with written_file(str(home / "project" / "a" / "file")) as file:
        swap(home, "a")
        file.write(b"text")

    assert (home / "aside" / "file").read_bytes() == b"text"
    assert os.listdir(home / "outside") == ["b"]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_where_no_folder_can_be_held_its_real_path_is_compared_before_and_after(
    home: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(module, "CAN_HOLD", False)
    path = str(home / "project" / "a")
    with Folder(path) as folder:
        os.close(folder.open("first", os.O_WRONLY | os.O_CREAT))
        swap(home, "a")
        with pytest.raises(OSError, match="a link took the place"):
            folder.replace("first", "second")
    if when == "before":
        with pytest.raises(OSError, match="a link took the place"):
            Folder(path)
    assert os.listdir(home / "outside") == ["b"]


def test_a_link_in_the_place_of_a_file_is_not_opened(home: Path) -> None:
    (home / "project" / "file").symlink_to(home / "outside" / "planted")

    with (
        Folder(str(home / "project")) as folder,
        pytest.raises(OSError, match="symbolic") as caught,
    ):
        folder.open("file", os.O_WRONLY | os.O_CREAT)
    assert caught.value.errno == errno.ELOOP
    assert not (home / "outside" / "planted").exists()


def test_the_last_folder_gets_its_mode_and_those_on_its_way_the_usual_one(home: Path) -> None:
    make_folder(str(home / "new" / "below"), 0o700)

    modes = [stat.S_IMODE((home / name).stat().st_mode) for name in ("new", "new/below")]
    assert modes == [0o777 & ~_umask(), 0o700]


def _umask() -> int:
    os.umask(present := os.umask(0o077))
    return present


def test_links_of_the_folder_are_resolved_one_in_the_place_of_the_file_is_not(home: Path) -> None:
    (home / "link").symlink_to(home / "project")
    (home / "project" / "file").symlink_to(home / "outside")

    assert real_place(str(home / "link" / "file")) == str(home / "project" / "file")


def device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))


def socket(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


IRREGULAR: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a socket": socket,
    "a link to a pipe": link_to_pipe,
    **({"a device": device} if os.geteuid() == 0 else {}),
}


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("kind", IRREGULAR)
def test_an_output_that_is_no_regular_file_is_refused(
    home: Path, kind: str, *, replace: bool
) -> None:
    IRREGULAR[kind](home / "named")
    before = os.lstat(home / "named")

    with (
        pytest.raises(OSError, match="it is no regular file: name another one"),
        written_output(str(home / "named"), replace=replace),
    ):
        pass
    assert os.path.samestat(os.lstat(home / "named"), before)
    assert not [name for name in os.listdir(home) if name.endswith(".tmp")]


def test_of_a_link_to_a_file_the_target_is_written(home: Path) -> None:
    (home / "named").symlink_to(home / "outside" / "file")
    with written_output(str(home / "named"), replace=False) as file:
        file.write(b"text")

    assert (home / "named").is_symlink()
    assert (home / "outside" / "file").read_bytes() == b"text"


needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="needs root, to give files to another user"
)

BLOCKS = BlockIndex(NumpyVectorIndex, pack_block)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    "name",
    [
        "memory.db",
        "memory.db-wal",
        "memory.db.v7",
        "capture.db",
        "hook.log",
        "pauses.jsonl",
        "trials.jsonl",
    ],
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
        store_in(str(tmp_path), open_store(str(tmp_path)), lines.append, blocks=BLOCKS).close()

    assert [line.split(": ")[0] for line in lines] == [
        f"{tmp_path}/memory.db can be read by other users of this machine, as its file system keeps no permissions"
    ]
    assert exposed(str(tmp_path / "memory.db")) == lines[0]


def test_files_that_are_closed_expose_nothing(tmp_path: Path) -> None:
    open_store(str(tmp_path)).close()

    assert exposed(str(tmp_path / "memory.db")) == exposed(str(tmp_path / "none")) == ""
