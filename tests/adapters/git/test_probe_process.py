"""The git that is run is the user's: a project can't put its own in the way."""

import os
import sys
import time
from pathlib import Path

import pytest

from hardwon.adapters.git.probe import GitChangeProbe, Surroundings, git_environment
from hardwon.domain.model.deadline import Deadline
from tests.adapters.git.repository import Canaries, repository

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the programs here are for a POSIX shell"
)

LIMITLESS = Deadline(time.monotonic)


@pytest.fixture(scope="module")
def canaries(tmp_path_factory: pytest.TempPathFactory) -> Canaries:
    return Canaries(tmp_path_factory.mktemp("git") / "canaries")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, canaries: Canaries) -> Path:
    """Return a repository with a git of its own, and links to it beside it."""
    folder = tmp_path_factory.mktemp("git")
    root = repository(folder / "project", ("a",), ("b",))
    for place in ("bin", "src/bin", "."):
        canaries.at(root / place / "git", "git")
    (folder / "link").symlink_to(root / "bin")
    (folder / "linked").mkdir()
    (folder / "linked" / "git").symlink_to(root / "bin" / "git")
    return root


@pytest.fixture
def project(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make that repository the working directory."""
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("entry", "asked_in"),
    [
        *(
            (entry, ".")
            for entry in ("", ".", "bin", "./bin", "{root}/src/../bin", "{root}/../link")
        ),
        *((entry, "src") for entry in ("bin", "{root}/bin")),
    ],
)
def test_a_git_of_the_project_is_passed_over(
    project: Path, canaries: Canaries, monkeypatch: pytest.MonkeyPatch, entry: str, asked_in: str
) -> None:
    warnings: list[str] = []
    monkeypatch.setenv("PATH", f"{entry.format(root=project)}{os.pathsep}{os.environ['PATH']}")

    assert GitChangeProbe(str(project / asked_in), warnings.append).changed_files(LIMITLESS) == (
        "b",
    )
    assert (canaries.sung(), warnings) == (set(), [])


def test_a_link_to_a_git_of_the_project_is_passed_over(
    project: Path, canaries: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{project.parent / 'linked'}{os.pathsep}{os.environ['PATH']}")

    assert GitChangeProbe(str(project), print).changed_files(LIMITLESS) == ("b",)
    assert canaries.sung() == set()


def test_without_another_git_there_is_one_line_and_no_names(
    project: Path, canaries: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setenv("PATH", f".{os.pathsep}bin{os.pathsep}{project}/bin")

    assert GitChangeProbe(str(project), warnings.append).changed_files(LIMITLESS) == ()
    assert canaries.sung() == set()
    assert len(warnings) == 1
    assert "no git on PATH" in warnings[0]


def test_git_itself_finds_its_parts_and_settings_outside_the_project_only(project: Path) -> None:
    path = os.pathsep.join(["", "bin", f"{project}/bin", "/usr/bin"])
    led_astray = {
        "GIT_EXEC_PATH": f"{project}/bin",
        "GIT_CONFIG_GLOBAL": "./config",
        "GIT_SSH_COMMAND": "x",
        "PATH": path,
    }
    environment = git_environment(
        str(project), {**led_astray, "GIT_CONFIG_SYSTEM": "/etc/gitconfig", "HOME": "/home/me"}
    )

    assert environment["PATH"] == "/usr/bin"
    assert {name for name in environment if name in {*led_astray, "GIT_CONFIG_SYSTEM", "HOME"}} == {
        "PATH",
        "GIT_CONFIG_SYSTEM",
        "HOME",
    }


def test_git_is_found_from_the_root_folder() -> None:
    assert os.path.isabs(Surroundings(os.sep).git(os.environ["PATH"]))
