import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.adapters.git.identity import checked_out_branch, main_work_tree
from tests.machine import LONGEST_WAIT


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-b", "feature/two-words")
    git(folder, "commit", "--allow-empty", "-m", "one")
    return folder


def test_the_branch_is_named_from_anywhere_inside(repository: Path) -> None:
    inside = repository / "src" / "deep"
    inside.mkdir(parents=True)

    assert (
        checked_out_branch(str(repository))
        == checked_out_branch(str(inside))
        == "feature/two-words"
    )


def test_a_linked_work_tree_has_its_own_branch(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-b", "fix", str(tmp_path / "linked"))

    assert checked_out_branch(str(tmp_path / "linked")) == "fix"


def test_all_folders_and_work_trees_of_a_repository_have_one_main_work_tree(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "commit", "--allow-empty", "-m", "two")
    git(repository, "worktree", "add", "-b", "fix", str(tmp_path / "linked"))
    git(
        repository, "-c", "protocol.file.allow=always", "submodule", "add", str(repository), "inner"
    )
    places = (repository / "src", repository, tmp_path / "linked" / "src")
    for place in places:
        place.mkdir(exist_ok=True)
    (tmp_path / "link").symlink_to(repository / "src")

    assert {main_work_tree(str(place)) for place in (*places, tmp_path / "link")} == {
        str(repository.resolve())
    }
    assert main_work_tree(str(repository / "inner")) == str((repository / "inner").resolve())
    assert main_work_tree(str(tmp_path)) == str(tmp_path.resolve())


def test_without_a_branch_there_is_none(repository: Path, tmp_path: Path) -> None:
    git(repository, "checkout", "--detach")

    assert checked_out_branch(str(repository)) is None
    assert checked_out_branch(str(tmp_path / "nowhere")) is None
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")  # as with reftable
    assert checked_out_branch(str(repository)) is None


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"gitdir: /nowhere", b"gitdir: a\0b", b"x" * 10_000]
)
def test_an_odd_git_file_is_no_branch(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)

    assert checked_out_branch(str(tmp_path)) is None
    assert main_work_tree(str(tmp_path)) == str(tmp_path.resolve())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("name", [".git", ".git/HEAD"])
def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)

    ask = f"from hardwon.adapters.git.identity import checked_out_branch as ask; print(ask({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", ask],
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST_WAIT,
    )
    assert done.stdout == "None\n"
