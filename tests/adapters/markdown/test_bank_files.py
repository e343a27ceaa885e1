"""Knowledge-bank files on the disk: where they may be written, and what they keep."""

import errno
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.adapters.markdown.knowledge_bank import LARGEST_FILE
from hardwon.domain.model.errors import UneditableFileError, UnreadableFileError
from hardwon.domain.model.retro.bank_edit import BankPlace

OURS, USERS = BankPlace("local", "patterns"), BankPlace("global", "heuristics")


class Place:
    """A project and a store's folder."""

    def __init__(self, folder: Path) -> None:
        self.project, self.store, self.outside = (
            folder / name for name in ("project", "store", "outside")
        )
        for place in (self.project, self.outside):
            place.mkdir()
        self.files = MarkdownBankFiles(str(self.project), str(self.store))
        self.ours = self.project / "docs" / "knowledge-bank" / "patterns.md"

    def write(self, text: str, place: BankPlace = OURS) -> None:
        with self.files.held() as banks:
            self.files.write(MarkdownBanks({**banks.texts, place: text}))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_users_own_bank_is_private_the_projects_is_for_all(place: Place) -> None:
    place.write("a")
    place.write("b", USERS)

    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (place.ours, place.store / "heuristics.md", place.store)
    ]
    assert modes == [0o644, 0o600, 0o700]


def test_a_file_keeps_its_mode(place: Place) -> None:
    place.write("a")
    place.ours.chmod(0o640)
    place.write("b")

    assert (stat.S_IMODE(place.ours.stat().st_mode), place.ours.read_text()) == (0o640, "b")
    assert [*place.ours.parent.iterdir()] == [place.ours]


def test_an_unchanged_file_is_not_written(place: Place) -> None:
    place.write("a")
    before = place.ours.stat().st_ino
    place.write("b", USERS)

    assert place.ours.stat().st_ino == before


@pytest.mark.parametrize("link", ["docs", "docs/knowledge-bank", "docs/knowledge-bank/patterns.md"])
@pytest.mark.parametrize("there", [False, True], ids=["to no file", "to a file"])
def test_a_link_that_leads_out_is_not_written(place: Place, link: str, *, there: bool) -> None:
    path = place.project / link
    path.parent.mkdir(parents=True, exist_ok=True)
    target = place.outside / "patterns.md" if link.endswith(".md") else place.outside
    path.symlink_to(target)
    for folder in (place.outside, place.outside / "knowledge-bank") if there else ():
        folder.mkdir(exist_ok=True)
        (folder / "patterns.md").write_text("### Not ours")
    before = sorted(place.outside.rglob("*"))

    error = UnreadableFileError if there or link.endswith(".md") else UneditableFileError
    with pytest.raises(error, match="leads out"):
        place.write("a")
    assert sorted(place.outside.rglob("*")) == before


def test_a_link_within_the_project_is_followed(place: Place) -> None:
    place.ours.parent.mkdir(parents=True)
    real = place.project / "patterns.md"
    real.write_text("a")
    place.ours.symlink_to(real)
    place.write("b")

    assert (place.ours.is_symlink(), real.read_text()) == (True, "b")


def test_nothing_is_written_when_one_of_several_leads_out(place: Place) -> None:
    place.store.mkdir()
    (place.store / "heuristics.md").symlink_to(place.outside / "file")
    with pytest.raises(UneditableFileError, match="it leads out"), place.files.held() as banks:
        place.files.write(MarkdownBanks({**banks.texts, OURS: "a", USERS: "b"}))

    assert not (place.project / "docs").exists()


@pytest.mark.parametrize("content", [b"\xff", b"x" * (LARGEST_FILE + 1)], ids=["binary", "huge"])
def test_a_file_that_can_not_be_read_whole_is_refused(place: Place, content: bytes) -> None:
    place.ours.parent.mkdir(parents=True)
    place.ours.write_bytes(content)

    with pytest.raises(UnreadableFileError, match=r"not UTF-8 text at byte 0|longer than"):
        place.files.banks()


def test_all_files_that_can_not_be_used_are_named_at_once(place: Place) -> None:
    place.ours.parent.mkdir(parents=True)
    others = place.ours.with_name("heuristics.md")
    for file in (place.ours, others):
        file.write_bytes(b"Caf\xe9")

    with pytest.raises(UnreadableFileError) as refused:
        place.files.banks()
    assert all(
        f"{str(file)!r} can't be used: not UTF" in str(refused.value)
        for file in (place.ours, others)
    )


