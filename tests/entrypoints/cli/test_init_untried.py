"""Agents that are set up by their documentation alone: server and rules, only if named, and undone."""

import json
from pathlib import Path

import pytest

from tests.entrypoints.folders import home, init, tree, write
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon

SERVER = str(BIN / "hardwon-mcp")
OWN = {"mcpServers": {"playwright": {"command": "npx"}}}
AGENTS = {
    "cursor": (
        ".cursor/mcp.json",
        {"command": SERVER, "args": []},
        ".cursor/rules/hardwon.mdc",
        "alwaysApply: true",
    ),
    "copilot": (
        ".copilot/mcp-config.json",
        {"type": "local", "command": SERVER, "args": [], "tools": ["*"]},
        ".github/instructions/hardwon.instructions.md",
        'applyTo: "**"',
    ),
}


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


@pytest.mark.parametrize("own", [{}, OWN], ids=["fresh", "beside"])
@pytest.mark.parametrize("agent", AGENTS)
def test_server_and_rules_are_written_once_and_removed(
    world: World, agent: str, own: dict[str, dict[str, object]]
) -> None:
    settings, server, rules, head = AGENTS[agent]
    write(home(world), {settings: json.dumps(own, indent=2)} if own else {})
    before = tree(home(world), world.project)
    done = init(world, "--agent", agent, "--yes", "--json")

    assert (done.code, done.stderr) == (0, "")
    assert done.document["next"][agent].startswith("untried, written by its documentation")
    servers = json.loads((home(world) / settings).read_text())["mcpServers"]
    assert servers == {**own.get("mcpServers", {}), "hardwon": server}
    text = (world.project / rules).read_text()
    assert text.startswith("---\n")
    assert f"\n{head}\n---\n" in text
    for tool in ("memory_search", "store_memory", "memory_validate"):
        assert f"`{tool}`" in text
    assert "Nothing to do" in init(world, "--agent", agent).stdout

    undone = init(world, "--agent", agent, "--remove", "--yes")
    assert (undone.code, undone.stderr) == (0, "")
    assert {
        name: text
        for name, text in tree(home(world), world.project).items()
        if "/memory" not in name
    } == before


@pytest.mark.parametrize("agent", AGENTS)
def test_an_untried_agent_is_set_up_only_if_it_is_named(world: World, agent: str) -> None:
    settings, _, rules, _ = AGENTS[agent]
    (home(world) / settings).parent.mkdir()
    (home(world) / ".codex").mkdir()
    done = init(world, "--yes")

    assert done.code == 0
    assert not (home(world) / settings).exists()
    assert not (world.project / rules).exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_settings_that_a_person_broke_stay_as_they_are(world: World, agent: str) -> None:
    settings = AGENTS[agent][0]
    write(home(world), {settings: '{"mcpServers": {'})
    done = init(world, "--agent", agent, "--yes")

    assert done.code == 1
    assert settings in done.stderr
    assert (home(world) / settings).read_text() == '{"mcpServers": {'


def test_a_rules_file_of_the_user_is_left_alone(world: World) -> None:
    rules = Path(AGENTS["cursor"][2])
    write(world.project, {str(rules): "my own"})
    done = init(world, "--agent", "cursor", "--yes")

    assert f"{rules}" in done.stderr
    assert (world.project / rules).read_text() == "my own"
    init(world, "--agent", "cursor", "--remove", "--yes")
    assert (world.project / rules).read_text() == "my own"


def test_copilots_own_folder_is_respected(world: World) -> None:
    world.variables["COPILOT_HOME"] = str(home(world) / "elsewhere")
    init(world, "--agent", "copilot", "--yes")

    assert (home(world) / "elsewhere/mcp-config.json").is_file()
    assert not (home(world) / ".copilot").exists()


def test_the_doctor_is_content_with_an_untried_agent(world: World) -> None:
    init(world, "--agent", "cursor", "--yes")

    assert hardwon(world, "doctor").code == 0
