"""The record of written folders: it outlives damage, moves and other machines."""

from pathlib import Path

import pytest

from hardwon.adapters.folders.record import (
    FILE_NAME,
    ROOT_DEVICE,
    WrittenFolder,
    WrittenFolders,
    known_device,
)
from hardwon.domain.model.errors import StorageError


@pytest.fixture
def record(tmp_path: Path) -> WrittenFolders:
    return WrittenFolders(str(tmp_path / "store"))


def made(folder: Path) -> str:
    folder.mkdir(parents=True)
    return str(folder)


def test_a_folder_is_recorded_once_with_its_numbers(record: WrittenFolders, tmp_path: Path) -> None:
    path = made(tmp_path / "p")
    for _ in range(3):
        record.add(path)

    facts = (tmp_path / "p").stat()
    assert record.all() == [WrittenFolder(path, known_device(facts.st_dev), facts.st_ino)]
    assert (tmp_path / "store" / FILE_NAME).read_text().count(path) == 1
    assert (tmp_path / "store" / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_folder_in_the_place_of_another_is_recorded_beside_it(
    record: WrittenFolders, tmp_path: Path
) -> None:
    path = made(tmp_path / "p")
    record.add(path)
    (tmp_path / "p").rename(tmp_path / "q")
    made(tmp_path / "p")
    record.add(path)

    assert [folder.inode for folder in record.all()] == [
        (tmp_path / name).stat().st_ino for name in "qp"
    ]


def test_a_folder_that_is_not_there_is_not_recorded(record: WrittenFolders, tmp_path: Path) -> None:
    record.add(str(tmp_path / "nowhere"))

    assert record.all() == []
    assert not (tmp_path / "store").exists()


def test_one_that_is_gone_for_good_is_not_told_until_it_is_written_to_again(
    record: WrittenFolders, tmp_path: Path
) -> None:
    path = made(tmp_path / "p")
    record.add(path)
    record.dismiss(path)
    assert (record.all(), record.dismissed()) == ([], {path})

    record.add(path)
    assert ([folder.path for folder in record.all()], record.dismissed()) == ([path], set())


@pytest.mark.parametrize(
    "line",
    ["garbage", "[1]", '{"path": 3}', '{"path": "/x", "device": "y"', "\0\0", '{"path"', "null"],
)
def test_a_line_that_cannot_be_read_is_left_out(
    record: WrittenFolders, tmp_path: Path, line: str
) -> None:
    path = made(tmp_path / "p")
    record.add(path)
    with (tmp_path / "store" / FILE_NAME).open("a") as file:
        file.write(line)
    record.add(made(tmp_path / "q"))

    assert [folder.path for folder in record.all()] == [path, str(tmp_path / "q")]


def test_a_copy_of_a_store_knows_the_folders_of_both(
    record: WrittenFolders, tmp_path: Path
) -> None:
    other = WrittenFolders(str(tmp_path / "other"))
    record.add(made(tmp_path / "p"))
    other.add(made(tmp_path / "q"))
    for _ in range(2):
        record.copy_to(str(tmp_path / "other"))

    assert [folder.path for folder in other.all()] == [str(tmp_path / "q"), str(tmp_path / "p")]


def test_on_another_machine_numbers_of_folders_mean_nothing(
    record: WrittenFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "p")
    record.add(path)
    [at_first] = record.all()
    assert not record.is_from_another_machine()

    monkeypatch.setenv("HARDWON_MACHINE", "another")
    assert (record.all(), record.is_from_another_machine()) == ([WrittenFolder(path)], True)
    record.add(path)
    assert record.all() == [WrittenFolder(path), at_first]

    monkeypatch.delenv("HARDWON_MACHINE")
    assert record.all() == [at_first, WrittenFolder(path)]


def test_a_line_of_an_earlier_version_is_of_this_machine(
    record: WrittenFolders, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / FILE_NAME).write_text(
        '{"path": "/gone", "device": 7, "inode": 8, "is_part": false}\n'
    )

    assert record.all() == [WrittenFolder("/gone", 7, 8)]
    assert not record.is_from_another_machine()


def test_the_record_does_not_hold_the_name_of_a_machine(
    record: WrittenFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_MACHINE", "zaunkoenig")
    record.add(made(tmp_path / "p"))

    assert "zaunkoenig" not in (tmp_path / "store" / FILE_NAME).read_text()


def test_a_record_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(StorageError, match=FILE_NAME):
        WrittenFolders(str(tmp_path / "store")).add(made(tmp_path / "p"))


def test_the_file_system_of_the_root_folder_goes_by_no_number_that_may_change() -> None:
    assert known_device(Path("/").stat().st_dev) == ROOT_DEVICE
    assert known_device(Path("/").stat().st_dev + 1) != ROOT_DEVICE