def test_a_folder_in_place_of_a_file_is_refused(place: Place) -> None:
    place.ours.mkdir(parents=True)
    with pytest.raises(UnreadableFileError, match="can't be used"):
        place.files.banks()


def test_a_concurrent_change_stays(place: Place) -> None:
    place.write("a")
    with place.files.held() as banks:
        place.ours.write_text("an editor's")
        place.store.mkdir()
        (place.store / "heuristics.md").write_text("an editor's")
        for path in (OURS, USERS):
            with pytest.raises(UneditableFileError, match="another process"):
                place.files.write(MarkdownBanks({**banks.texts, path: "b"}))

    assert place.ours.read_text() == (place.store / "heuristics.md").read_text() == "an editor's"


@pytest.mark.parametrize("is_new", [False, True])
def test_when_one_was_changed_meanwhile_the_others_stay_as_they_were(
    place: Place, *, is_new: bool
) -> None:
    place.write("a")
    if not is_new:
        place.write("b", USERS)
    was = place.ours.stat()
    with place.files.held() as banks:
        place.store.mkdir(exist_ok=True)
        (place.store / "heuristics.md").write_text("an editor's")
        with pytest.raises(
            UneditableFileError, match=r"heuristics\.md.*another process.*nothing was changed"
        ):
            place.files.write(MarkdownBanks({**banks.texts, OURS: "c", USERS: "d"}))

    assert (place.ours.read_text(), (place.store / "heuristics.md").read_text()) == (
        "a",
        "an editor's",
    )
    assert (place.ours.stat().st_ino, place.ours.stat().st_mtime_ns) == (
        was.st_ino,
        was.st_mtime_ns,
    )
    assert {
        path.name for folder in (place.ours.parent, place.store) for path in folder.iterdir()
    } == {
        "patterns.md",
        "heuristics.md",
    }


@pytest.mark.parametrize("is_new", [False, True])
def test_replaced_files_are_restored_when_a_later_write_fails(
    place: Place, monkeypatch: pytest.MonkeyPatch, *, is_new: bool
) -> None:
    place.write("b", USERS)
    if not is_new:
        place.write("a\r\n")
        place.ours.chmod(0o640)
    replace = os.replace

    def fail_in_the_store(source: str, target: str, **within: Any) -> None:
        if target.endswith("heuristics.md"):
            raise OSError(errno.EIO, "Input/output error")
        replace(source, target, **within)

    monkeypatch.setattr(os, "replace", fail_in_the_store)
    with (
        place.files.held() as banks,
        pytest.raises(UneditableFileError, match=r"heuristics\.md.*Input/output error"),
    ):
        place.files.write(MarkdownBanks({**banks.texts, OURS: "c", USERS: "d"}))

    left = {
        path.name: path.read_bytes()
        for path in (*place.ours.parent.iterdir(), *place.store.iterdir())
    }
    assert left == {"heuristics.md": b"b"} | ({} if is_new else {"patterns.md": b"a\r\n"})
    assert is_new or stat.S_IMODE(place.ours.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="folders can't be locked there")
def test_the_wait_for_a_locked_folder_ends_at_the_limit(place: Place) -> None:
    others = MarkdownBankFiles(str(place.project), str(place.store), lock_seconds=0)
    with (
        place.files.held(),
        pytest.raises(UneditableFileError, match=r"project.*another process.*try again"),
        others.held(),
    ):
        pass
    with others.held() as banks:
        assert set(banks.texts.values()) == {""}


def test_a_read_only_file_is_left_unchanged(place: Place) -> None:
    place.write("a")
    place.ours.chmod(0o444)
    with pytest.raises(UneditableFileError, match="read-only"):
        place.write("b")


def test_one_writer_at_a_time(place: Place) -> None:
    place.write("")

    def add() -> None:
        files = MarkdownBankFiles(str(place.project), str(place.store))
        for _ in range(20):
            with files.held() as banks:
                files.write(MarkdownBanks({**banks.texts, OURS: f"{banks.texts[OURS]}x"}))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert place.ours.read_text() == "x" * 80
