"""Files that a feature branch changed, and when it began."""

import datetime as dt
import time
from pathlib import Path

import pytest

from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import git, repository

BEGUN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Branch:
    """A repository whose branch `feature/x` has left its default branch."""

    def __init__(self, root: Path, default: str = "main", name: str = "feature/x") -> None:
        self.root = repository(root, ("old.py", "kept.py"), ("later.py",))
        self.name = name
        git(self.root, "branch", "-M", default)
        git(self.root, "checkout", "--quiet", "-b", name)

    def commit(self, *names: str) -> None:
        for name in names:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"of {self.name}", encoding="utf-8")
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "-m", "x")

    def files(self, warnings: list[str], name: str | None = "") -> tuple[str, ...]:
        probe = GitChangeProbe(str(self.root), warnings.append)
        return probe.feature_files(self.name if name == "" else name, Deadline(time.monotonic))

    def begun(self, warnings: list[str]) -> dt.datetime | None:
        return GitChangeProbe(str(self.root), warnings.append).branch_started(
            self.name, Deadline(time.monotonic)
        )


@pytest.mark.parametrize("default", ["main", "develop"])
def test_the_diff_is_that_of_the_branch_and_of_what_is_not_committed(
    tmp_path: Path, warnings: list[str], default: str
) -> None:
    branch = Branch(tmp_path, default)
    branch.commit("b.py", "a.md")
    (branch.root / "kept.py").write_text("changed", encoding="utf-8")

    assert branch.files(warnings) == ("a.md", "b.py", "kept.py")
    assert branch.begun(warnings) == BEGUN
    assert warnings == []


def test_the_remotes_default_branch_comes_first(tmp_path: Path, warnings: list[str]) -> None:
    branch = Branch(tmp_path, "production")
    git(branch.root, "update-ref", "refs/remotes/origin/production", "production")
    git(branch.root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/production")
    branch.commit("b.py")
    git(branch.root, "branch", "main")

    assert branch.files(warnings) == ("b.py",)


@pytest.mark.parametrize("name", ["main", None])
def test_without_a_branch_the_last_three_commits_are_it(
    tmp_path: Path, warnings: list[str], name: str | None
) -> None:
    branch = Branch(tmp_path)
    git(branch.root, "checkout", "--quiet", "main")

    assert branch.files(warnings, name) == ("later.py",)
    assert Branch(tmp_path / "other").begun(warnings) is None


def test_more_files_than_a_search_takes_are_reported(tmp_path: Path, warnings: list[str]) -> None:
    branch = Branch(tmp_path)
    branch.commit(*(f"docs/{number:03}.md" for number in range(50)), "src/z.py")

    assert len(files := branch.files(warnings)) == 51
    assert files[-1] == "src/z.py"


def test_a_file_that_is_named_like_a_branch_is_no_branch(
    tmp_path: Path, warnings: list[str]
) -> None:
    branch = Branch(tmp_path)
    branch.commit("main", "HEAD")

    assert branch.files(warnings) == ("HEAD", "main")


def test_without_a_repository_there_are_no_files_and_no_warning(
    tmp_path: Path, warnings: list[str]
) -> None:
    probe = GitChangeProbe(str(tmp_path), warnings.append)

    assert probe.feature_files(None, Deadline(time.monotonic)) == ()
    assert probe.branch_started(None, Deadline(time.monotonic)) is None
    assert warnings == []
