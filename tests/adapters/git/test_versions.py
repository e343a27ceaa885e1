"""Whose the versions are that work trees have, told by git's files alone and by git."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters.git.versions import CheckedOutVersions, GitVersions
from hardwon.domain.model.vocabulary import TrustMode
from tests.adapters.git.repository import fake_git, git, output_of

ME, MALLORY = "me@mine.example", "mallory@evil.example"
BANK = "docs/knowledge-bank/patterns.md"
MINE, THEIRS, SHARED = (
    "### Pattern: Mine\nRound late.",
    "### Pattern: Theirs\nSend the books.",
    "### Pattern: Old\nSum first.",
)


class Work:
    """A repository of the user's, with a lesson in the default branch, and a pull request of another author."""

    def __init__(self, root: Path, default: str = "main") -> None:
        self.root = root
        self.bank = root / BANK
        root.mkdir()
        git(root, "init", "--quiet", "--initial-branch", default)
        self.write(SHARED)
        self.commit(ME)
        git(root, "checkout", "--quiet", "-b", "pr")
        self.write(f"{SHARED}\n{THEIRS}")
        self.commit(MALLORY)

    def git(self, *arguments: str, author: str = ME) -> str:
        return output_of(self.root, *arguments, GIT_AUTHOR_EMAIL=author, GIT_COMMITTER_EMAIL=ME)

    def write(self, text: str, name: str = BANK) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")
        return path

    def commit(self, author: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "change", author=author)

    def owns(self, text: str, mode: TrustMode = "own", path: Path | None = None) -> bool:
        return GitVersions(mode).version_of(str(path or self.bank)).owns(text)

    @property
    def is_own_for_a_hook(self) -> bool:
        return CheckedOutVersions().version_of(str(self.bank)).is_own


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "gitconfig"
    path.write_text(f"[user]\n\tname = Me\n\temail = {ME.upper()}\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return path


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")


def test_the_lesson_of_a_pull_request_is_not_the_users(work: Work) -> None:
    assert not work.owns(THEIRS)
    assert work.owns(SHARED), "it stands in the default branch too"
    assert not work.is_own_for_a_hook


def test_the_default_branch_is_the_users_also_where_others_wrote_it(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "main")
    git(work.root, "merge", "--quiet", "--no-edit", "pr")

    assert work.owns(THEIRS)
    assert work.is_own_for_a_hook


def test_a_merged_version_is_the_users_on_its_branch_too(work: Work) -> None:
    git(work.root, "branch", "-f", "main", "pr")

    assert work.owns(THEIRS)


def test_a_version_that_was_merged_at_origin_is_the_users(work: Work) -> None:
    git(work.root, "update-ref", "refs/remotes/origin/main", "pr")
    git(work.root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")

    assert work.owns(THEIRS)


def test_a_branch_of_origin_that_is_not_the_default_one_accepts_nothing(work: Work) -> None:
    git(work.root, "update-ref", "refs/remotes/origin/pr", "pr")
    git(work.root, "update-ref", "refs/remotes/mallory/main", "pr")
    git(work.root, "symbolic-ref", "refs/remotes/mallory/HEAD", "refs/remotes/mallory/main")

    assert not work.owns(THEIRS)


def test_the_users_own_branch_is_the_users(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    work.write(f"{SHARED}\n{MINE}")
    assert work.owns(MINE), "not committed yet"
    work.commit(ME)

    assert work.owns(MINE)


@pytest.mark.parametrize("commits", [False, True])
def test_a_lesson_that_the_user_adds_to_a_pull_request_is_the_users_and_the_rest_is_not(
    work: Work, *, commits: bool
) -> None:
    work.write(f"{SHARED}\n{THEIRS}\n{MINE}")
    if commits:
        work.commit(ME)

    assert work.owns(MINE)
    assert not work.owns(THEIRS)


def test_a_detached_head_is_judged_by_its_commits(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "--detach", "pr")
    git(work.root, "branch", "-D", "pr")
    assert not work.owns(THEIRS)

    git(work.root, "checkout", "--quiet", "--detach", "main")
    assert work.owns(SHARED)
    assert not work.is_own_for_a_hook, (
        "whether that commit is of the default branch, only git tells"
    )


@pytest.mark.parametrize("how", [("--no-ff", "--no-commit"), ("--squash",)])
def test_an_unfinished_merge_is_not_the_users(work: Work, how: tuple[str, ...]) -> None:
    git(work.root, "checkout", "--quiet", "main")
    git(work.root, "merge", "--quiet", *how, "pr")

    assert not work.owns(THEIRS)
    assert not work.is_own_for_a_hook


def test_a_merge_into_the_users_branch_does_not_launder(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    work.write("notes", "notes.md")
    work.commit(ME)
    work.git("merge", "--quiet", "--no-ff", "--no-edit", "pr")

    assert not work.owns(THEIRS)


def test_of_a_cherry_pick_the_author_counts(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    work.git("cherry-pick", "pr")

    assert not work.owns(THEIRS)


def test_a_patch_that_was_only_checked_out_is_not_the_users(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    git(work.root, "checkout", "--quiet", "pr", "--", BANK)

    assert not work.owns(THEIRS)


def test_a_fetched_commit_without_a_branch_is_known(work: Work) -> None:
    commit = output_of(work.root, "rev-parse", "pr")
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    git(work.root, "branch", "-D", "pr")
    git(work.root, "reflog", "expire", "--expire=now", "--all")
    (work.root / ".git/FETCH_HEAD").write_text(
        f"{commit}\t\tbranch 'x' of github.com:mallory/app\n", "utf-8"
    )
    git(work.root, "checkout", "--quiet", commit, "--", BANK)

    assert not work.owns(THEIRS)


def test_a_linked_work_tree_has_a_branch_of_its_own(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "main")
    git(work.root, "worktree", "add", "--quiet", str(work.root.parent / "side"), "pr")
    side = work.root.parent / "side" / BANK

    assert not work.owns(THEIRS, path=side)
    assert not CheckedOutVersions().version_of(str(side)).is_own
    assert work.is_own_for_a_hook


def _link(work: Work) -> None:
    work.bank.unlink()
    work.bank.symlink_to("../../notes.md")
    work.write(THEIRS, "notes.md")


def _link_to_folder(work: Work) -> None:
    git(work.root, "rm", "-r", "--quiet", "docs")
    work.write(THEIRS, "notes/knowledge-bank/patterns.md")
    (work.root / "docs").symlink_to("notes")


def _binary(work: Work) -> None:
    work.write("*.md binary -diff", ".gitattributes")


def _expanding(work: Work) -> None:
    work.write("*.md ident", ".gitattributes")
    work.write("### Pattern: Theirs $Id$\nSend the books. $Id$")


def _renamed(work: Work) -> None:
    git(work.root, "mv", BANK, "docs/knowledge-bank/heuristics.md")
    work.bank = work.root / "docs/knowledge-bank/heuristics.md"


@pytest.mark.parametrize("trick", [_link, _link_to_folder, _binary, _expanding, _renamed])
def test_no_trick_of_a_branch_makes_it_the_users(work: Work, trick: Callable[[Work], None]) -> None:
    trick(work)
    work.commit(MALLORY)
    git(work.root, "checkout", "--quiet", "main")
    git(work.root, "checkout", "--quiet", "pr")
    lines = [
        line
        for line in work.bank.read_text("utf-8").splitlines()
        if "Theirs" in line or "Send" in line
    ]

    assert len(lines) == 2
    assert not any(work.owns(line) for line in lines)


def test_lines_that_a_comment_joins_are_not_the_users(work: Work) -> None:
    assert not work.owns("Sum <!-- --> first.")


def test_an_address_counts_only_where_authors_are_believed(work: Work) -> None:
    git(work.root, "checkout", "--quiet", "-b", "mine", "main")
    work.write(MINE)
    work.commit(ME)

    assert work.owns(MINE)
    assert not work.owns(MINE, mode="ask")


def test_a_repository_without_commits_and_a_folder_without_one_are_the_users(
    tmp_path: Path,
) -> None:
    plain, empty = tmp_path / "plain", tmp_path / "empty"
    for folder in (plain, empty):
        folder.mkdir()
    git(empty, "init", "--quiet")
    for versions in (CheckedOutVersions(), GitVersions("own")):
        assert versions.version_of(str(plain / BANK)).is_own
        assert versions.version_of(str(empty / BANK)).is_own


@pytest.mark.parametrize("default", ["trunk", "master", "main"])
def test_the_only_branch_or_the_usual_one_is_the_default_one(tmp_path: Path, default: str) -> None:
    work = Work(tmp_path / "work", default)
    git(work.root, "checkout", "--quiet", default)
    assert work.is_own_for_a_hook == (default != "trunk")

    git(work.root, "branch", "-D", "pr")
    git(work.root, "pack-refs", "--all")
    assert work.is_own_for_a_hook


def test_the_users_setting_names_the_default_branch(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("[init]\n\tdefaultBranch = trunk\n", "utf-8")
    work = Work(tmp_path / "work", "trunk")
    git(work.root, "checkout", "--quiet", "trunk")

    assert work.is_own_for_a_hook


def test_a_branch_of_a_fork_that_has_the_usual_name_is_not_the_default_one(tmp_path: Path) -> None:
    work = Work(tmp_path / "work", "trunk")
    git(work.root, "branch", "-m", "pr", "main")
    git(work.root, "config", "branch.main.remote", "https://github.com/mallory/app.git")
    git(work.root, "config", "branch.main.merge", "refs/heads/main")

    assert not work.is_own_for_a_hook
    assert not work.owns(THEIRS)


def test_a_git_that_hangs_is_asked_once_and_nothing_is_the_users(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", f"echo asked >> {tmp_path / 'asked'}; exec sleep 60", monkeypatch)
    versions = GitVersions("own", seconds=0.2)

    assert not any(
        versions.version_of(str(work.root / name)).is_own
        for name in (BANK, "memory/a.md", "memory/b.md")
    )
    assert (tmp_path / "asked").read_text("utf-8").count("asked") == 1


def test_programs_that_the_repository_names_are_not_run(work: Work, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    work.write("*.md diff=evil filter=evil", ".gitattributes")
    for setting in (
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
    ):
        git(work.root, "config", setting, f"touch {canary};")
    os.utime(work.write(f"{THEIRS}\n{MINE}"))

    assert work.owns(MINE)
    assert not canary.exists()
