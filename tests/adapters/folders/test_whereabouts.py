"""Where folders are: at their place, moved, out of reach, or gone."""

import shutil
import tempfile
from pathlib import Path

import pytest

from hardwon.adapters.folders.record import WrittenFolder, WrittenFolders, device_of, inode_of
from hardwon.adapters.folders.whereabouts import NOT_MOUNTED, Whereabouts, whereabouts
from tests.machine import without_root

ELSEWHERE = 2**40
"""No file system has this number."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder in which projects are, deep enough that no search leaves it."""
    place = tmp_path / "work"
    (place / "p" / ".git").mkdir(parents=True)
    (place / "p" / "sub").mkdir()
    return place


def recorded(path: Path, *, is_part: bool = False) -> WrittenFolder:
    facts = path.stat()
    return WrittenFolder(str(path), device_of(facts), inode_of(facts), is_part)


def test_folders_at_their_place_are_searched(place: Path) -> None:
    written = [
        recorded(place / "p"),
        WrittenFolder(str(place / "p" / "sub")),
        recorded(place / "p"),
    ]

    assert whereabouts(written) == Whereabouts((str(place / "p"), str(place / "p" / "sub")), (), ())


@pytest.mark.parametrize("target", ["renamed", "archive/p", "archive/2025/old"])
@pytest.mark.parametrize("by", [".", ".git"], ids=["folder", "repository"])
def test_a_folder_that_moved_is_found_by_its_number_or_that_of_its_repository(
    place: Path, target: str, by: str
) -> None:
    written = recorded(place / "p" / by)._replace(path=str(place / "p"))
    (place / target).parent.mkdir(parents=True, exist_ok=True)
    (place / "p").rename(place / target)

    assert whereabouts([written]) == Whereabouts((str(place / target),), (), ())


def test_one_is_found_where_another_folder_has_its_place(place: Path) -> None:
    written = recorded(place / "p")
    (place / "p").rename(place / "q")
    (place / "p" / ".git").mkdir(parents=True)

    assert whereabouts([written]) == Whereabouts((str(place / "p"), str(place / "q")), (), ())
    shutil.rmtree(place / "q")
    assert whereabouts([written]) == Whereabouts((str(place / "p"),), (), ())


def test_one_whose_parent_was_renamed_is_found(place: Path) -> None:
    written = recorded(place / "p")
    place.rename(place.parent / "later")

    assert whereabouts([written]).folders == (str(place.parent / "later" / "p"),)


def test_a_part_goes_along_with_its_repository(place: Path) -> None:
    written = [recorded(place / "p"), WrittenFolder(str(place / "p" / "sub"), is_part=True)]
    (place / "p").rename(place / "q")

    assert whereabouts(written) == Whereabouts((str(place / "q"), str(place / "q" / "sub")), (), ())


def test_one_that_moved_far_away_is_found_below_the_folders_that_are_given(
    place: Path, tmp_path: Path
) -> None:
    written = recorded(place / "p")
    far = tmp_path / "a" / "b" / "c" / "d" / "e"
    far.mkdir(parents=True)
    (place / "p").rename(far / "p")

    assert whereabouts([written]) == Whereabouts((), (), (str(place / "p"),))
    assert whereabouts([written], [str(far)]).folders == (str(far / "p"),)


def test_a_copy_of_another_number_is_found_by_what_git_says(place: Path) -> None:
    written = recorded(place / "p")
    (place / "p" / "memory").mkdir()
    shutil.copytree(place / "p", place / "copy")
    shutil.copytree(place / "p", place / "other")
    (place / "p").rename(place.parent / "kept")
    shutil.rmtree(place.parent / "kept")

    found = whereabouts(
        [written], (), lambda old, new: (old, new) == (str(place / "p"), str(place / "copy"))
    )
    assert found.folders == (str(place / "copy"),)


def test_one_that_was_deleted_is_told_but_no_part_and_no_work_tree(place: Path) -> None:
    written = [recorded(place / "p"), recorded(place / "p" / "sub", is_part=True)]
    shutil.rmtree(place / "p")

    assert whereabouts(written) == Whereabouts((), (), (str(place / "p"),))


def test_an_empty_folder_that_got_the_number_of_a_deleted_one_is_not_it(place: Path) -> None:
    written = recorded(place / "p")
    shutil.rmtree(place / "p")
    (place / "new").mkdir()

    assert whereabouts([written._replace(inode=inode_of((place / "new").stat()))]).lost == (
        str(place / "p"),
    )


@pytest.mark.parametrize("left", ["mount point", "nothing"])
def test_one_whose_file_system_is_not_there_is_out_of_reach(place: Path, left: str) -> None:
    written = recorded(place / "p")._replace(device=ELSEWHERE)
    shutil.rmtree(place / "p")
    if left == "mount point":
        (place / "p").mkdir()
        written = written._replace(inode=1)

    assert whereabouts([written]) == Whereabouts((), (f"{place / 'p'}: {NOT_MOUNTED}",), ())


def test_a_file_system_with_another_number_than_before_is_known_by_the_folder(place: Path) -> None:
    written = recorded(place / "p")._replace(device=ELSEWHERE)

    assert whereabouts([written]).folders == (str(place / "p"),)


@pytest.mark.parametrize("name", ["", "memory", "memory/decisions"])
def test_one_that_may_not_be_read_is_out_of_reach(name: str) -> None:
    with tempfile.TemporaryDirectory() as reachable:  # by any user
        Path(reachable).chmod(0o755)
        closed = Path(reachable) / "p" / name
        closed.mkdir(parents=True)
        written = recorded(Path(reachable) / "p")
        with without_root():
            assert whereabouts([written]).folders == (written.path,)
        closed.chmod(0)
        with without_root():
            found = whereabouts([written])
        closed.chmod(0o755)

    assert found == Whereabouts((), (f"{written.path}: Permission denied",), ())


def test_a_recorded_folder_is_found_after_a_move(place: Path, tmp_path: Path) -> None:
    record = WrittenFolders(str(tmp_path / "store"))
    record.add(str(place / "p"))
    (place / "p").rename(place / "q")

    assert whereabouts(record.all()).folders == (str(place / "q"),)
