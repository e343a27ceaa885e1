"""A repository's own files never get git to run a program of theirs."""

import sys
import time
from pathlib import Path

import pytest

from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import (
    QUIET,
    Canaries,
    fake_git,
    forge_clean_state,
    git,
    hostile_repository,
    lacking_repository,
    repository,
)

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs here are for a POSIX shell"
)

LIMITLESS = Deadline(time.monotonic)


@pytest.fixture
def canaries(tmp_path: Path) -> Canaries:
    return Canaries(tmp_path / "canaries")


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Canaries]:
    """Return a repository that names a program wherever it can, and the record of those that ran; it is only to be read."""
    folder = tmp_path_factory.mktemp("hostile")
    canaries = Canaries(folder / "canaries")
    return hostile_repository(folder / "project", canaries), canaries


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return []


def test_settings_of_a_repository_run_nothing(
    everywhere: tuple[Path, Canaries], warnings: list[str]
) -> None:
    root, canaries = everywhere
    canaries.silence()
    probe = GitChangeProbe(str(root), warnings.append)

    assert {"code.c", "notes.txt"} <= {*probe.changed_files(LIMITLESS)}
    assert probe.uncommitted_files(LIMITLESS) == ("code.c", "notes.txt")
    assert {"code.c", "notes.txt"} <= {*probe.present_files(LIMITLESS)}
    assert {"code.c", "notes.txt"} <= {*probe.feature_files("topic", LIMITLESS)}
    assert probe.branch_started("topic", LIMITLESS) is None
    assert (canaries.sung(), warnings) == (set(), [])


def test_files_that_git_compares_go_through_no_filter(
    tmp_path: Path, canaries: Canaries, warnings: list[str]
) -> None:
    root = hostile_repository(tmp_path / "project", canaries)
    forge_clean_state(root)
    canaries.silence()
    probe = GitChangeProbe(str(root), warnings.append)

    assert probe.uncommitted_files(LIMITLESS) == ()
    assert not {"code.c", "notes.txt"} & {*probe.present_files(LIMITLESS)}
    assert probe.changed_files(LIMITLESS)
    assert (canaries.sung(), warnings) == (set(), [])


def test_the_canaries_do_sing_for_a_git_that_is_asked_carelessly(
    everywhere: tuple[Path, Canaries],
) -> None:
    root, canaries = everywhere
    off = ("-c", "filter.spoken.process=", "-c", "filter.spoken.required=false")
    git(root, *off, "diff", "--name-only", "HEAD")

    assert {"fsmonitor", "clean", "submodule"} <= canaries.sung()


def test_nothing_is_fetched_for_a_repository_that_lacks_something(
    tmp_path: Path, canaries: Canaries, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lacking_repository(tmp_path / "project", canaries)

    assert GitChangeProbe(str(root), warnings.append).changed_files(LIMITLESS) == ()
    assert warnings == []
    of_an_older_git = {"GIT_ALLOW_PROTOCOL": ""}
    monkeypatch.setattr("hardwon.adapters.git.probe.NO_CONVERSATION", of_an_older_git)
    assert GitChangeProbe(str(root), warnings.append).changed_files(LIMITLESS) == ()
    assert canaries.sung() == set()


@pytest.mark.parametrize(
    "drivers",
    [["odd=name"], [f"driver{number}" for number in range(10)]],
    ids=["odd name", "too many"],
)
def test_git_is_not_asked_where_filters_cannot_be_switched_off(
    tmp_path: Path, canaries: Canaries, warnings: list[str], drivers: list[str]
) -> None:
    root = repository(tmp_path / "project", ("notes.txt",))
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text(f"*.txt filter={drivers[0]}\n", "utf-8")
    sections = "".join(
        f'[filter "{driver}"]\nclean = {canaries.program("clean")}\nprocess = {canaries.program("clean")}\n'
        for driver in drivers
    )
    with (root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(sections)
    (root / "notes.txt").write_text("changed", "utf-8")

    assert GitChangeProbe(str(root), print).present_files(LIMITLESS) == ()
    assert GitChangeProbe(str(root), warnings.append).uncommitted_files(LIMITLESS) == ()
    assert canaries.sung() == set()
    assert len(warnings) == 1
    assert "filters can't be switched off" in warnings[0]


def test_git_is_not_asked_where_the_filters_cannot_be_listed(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "told"
    fake_git(
        tmp_path / "bin", f'case "$*" in *get-regexp*) exit 3;; esac; touch {witness}', monkeypatch
    )

    assert (
        GitChangeProbe(str(tmp_path / "project"), warnings.append).uncommitted_files(LIMITLESS)
        == ()
    )
    assert not witness.exists()
    assert len(warnings) == 1


def test_a_folder_of_a_clone_that_looks_like_a_repository_is_none(
    tmp_path: Path, canaries: Canaries, warnings: list[str]
) -> None:
    root = repository(tmp_path / "project", ("a",), ("b",))
    bare = root / "docs"
    git(root, *QUIET, "clone", "--quiet", "--bare", str(root), str(bare))
    git(bare, "config", "core.fsmonitor", canaries.program("fsmonitor"))
    probe = GitChangeProbe(str(bare), warnings.append)

    assert (probe.changed_files(LIMITLESS), probe.uncommitted_files(LIMITLESS)) == ((), ())
    assert probe.present_files(LIMITLESS) == ()
    assert (canaries.sung(), warnings) == (set(), [])
