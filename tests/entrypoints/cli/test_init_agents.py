"""Which agents `hardwon init` finds, which programs it names, and how the doctor reports them."""

import json
import os
from pathlib import Path

import pytest

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import CODEX, GEMINI_CLI, Programs, our_programs
from hardwon.entrypoints.bootstrap_agents import FOLDERS, build_agents, build_set_up, used_agents
from hardwon.entrypoints.health import Finding, agent_findings
from tests.entrypoints.folders import agents_of, home, init, write
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon


def found(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return [agent.name for agent in used_agents(agents_of(world, monkeypatch))]


def test_only_agents_that_are_found_are_set_up(
    empty_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(empty_world.folder / "programs"))
    assert found(empty_world, monkeypatch) == []

    (home(empty_world) / ".codex").mkdir()
    assert found(empty_world, monkeypatch) == ["codex"]

    empty_world.put_program("gemini", "exit 0")
    assert found(empty_world, monkeypatch) == ["codex", "gemini-cli"]


def test_programs_are_named_by_the_path_that_outlives_an_upgrade_if_that_is_this_very_installation(
    empty_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home(empty_world)))
    assert our_programs()[:2] == (str(BIN / "hardwon-hook"), str(BIN / "hardwon-mcp"))

    links = home(empty_world) / ".local" / "bin"
    write(links, {"hardwon-mcp": "of another installation"})
    (links / "hardwon-hook").symlink_to(BIN / "hardwon-hook")
    assert our_programs()[:2] == (str(links / "hardwon-hook"), str(BIN / "hardwon-mcp"))


