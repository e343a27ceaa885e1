"""`hardwon init --remove` takes out what was written, and says what it could not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hardwon.adapters.agents.setup_record import JsonSetupRecord
from hardwon.adapters.agents.user_files import DiskUserFiles
from hardwon.domain.use_cases.setting_up.set_up import SetUp
from hardwon.entrypoints.cli.setup_files import plan_removal, plan_set_up, undo, write_files
from hardwon.entrypoints.composition.agents import build_set_up
from hardwon.ports.agent import Agent
from tests.entrypoints.hook_process import World
from tests.entrypoints.setting_up import agents_of, home, init, tree


@pytest.fixture
def agents(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> list[Agent]:
    return agents_of(empty_world, monkeypatch)


def written(world: World, agents: Sequence[Agent]) -> SetUp:
    set_up = build_set_up(str(world.store))
    assert write_files(set_up, plan_set_up(set_up, agents, str(world.project)), str(world.project)).refused == ()
    return set_up


def removed_from(elsewhere: Path, world: World, agents: Sequence[Agent]) -> tuple[str, ...]:
    """Undo it as another run does, in another project; return what was left."""
    set_up = build_set_up(str(world.store))
    plan = plan_removal(set_up, agents, str(elsewhere))
    assert undo(set_up, plan, everything=True).refused == ()
    return plan.left


def test_what_could_not_be_taken_out_is_told_until_it_can(empty_world: World, agents: list[Agent]) -> None:
    before = tree(home(empty_world), empty_world.project)
    written(empty_world, agents[1:2])
    hooks, config = (home(empty_world) / ".codex" / name for name in ("hooks.json", "config.toml"))
    for path in (hooks, config):
        path.chmod(0o444)

    scripted = init(empty_world, "--remove", "--yes", "--json")
    assert (scripted.code, scripted.document["written"], len(scripted.document["refused"])) == (1, False, 2)
    assert scripted.stderr == "".join(
        f"Warning: not undone: {path}: read-only: allow writing; nothing was taken out of it\n"
        for path in (hooks, config)
    )

    config.chmod(0o644)
    half = init(empty_world, "--remove", "-y")
    assert half.code == 1
    assert f"Not all is gone: 1 file or folder was left. Memories stay in {empty_world.store}" in half.stdout

    hooks.chmod(0o644)
    whole = init(empty_world, "--remove", "--yes")
    assert (whole.code, "What hardwon wrote is gone. Memories stay" in whole.stdout) == (0, True)
    assert tree(home(empty_world), empty_world.project) == before
    assert not (empty_world.store / "setup.json").exists()


class DyingFiles(DiskUserFiles):
    """Files of a process that is killed while it writes the last command."""

    def write(self, path: str, text: str, root: str) -> None:
        if path.endswith("save.md"):
            raise KeyboardInterrupt
        super().write(path, text, root)


def test_a_project_in_which_a_set_up_was_killed_is_undone_from_anywhere(
    empty_world: World, agents: list[Agent], tmp_path: Path
) -> None:
    before = tree(home(empty_world), empty_world.project)
    dying = SetUp(files=DyingFiles(), record=JsonSetupRecord(str(empty_world.store)))
    with pytest.raises(KeyboardInterrupt):
        write_files(dying, plan_set_up(dying, agents, str(empty_world.project)), str(empty_world.project))
    assert (empty_world.project / ".claude/commands/recall.md").is_file()

    assert removed_from(tmp_path, empty_world, agents) == ()
    assert tree(home(empty_world), empty_world.project) == before
    assert not (empty_world.store / "setup.json").exists()


def test_a_project_that_is_not_there_stays_noted_and_is_undone_when_it_is_back(
    empty_world: World, agents: list[Agent], tmp_path: Path
) -> None:
    before = tree(home(empty_world), empty_world.project)
    written(empty_world, agents)
    away = empty_world.project.rename(tmp_path / "away")
    left = removed_from(tmp_path, empty_world, agents)
    assert left == (f"{empty_world.project}: not there now: what was written in it stays noted",)

    away.rename(empty_world.project)
    assert removed_from(tmp_path, empty_world, agents) == ()
    assert tree(home(empty_world), empty_world.project) == before
    assert not (empty_world.store / "setup.json").exists()
