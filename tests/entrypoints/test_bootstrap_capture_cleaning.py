"""Cleaning of the texts of a project, also when it is reached by links."""

from pathlib import Path

import pytest

from hardwon.entrypoints.bootstrap_capture import cleaning_for


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project that a link leads to, in a user's folder that another leads to."""
    real = tmp_path.resolve()
    (real / "home" / "project").mkdir(parents=True)
    (real / "link").symlink_to(real / "home" / "project")
    (real / "me").symlink_to(real / "home")
    monkeypatch.setenv("HOME", str(real / "me"))
    monkeypatch.setenv("PWD", str(real))
    return real


def test_both_names_of_the_project_and_of_the_home_go(project: Path) -> None:
    text = f"{project}/link/a.py {project}/home/project/b.py {project}/me/c.py {project}/home/d.py"

    assert cleaning_for(f"{project}/link")(text) == "a.py b.py ~/c.py ~/d.py"


def test_the_name_by_which_the_shell_reached_it_goes_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "home" / "project")
    monkeypatch.setenv("PWD", f"{project}/link")

    assert cleaning_for(".")(f"{project}/link/a.py {project}/home/project/b.py") == "a.py b.py"


def test_where_the_shell_is_elsewhere_its_folder_stays(project: Path) -> None:
    assert cleaning_for(f"{project}/home/project")(f"{project}/link/a.py") == f"{project}/link/a.py"


def test_without_a_project_only_the_home_goes(project: Path) -> None:
    assert (
        cleaning_for("")(f"{project}/link/a.py {project}/me/b.py") == f"{project}/link/a.py ~/b.py"
    )
