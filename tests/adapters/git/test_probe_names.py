import os
import sys
import time
from pathlib import Path

import pytest

from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import ask, git, repository


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        (0, ()),
        (1, ()),
        (2, ("file1",)),
        (3, ("file2",)),
        (4, ("file1", "file2", "file3")),
        (5, ("file2", "file3", "file4")),
    ],
)
def test_the_last_three_commits_count_else_the_last_one(
    tmp_path: Path, warnings: list[str], commits: int, expected: tuple[str, ...]
) -> None:
    root = repository(tmp_path, *((f"file{number}",) for number in range(commits)))

    assert ask(root, warnings) == expected
    assert warnings == []


def test_files_that_differ_from_the_last_commit_are_uncommitted(
    tmp_path: Path, warnings: list[str]
) -> None:
    root = repository(tmp_path, ("kept.py", "staged.py", "changed.py"))
    for name in ("staged.py", "changed.py", "unknown.py"):
        (root / name).write_text("changed", "utf-8")
    git(root, "add", "staged.py")
    probe = GitChangeProbe(str(root), warnings.append)

    assert probe.uncommitted_files(Deadline(time.monotonic)) == ("changed.py", "staged.py")
    assert (
        GitChangeProbe(str(tmp_path.parent), warnings.append).uncommitted_files(
            Deadline(time.monotonic)
        )
        == ()
    )
    assert warnings == []


def test_present_files_are_staged_changed_and_new_ones_in_this_order(
    tmp_path: Path, warnings: list[str]
) -> None:
    root = repository(tmp_path, ("kept.py", "a changed.py", "staged.py", "moved.py", "gone.py"))
    (root / ".gitignore").write_text("*.log\n", "utf-8")
    git(root, "add", ".gitignore")
    git(root, "commit", "--quiet", "-m", "ignored")
    for name in ("a changed.py", "staged.py", "a new.py", "ignored.log"):
        (root / name).write_text("changed", "utf-8")
    (root / "folder").mkdir()
    (root / "folder" / "new.py").write_text("new", "utf-8")
    (root / "gone.py").unlink()
    git(root, "mv", "moved.py", "z moved.py")
    git(root, "add", "staged.py")
    probe = GitChangeProbe(str(root), warnings.append)

    assert probe.present_files(Deadline(time.monotonic)) == (
        *("moved.py", "staged.py", "z moved.py"),
        *("a changed.py", "gone.py"),
        *("a new.py", "folder/"),
    )
    outside = GitChangeProbe(str(tmp_path.parent), warnings.append)
    assert outside.present_files(Deadline(time.monotonic)) == ()
    assert warnings == []


def test_of_a_repository_without_a_commit_all_files_are_new(
    tmp_path: Path, warnings: list[str]
) -> None:
    root = repository(tmp_path)
    (root / "first.py").write_text("new", "utf-8")

    assert GitChangeProbe(str(root), warnings.append).present_files(Deadline(time.monotonic)) == (
        "first.py",
    )


def test_names_come_unquoted(tmp_path: Path, warnings: list[str]) -> None:
    names = ("a b.py", "line\nbreak.py", 'quo"te.py', "src/naïve.py", "日本語.md")
    root = repository(tmp_path, ("first",), names)

    assert sorted(ask(root, warnings)) == sorted(names)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_a_name_that_is_no_utf8_is_replaced(tmp_path: Path, warnings: list[str]) -> None:
    root = repository(tmp_path, ("first",))
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.py")).touch()
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "latin-1")

    assert ask(root, warnings) == ("caf\ufffd.py",)


def test_at_most_twenty_names_come_back(tmp_path: Path, warnings: list[str]) -> None:
    root = repository(tmp_path, ("first",), tuple(f"file{number:02}" for number in range(25)))

    assert ask(root, warnings) == tuple(f"file{number:02}" for number in range(20))
    assert warnings == []


def test_a_file_named_like_the_range_is_not_mistaken_for_it(
    tmp_path: Path, warnings: list[str]
) -> None:
    root = repository(tmp_path, ("HEAD~1..HEAD", "HEAD~3..HEAD"), ("second",))

    assert ask(root, warnings) == ("second",)


def test_the_environment_of_an_outer_git_hook_is_ignored(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = repository(tmp_path / "outer", ("x",), ("outer",))
    inner = repository(tmp_path / "inner", ("y",), ("inner",))
    monkeypatch.setenv("GIT_DIR", str(outer / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(outer))
    monkeypatch.setenv("GIT_INDEX_FILE", str(outer / ".git/index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")

    assert ask(inner, warnings) == ("inner",)


def test_settings_of_the_repository_do_not_change_the_names(
    tmp_path: Path, warnings: list[str]
) -> None:
    root = repository(tmp_path, ("sub/x",), ("top", "sub/y"))
    for setting in (
        "diff.relative=true",
        "diff.noprefix=true",
        "color.ui=always",
        "core.pager=false",
    ):
        git(root, "config", *setting.split("="))

    assert ask(root / "sub", warnings) == ("sub/y", "top")


@pytest.mark.parametrize(
    "root", ["plain", "missing", ""], ids=["no repository", "no folder", "no name"]
)
def test_a_folder_without_a_repository_has_no_names_and_no_warning(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert ask(root, warnings) == ()
    assert warnings == []


def test_no_deadline_waits(tmp_path: Path, warnings: list[str]) -> None:
    root = repository(tmp_path, ("first",), ("second",))

    assert GitChangeProbe(str(root), warnings.append).changed_files(Deadline(time.monotonic)) == (
        "second",
    )