def test_where_the_plugin_is_enabled_our_hooks_go_and_nothing_runs_twice(
    empty_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude, project = agents_of(empty_world, monkeypatch)[:1], str(empty_world.project)
    set_up = build_set_up(str(empty_world.store))
    set_up.carry_out(set_up.plan_for(claude, project), project)
    settings = home(empty_world) / ".claude/settings.json"
    settings.write_text(
        json.dumps(
            {**json.loads(settings.read_text()), "enabledPlugins": {"hardwon@hardwon": True}}
        )
    )
    set_up.carry_out(set_up.plan_for(claude, project), project)

    assert json.loads(settings.read_text()) == {"enabledPlugins": {"hardwon@hardwon": True}}


def test_the_doctor_reports_the_connection_of_every_agent(tmp_path: Path) -> None:
    there = tmp_path / "hardwon-hook"
    there.write_text("")
    codex = ConfiguredAgent(CODEX, str(tmp_path), {}, Programs(str(there), ""), {})
    gemini = ConfiguredAgent(GEMINI_CLI, str(tmp_path), {}, Programs("/gone/hardwon-hook", ""), {})
    nobody = Finding("agents", ok=True, detail="none calls the hook yet: run hardwon init")
    assert agent_findings([codex, gemini], str(tmp_path), lambda: 0.0) == [nobody]

    hooks, settings = codex.targets()[0], gemini.targets()[0]
    for target in (hooks, settings):
        write(tmp_path, {target.path: target.with_managed(None)})
    untrusted = "it does not run 6 of 6 of its hooks, as they are new or changed: run codex, type /hooks and trust them"
    assert agent_findings([codex, gemini], str(tmp_path), lambda: 0.0) == [
        Finding("agent codex", ok=True, detail=f"hooks from {hooks.path}"),
        Finding("agent codex", ok=True, detail=untrusted, todo=True),
        Finding(
            "agent gemini-cli",
            ok=False,
            detail=f"/gone/hardwon-hook is gone, {settings.path} names it: run hardwon init",
        ),
    ]


def test_settings_that_switch_all_hooks_off_are_reported_by_name(
    empty_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [claude, *_] = agents_of(empty_world, monkeypatch)
    [target] = claude.targets()
    project, hooks = empty_world.project, json.loads(target.with_managed(None))
    users = Path(target.path)
    shared, local = (
        project / ".claude" / name for name in ("settings.json", "settings.local.json")
    )
    for path, document, failing in (
        (users, hooks, None),
        (users, {**hooks, "disableAllHooks": True}, users),
        (shared, {"disableAllHooks": False}, None),
        (local, {"disableAllHooks": True}, local),
    ):
        write(project, {str(path): json.dumps(document)})
        [finding] = agent_findings([claude], str(project), lambda: 0.0)

        off = (
            f'"disableAllHooks": true in {failing} switches its hooks off, ours too: take that out'
        )
        assert (finding.ok, finding.detail) == (
            (False, off) if failing else (True, f"hooks from {users}")
        )


def test_where_no_agent_is_found_claude_code_is_named_and_set_up(empty_world: World) -> None:
    empty_world.variables["PATH"] = str(empty_world.folder)
    done = init(empty_world, "--dry-run", "--json")

    assert (done.code, done.document["agents"]) == (0, ["claude-code"])
    assert (
        done.stderr == "Warning: no agent found: Claude Code is set up; name others with --agent\n"
    )


def test_beside_the_plugin_a_project_gets_no_second_server_by_its_name_and_loses_one(
    empty_world: World,
) -> None:
    write(
        home(empty_world),
        {".claude/settings.json": '{"enabledPlugins": {"hardwon@hardwon": true}}'},
    )
    write(
        empty_world.project,
        {".mcp.json": '{"mcpServers": {"memory-server": {"command": "hardwon-mcp"}}}'},
    )
    path = str(empty_world.project / ".mcp.json")
    done = init(empty_world, "--agent", "claude-code", "--mcp-json", "--dry-run", "--json")
    [change] = [change for change in done.document["changes"] if change["path"] == path]

    assert '\n-{"mcpServers": {"memory-server"' in change["diff"]
    assert done.stderr == (
        "Warning: --mcp-json is left out: the plugin of Claude Code brings the same server already\n"
    )
    undone = init(empty_world, "--remove", "--dry-run", "--json")
    assert [change["path"] for change in undone.document["changes"]] == [path]


def test_folders_that_the_environment_names_are_those_seen_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    moved = [
        agent
        for agent in build_agents(dict.fromkeys(FOLDERS, "named"))
        if agent.name not in {"gemini-cli", "cursor"}
    ]
    assert len(moved) == len(FOLDERS)

    for agent in moved:
        assert all(target.path.startswith(f"{tmp_path}/named/") for target in agent.targets())
        assert all(target.root == f"{tmp_path}/named" for target in agent.targets())


def hooks_of(world: World) -> dict[str, str]:
    """Return the type of the first hook in Claude Code's settings, by event."""
    groups = json.loads((home(world) / ".claude/settings.json").read_text())["hooks"]
    return {event: group["hooks"][0]["type"] for event, [group] in groups.items()}


def test_hooks_call_a_registered_server_until_an_older_client_comes_and_all_can_be_removed(
    empty_world: World,
) -> None:
    world = empty_world
    server = {"type": "stdio", "command": str(BIN / "hardwon-mcp"), "args": [], "env": {}}
    write(home(world), {".claude.json": json.dumps({"mcpServers": {"hardwon": server}})})
    world.put_program("claude", "echo '2.1.332 (Claude Code)'")
    assert init(world, "--yes", "--agent", "claude-code").code == 0
    by_server = hooks_of(world)
    world.put_program("claude", "echo '2.1.117 (Claude Code)'")
    doctor = hardwon(world, "doctor")
    assert init(world, "--yes", "--agent", "claude-code").code == 0
    by_process = hooks_of(world)
    world.put_program("claude", "echo '2.1.118 (Claude Code)'")
    assert init(world, "--yes", "--agent", "claude-code").code == 0
    newer = hooks_of(world)
    assert init(world, "--yes", "--remove").code == 0

    calling = {event for event, kind in by_server.items() if kind == "mcp_tool"}
    prompts_and_moments = {"UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStart"}
    assert calling == prompts_and_moments
    assert "claude is version 2.1.117, which may run no hook of such a file" in doctor.stdout
    assert by_process == dict.fromkeys(by_server.keys() - {"PostToolUse"}, "command")
    assert newer == by_server
    assert not (home(world) / ".claude/settings.json").exists()


def test_a_client_in_the_project_is_not_run(empty_world: World) -> None:
    server = {"command": str(BIN / "hardwon-mcp"), "args": []}
    write(home(empty_world), {".claude.json": json.dumps({"mcpServers": {"hardwon": server}})})
    path = empty_world.project / "bin" / "claude"
    write(path.parent, {"claude": "#!/bin/sh\n: >ran\necho '2.1.332 (Claude Code)'\n"})
    path.chmod(0o755)
    folders = (str(path.parent), empty_world.variables["PATH"], "bin")
    empty_world.variables["PATH"] = os.pathsep.join(folders)

    assert init(empty_world, "--yes", "--agent", "claude-code").code == 0
    assert set(hooks_of(empty_world).values()) == {"command"}
    assert not (empty_world.project / "ran").exists()
