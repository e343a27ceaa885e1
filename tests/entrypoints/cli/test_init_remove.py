"""`hardwon init --remove` removes what was written and reports what it could not."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from hardwon.adapters.agents.user_files import DiskUserFiles, JsonSetupRecord
from hardwon.domain.use_cases.setup import SetUp
from hardwon.entrypoints.bootstrap_agents import FOLDERS, build_agents, build_set_up
from hardwon.entrypoints.cli.setup_output import gone_of
from hardwon.ports.agents import Agent, SetupWrite
from tests.entrypoints.folders import agents_of, home, init, tree
from tests.entrypoints.hook_process import World


@pytest.fixture
def agents(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> list[Agent]:
    return agents_of(empty_world, monkeypatch)


def written(world: World, agents: Sequence[Agent]) -> SetUp:
    set_up = build_set_up(str(world.store))
    assert (
        set_up.carry_out(set_up.plan_for(agents, str(world.project)), str(world.project)).refused
        == ()
    )
    return set_up


def removed_from(elsewhere: Path, world: World, agents: Sequence[Agent]) -> list[str]:
    """Undo it as another run does, in another project; return what was left."""
    set_up = build_set_up(str(world.store))
    plan = set_up.plan_removal(agents, str(elsewhere))
    assert set_up.undo(plan, everything=True).refused == ()
    return [f"{file.path}: {file.reason}" for file in plan.left]


@pytest.mark.parametrize(
    ("line", "code"), [("// mine", 0), ('// "command": "/opt/bin/hardwon-hook"', 1)]
)
def test_a_file_that_is_no_plain_json_is_left_only_where_it_names_hardwon(
    empty_world: World, line: str, code: int
) -> None:
    settings = home(empty_world) / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(text := f'{{\n  {line}\n  "permissions": {{}}\n}}\n')

    removed = init(empty_world, "--remove", "--yes")

    assert (removed.code, "not plain JSON" in removed.stderr) == (code, bool(code))
    assert settings.read_text() == text


def test_a_part_that_cannot_be_removed_is_reported_until_it_can(
    empty_world: World, agents: list[Agent]
) -> None:
    before = tree(home(empty_world), empty_world.project)
    written(empty_world, agents[1:2])
    hooks, config = (home(empty_world) / ".codex" / name for name in ("hooks.json", "config.toml"))
    for path in (hooks, config):
        path.chmod(0o444)

    scripted = init(empty_world, "--remove", "--yes", "--json")
    assert (scripted.code, scripted.document["written"], len(scripted.document["refused"])) == (
        1,
        True,
        2,
    )
    assert scripted.stderr == "".join(
        f"Warning: not undone: {path}: read-only: allow writing; nothing was taken out of it\n"
        for path in (hooks, config)
    )

    config.chmod(0o644)
    half = init(empty_world, "--remove", "-y")
    assert half.code == 1
    assert (
        f"Not all is gone: 1 file or folder was left. Memories stay in {empty_world.store}"
        in half.stdout
    )

    hooks.chmod(0o644)
    whole = init(empty_world, "--remove", "--yes")
    assert (whole.code, "What hardwon wrote is gone. Memories stay" in whole.stdout) == (0, True)
    assert tree(home(empty_world), empty_world.project) == before
    assert not (empty_world.store / "setup.json").exists()
    assert "has no record of other projects" in init(empty_world, "--remove", "--yes").stdout


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
        dying.carry_out(dying.plan_for(agents, str(empty_world.project)), str(empty_world.project))
    assert (empty_world.project / ".claude/commands/recall.md").is_file()

    assert removed_from(tmp_path, empty_world, agents) == []
    assert tree(home(empty_world), empty_world.project) == before
    assert not (empty_world.store / "setup.json").exists()


def test_a_project_on_a_disk_that_is_away_stays_noted_and_is_undone_when_it_is_back(
    empty_world: World, agents: list[Agent], tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    empty_world.project = disk / "project"
    empty_world.project.mkdir(parents=True)
    before = tree(home(empty_world), disk)
    written(empty_world, agents)
    away = disk.rename(tmp_path / "away")
    left = removed_from(tmp_path, empty_world, agents)
    assert left == [f"{empty_world.project}: not there now: what was written in it stays noted"]

    away.rename(disk)
    assert removed_from(tmp_path, empty_world, agents) == []
    assert tree(home(empty_world), disk) == before
    assert not (empty_world.store / "setup.json").exists()


def test_a_project_that_was_deleted_leaves_nothing_to_undo(
    empty_world: World, agents: list[Agent], tmp_path: Path
) -> None:
    before = tree(home(empty_world))
    written(empty_world, agents)
    shutil.rmtree(empty_world.project)

    assert removed_from(tmp_path, empty_world, agents) == []
    assert tree(home(empty_world)) == before
    assert not (empty_world.store / "setup.json").exists()


def test_only_requested_and_known_parts_are_reported_as_removed() -> None:
    assert gone_of([]) == "What hardwon wrote is gone."
    assert gone_of(["codex"]) == "What hardwon wrote for codex is gone."
    assert (
        gone_of(["codex", "opencode", "codex"])
        == "What hardwon wrote for codex and opencode is gone."
    )
    assert (
        gone_of([], "/s")
        == "What hardwon wrote here is gone; /s has no record of other projects or folders."
    )


def test_files_written_under_another_environment_are_removed_or_named_and_stay_noted(
    empty_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = agents_of(empty_world, monkeypatch)
    before = tree(home(empty_world), empty_world.project)
    named = {name: str(home(empty_world) / f"of {name}") for name in FOLDERS}
    set_up = build_set_up(str(empty_world.store))
    set_up.carry_out(set_up.plan_for(build_agents(named), None))
    unknown = str(home(empty_world) / "other" / "file")
    set_up.record.put(unknown, SetupWrite("0", was_there=True, is_made=False))

    assert removed_from(empty_world.project, empty_world, agents) == [
        f"{unknown}: hardwon wrote to it, and can't tell for whom: take out what is its own by hand"
    ]
    assert tree(home(empty_world), empty_world.project) == before
    assert build_set_up(str(empty_world.store)).record.paths() == [unknown]


def test_it_asks_before_files_of_every_project_go_and_lists_them(
    empty_world: World, agents: list[Agent], tmp_path: Path
) -> None:
    written(empty_world, agents[:1])
    set_up = build_set_up(str(empty_world.store))
    (tmp_path / "other").mkdir()
    set_up.carry_out(set_up.plan_for(agents[:1], str(tmp_path / "other")), str(tmp_path / "other"))

    asked = init(empty_world, "--remove")
    assert "whether to undo 15 files, those of every project that was set up" in asked.stderr
    for project in (empty_world.project, tmp_path / "other"):
        assert f"remove {project}/.claude/commands/recall.md\n" in asked.stdout


def test_removing_one_agent_leaves_the_files_of_others_noted(
    empty_world: World, agents: list[Agent]
) -> None:
    set_up = written(empty_world, agents[1:3])
    set_up.undo(set_up.plan_removal(agents[1:2], None, everything=False), everything=False)

    paths = set_up.record.paths()
    assert f"{home(empty_world)}/.gemini/settings.json" in paths
    assert f"{empty_world.project}/.gemini/commands/recall.toml" in paths
    assert all("/.gemini/" in path for path in paths)


def test_files_that_another_set_up_writes_before_a_removal_stay_noted(
    empty_world: World, agents: list[Agent]
) -> None:
    before = tree(home(empty_world), empty_world.project)
    removal = written(empty_world, agents[:1])
    plan = removal.plan_removal(agents, str(empty_world.project))
    written(empty_world, agents[1:2])
    assert removal.undo(plan, everything=True).refused == ()

    assert removed_from(empty_world.project, empty_world, agents) == []
    assert tree(home(empty_world), empty_world.project) == before
