"""A folder that is held open: names stay in it, and no link on its way is followed."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters import folder as module
from hardwon.adapters.durable import written_file, written_output
from hardwon.adapters.folder import Folder, make_folder, real_place


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
