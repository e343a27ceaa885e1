"""The subjects of a branch's own commits, as its log has them."""

from pathlib import Path

import pytest

from hardwon.adapters.git.reflog import LARGEST_READ, MAX_CHARACTERS, own_subjects
from tests.adapters.git.repository import git, repository


def commit(root: Path, subject: str, *options: str) -> None:
    git(root, "commit", "--quiet", "--allow-empty", *options, "-m", subject)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository on the branch `topic`, which left `main` after a commit."""
    root = repository(tmp_path / "project")
    git(root, "checkout", "--quiet", "-b", "main")
    commit(root, "Of all")
    git(root, "checkout", "--quiet", "-b", "topic")
    return root


def test_commits_of_the_branch_are_named_the_newest_first(root: Path) -> None:
    commit(root, "Read feeds")
    commit(root, "Refuse: feeds without a header\n\nWith a body.")

    assert own_subjects(str(root), "topic") == ("Refuse: feeds without a header", "Read feeds")


def test_a_commit_of_the_default_branch_is_not_the_branchs_own(root: Path) -> None:
    assert own_subjects(str(root), "topic") == ()
    assert own_subjects(str(root), "main") == ()


def test_a_merge_brings_no_subject(root: Path) -> None:
    commit(root, "Own")
    git(root, "checkout", "--quiet", "main")
    commit(root, "Of a colleague")
    git(root, "checkout", "--quiet", "topic")
    git(root, "merge", "--quiet", "--no-edit", "main")

    assert own_subjects(str(root), "topic") == ("Own",)


def test_a_branch_that_origin_names_as_its_default_has_none(root: Path) -> None:
    commit(root, "Own")
    folder = root / ".git" / "refs" / "remotes" / "origin"
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/remotes/origin/topic\n", "utf-8")

    assert own_subjects(str(root), "topic") == ()


def test_an_amended_commit_and_a_picked_one_count(root: Path) -> None:
    commit(root, "Raed feeds")
    commit(root, "Read feeds", "--amend")
    git(root, "checkout", "--quiet", "-b", "other", "main")
    commit(root, "Elsewhere")
    git(root, "checkout", "--quiet", "topic")
    git(root, "cherry-pick", "--allow-empty", "other")

    assert own_subjects(str(root), "topic")[:2] == ("Elsewhere", "Read feeds")


def test_a_linked_work_tree_has_the_subjects_of_its_branch(root: Path) -> None:
    commit(root, "Own")
    git(root, "checkout", "--quiet", "main")
    git(root, "worktree", "add", "--quiet", "../linked", "topic")

    assert own_subjects(str(root.parent / "linked"), "topic") == ("Own",)


def test_there_are_at_most_five_and_long_ones_are_cut(root: Path) -> None:
    for number in range(7):
        commit(root, f"{number} {'x' * 300}")

    subjects = own_subjects(str(root), "topic")

    assert [subject[0] for subject in subjects] == ["6", "5", "4", "3", "2"]
    assert {len(subject) for subject in subjects} == {MAX_CHARACTERS}


@pytest.mark.parametrize(
    "log",
    [b"", b"\tcommit: ", b"\xff\tcommit: \xfe", b"commit: no tab", b"a\t" * LARGEST_READ],
    ids=["empty", "without a subject", "no text", "without a tab", "many tabs"],
)
def test_a_log_of_any_bytes_is_read(root: Path, log: bytes) -> None:
    (root / ".git" / "logs" / "refs" / "heads" / "topic").write_bytes(log)

    assert all(isinstance(subject, str) for subject in own_subjects(str(root), "topic"))


@pytest.mark.parametrize("branch", ["gone", "a\0b", "x" * 5000])
def test_without_a_log_there_is_none(root: Path, branch: str) -> None:
    assert own_subjects(str(root), branch) == ()


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    assert own_subjects(str(tmp_path), "topic") == ()
