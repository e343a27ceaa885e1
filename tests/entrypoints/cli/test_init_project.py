"""The folder that `hardwon init` takes for the project."""

from pathlib import Path

import pytest

from hardwon.entrypoints.cli.init import find_project
from hardwon.entrypoints.cli.setup_output import SetupFolder
from tests.entrypoints.folders import home
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank, hardwon


def project_of(folder: Path, home: Path, named: str | None = None) -> tuple[str, str | None]:
    folder.mkdir(parents=True, exist_ok=True)
    return find_project(named, str(folder), str(home))


def test_it_is_the_root_of_the_repository_or_the_folder_outside_of_any(tmp_path: Path) -> None:
    me, code = tmp_path / "home", tmp_path / "home" / "code"
    (code / ".git").mkdir(parents=True)
    (code / "linked").mkdir()
    (code / "linked" / ".git").write_text("gitdir: elsewhere\n")
    for folder, root in (
        (code, code),
        (code / "src" / "x", code),
        (code / "linked" / "y", code / "linked"),
    ):
        assert project_of(folder, me) == SetupFolder(str(root), str(root))
    assert project_of(me / "loose", me) == SetupFolder(str(me / "loose"), str(me / "loose"))
    assert project_of(code / "src", me, str(code / "src")) == SetupFolder(
        str(code / "src"), str(code / "src")
    )


@pytest.mark.parametrize("repository", ["", "home/.git", ".git"])
def test_it_is_never_the_users_home_nor_above_even_where_that_is_a_repository(
    tmp_path: Path, repository: str
) -> None:
    me = tmp_path / "home"
    (tmp_path / repository).mkdir(parents=True, exist_ok=True)
    for folder in (me, tmp_path):
        assert project_of(folder, me) == SetupFolder(str(folder), None)
    assert project_of(me / "loose", me) == SetupFolder(str(me / "loose"), str(me / "loose"))


def test_from_a_folder_within_the_whole_repository_is_set_up(world_by_word: World) -> None:
    world = world_by_word
    (world.project / ".git").mkdir()
    world.write_bank("patterns", bank("Pattern: Lock the store"))
    root, world.project = world.project, world.project / "src"
    world.project.mkdir()

    done = hardwon(world, "init", "--agent", "claude-code", "--mcp-json", "--yes", "--json")

    assert (done.code, done.document["project"], done.document["imported"]["added"]) == (
        0,
        str(root),
        1,
    )
    assert (root / ".mcp.json").is_file()
    assert list(world.project.iterdir()) == []


def test_in_the_home_no_file_of_a_project_is_written(empty_world: World) -> None:
    empty_world.project = home(empty_world)

    done = hardwon(empty_world, "init", "--agent", "claude-code", "--mcp-json", "--dry-run")

    assert done.stdout.startswith(
        f"Project: {home(empty_world)} is no project: nothing is written into it;"
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("create ")] == [
        f"create {home(empty_world)}/.claude/settings.json"
    ]
