"""Files are whole and on the disk when they have their name; what killed processes left is removed."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest

from hardwon.adapters.agents import user_files
from hardwon.adapters.durable import LONGEST_WRITE, remove_unfinished, temporary_name, written_file
from hardwon.adapters.folder import Folder
from hardwon.adapters.markdown import whole_files


@pytest.fixture
def flushed() -> Iterator[list[str]]:
    """Note the path of what each `fsync` flushes, in order."""
    fsync, paths = os.fsync, list[str]()

    def note(descriptor: int) -> None:
        paths.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    with mock.patch.object(os, "fsync", note):
        yield paths


WRITERS: dict[str, Callable[[str], None]] = {
    "a new markdown file": lambda path: whole_files.create_file(path, "text"),
    "a markdown file in place of another": lambda path: whole_files.replace_file(path, "text"),
    "several files": lambda path: whole_files.write_together(
        [whole_files.FileChange(path, "text", 0o644, "", None)]
    ),
    "an agent's settings": lambda path: user_files.publish(path, b"{}"),
}


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors have names on Linux")
@pytest.mark.parametrize("writer", WRITERS)
def test_content_is_flushed_before_the_name_and_the_name_after_it(
    tmp_path: Path, flushed: list[str], writer: str
) -> None:
    path = tmp_path / "file.md"
    WRITERS[writer](str(path))

    assert path.exists()
    [content, name] = flushed
    assert content.startswith(f"{path}.")
    assert name == str(tmp_path)


def test_a_replaced_file_is_whole_before_it_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    with written_file(str(path)) as file:
        file.write(b"new")
        assert path.read_text(encoding="utf-8") == "old"

    assert path.read_text(encoding="utf-8") == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_temporary_files_of_killed_processes_are_swept_after_an_hour(tmp_path: Path) -> None:
    own, young = tmp_path / f"a.md.{'0' * 16}.tmp", tmp_path / f"b.md.{'1' * 16}.tmp"
    of_user = [tmp_path / name for name in ("notes.tmp", "a.md.123.tmp", f"{'0' * 16}.tmp.md")]
    folder = tmp_path / f"c.{'2' * 16}.tmp"
    folder.mkdir()
    for path in (own, young, *of_user):
        path.write_text("x", encoding="utf-8")
    long_ago = time.time() - LONGEST_WRITE - 60
    for path in (own, folder, *of_user):
        os.utime(path, (long_ago, long_ago))
    with Folder(str(tmp_path)) as at:
        temporary_name(at, "a.md")

    assert {path.name for path in tmp_path.iterdir()} == {
        young.name,
        folder.name,
        *(path.name for path in of_user),
    }


def test_the_next_write_in_a_folder_sweeps_it(tmp_path: Path) -> None:
    left = tmp_path / f"a.md.{'0' * 16}.tmp"
    left.write_text("x", encoding="utf-8")
    os.utime(left, (0, 0))
    whole_files.create_file(str(tmp_path / "b.md"), "text")

    assert os.listdir(tmp_path) == ["b.md"]


def test_an_unfinished_file_that_holds_a_forgotten_text_is_removed_at_once(tmp_path: Path) -> None:
    holding, other = tmp_path / f"a.md.{'0' * 16}.tmp", tmp_path / f"b.md.{'1' * 16}.tmp"
    of_user = tmp_path / "a.md"
    for path, text in ((holding, "x quixoblate"), (other, "x"), (of_user, "quixoblate")):
        path.write_text(text, encoding="utf-8")
    remove_unfinished(str(tmp_path), lambda text: "quixoblate" in text)

    assert {path.name for path in tmp_path.iterdir()} == {other.name, of_user.name}
