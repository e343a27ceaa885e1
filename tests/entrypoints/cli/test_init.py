"""`hardwon init` gives agents a memory, and takes it away again without a trace."""

import json
import os
import pwd
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.entrypoints.folders import ALL, agents_of, home, init, tree, write
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import bank

OWN = {
    ".claude/settings.json": '{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
    ".codex/config.toml": 'model = "x"\n\n[mcp_servers.mine]\ncommand = "y"\n',
    ".gemini/settings.json": '{\n\t"ui": {"theme": "dark"}\n}',
    ".config/opencode/opencode.json": '{ "theme": "x" , "mcp": {} }\n',
}


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def host_runs(world: World, command: str, payload: dict[str, Any]) -> str:
    """Return what a hook of a settings file prints, run by a shell as hosts do, in no environment of ours."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload).encode(),
        env=world.patient,
        cwd=world.project,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def command_for(path: Path, event: str) -> str:
    return str(json.loads(path.read_text())["hooks"][event][-1]["hooks"][0]["command"])


@pytest.mark.parametrize("own", [{}, OWN], ids=["fresh", "beside"])
def test_all_four_agents_are_set_up_and_removing_leaves_home_and_project_as_they_were(
    world: World, own: dict[str, str]
) -> None:
    write(home(world), own)
    playwright = (
        {".mcp.json": '{"mcpServers":{"playwright":{"command":"npx","args":["x"]}}}'} if own else {}
    )
    write(world.project, playwright)
    world.write_bank("patterns", bank("Pattern: Lock the store"))
    before = tree(home(world), world.project)

    done = init(world, *ALL, "--mcp-json", "--yes", "--json")

    assert (done.code, done.stderr) == (0, "")
    assert done.document["written"] is True
    assert done.document["imported"]["added"] == 1
    assert all(finding["ok"] for finding in done.document["findings"])
    assert {change["change"] for change in done.document["changes"]} == (
        {"create", "change"} if own else {"create"}
    )
    assert done.document["next"].keys() == {"claude-code", "codex", "gemini-cli", "opencode"}
    if not own:
        assert_hooks_print_the_block(world)
        assert_servers_are_the_installed_one(world)

    else:
        assert_a_second_run_finds_nothing_to_do(world)
    undone = init(world, "--remove", "--yes")
    assert (undone.code, undone.stderr) == (0, "")
    assert str(world.store) in undone.stdout
    assert tree(home(world), world.project) == before
    assert world.database.is_file()
    assert not (world.store / "setup.json").exists()


def assert_a_second_run_finds_nothing_to_do(world: World) -> None:
    written = tree(home(world), world.project)
    second = init(world, *ALL, "--mcp-json")

    assert (second.code, second.stdout.splitlines()[1]) == (
        0,
        "Nothing to do: no file has to change.",
    )
    assert tree(home(world), world.project) == written


def assert_hooks_print_the_block(world: World) -> None:
    names = (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json")
    claude, codex, gemini = (command_for(home(world) / name, "SessionStart") for name in names)
    assert claude == codex
    output = json.loads(host_runs(world, gemini, world.session_start()))["hookSpecificOutput"][
        "additionalContext"
    ]
    for block in (host_runs(world, claude, world.session_start()), output):
        assert block.startswith("<hardwon-memory")
        assert "### Pattern: Lock the store" in block


def assert_servers_are_the_installed_one(world: World) -> None:
    codex = tomllib.loads((home(world) / ".codex/config.toml").read_text())["mcp_servers"][
        "hardwon"
    ]
    gemini = json.loads((home(world) / ".gemini/settings.json").read_text())["mcpServers"][
        "hardwon"
    ]
    opencode = json.loads((home(world) / ".config/opencode/opencode.json").read_text())["mcp"][
        "hardwon"
    ]
    project = json.loads((world.project / ".mcp.json").read_text())["mcpServers"]["memory-server"]
    assert project == {"command": "hardwon-mcp", "args": []}
    assert [codex["command"]] == [gemini["command"], *gemini["args"]] == opencode["command"]
    assert opencode["command"] == [str(BIN / "hardwon-mcp")]
    assert os.access(BIN / "hardwon-mcp", os.X_OK)


def test_it_shows_what_it_would_write_and_without_a_terminal_or_a_yes_writes_nothing(
    world: World,
) -> None:
    write(home(world), {".claude/settings.json": '{\n  "env": {}\n}\n'})
    before = tree(home(world), world.project)
    asked, dry_run = init(world), init(world, "--dry-run")

    assert (asked.code, asked.stderr) == (
        1,
        "hardwon: nobody can be asked here whether to write 8 files: give --yes\n",
    )
    assert (dry_run.code, dry_run.stderr) == (0, "")
    assert "… and " in asked.stdout
    assert asked.stdout.endswith("\n--dry-run shows all lines.\n")
    assert "… and " not in dry_run.stdout
    assert dry_run.stdout.count("\n    +") > asked.stdout.count("\n    +")
    lines = asked.stdout.splitlines()
    assert lines[0] == f"Project: {world.project}"
    assert lines[1] == f"change {home(world)}/.claude/settings.json"
    assert re.fullmatch(r"    @@ -1,3 \+1,\d+ @@", lines[2])
    assert lines[3] == "     {"
    assert f"create {world.project}/.claude/commands/recall.md" in lines
    assert tree(home(world), world.project) == before
    assert not world.store.exists()


def test_an_agent_that_is_none_is_refused_in_one_line(world: World) -> None:
    wrong = init(world, "--agent", "emacs")

    assert wrong.code == 1
    assert "'emacs' is not one of claude-code, codex, gemini-cli, opencode" in wrong.stderr
    assert not world.store.exists()


def test_without_a_home_no_agent_is_set_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    world.variables["HOME"] = ""
    for arguments in (["--yes"], ["--remove", "--yes"]):
        done = init(world, *arguments)
        assert (done.code, done.stderr.count("\n")) == (1, 1)
        assert "no home folder is known, where agents have their settings: set HOME" in done.stderr
    assert "~" not in {path.name for path in world.project.iterdir()}


def test_commands_of_the_project_are_those_of_the_plugin_with_programs_by_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.project / ".claude" / "commands"
    [claude, *_] = agents_of(world, monkeypatch)
    targets = claude.project_targets(str(world.project))
    texts = {
        str(Path(target.path).relative_to(folder)): target.with_managed(None) for target in targets
    }

    assert texts.keys() == {
        "recall.md",
        "remember.md",
        "save.md",
        "tlc/recall.md",
        "tlc/remember.md",
        "hardwon/pause.md",
        "hardwon/resume.md",
    }
    assert texts["tlc/remember.md"] == texts["remember.md"]
    assert all("CLAUDE_PLUGIN_ROOT" not in text and "$ARGUMENTS" in text for text in texts.values())
    assert "\nhardwon recall --limit 5 --typed " in texts["recall.md"]
    assert "\nhardwon recall --in conversations --typed " in texts["tlc/recall.md"]


def test_files_that_are_the_users_or_not_editable_are_left_and_the_rest_is_done(
    world: World,
) -> None:
    own = {
        ".claude/settings.json": "{} // mine",
        ".codex/config.toml": "[mcp_servers.hardwon]\n",
        ".gemini/settings.json": "{",
    }
    write(home(world), own)
    write(world.project, {".claude/commands/recall.md": "mine"})

    done = init(world, *ALL, "--yes")

    assert done.code == 1
    warnings = [line for line in done.stderr.splitlines() if line.startswith("Warning: ")]
    assert [line.split(": ")[1] for line in warnings] == [
        f"{world.project}/.claude/commands/recall.md",
        f"{home(world)}/.codex/config.toml",
        "not written",
        "not written",
    ]
    assert warnings[2].endswith("; add by hand:")
    pasted = done.stderr.partition(f"{warnings[2]}\n")[2].partition("\nWarning: ")[0]
    assert json.loads(pasted)["hooks"].keys() >= {"SessionStart", "Stop"}
    settings = home(world) / ".claude/settings.json"
    assert (
        f"Claude Code: first see to {settings}, not written; then start a new session"
        in done.stdout
    )
    assert (
        f"; not all of ours is in {home(world)}/.codex/config.toml: something of yours has its name"
        in done.stdout
    )
    assert "run hardwon init" not in done.stdout
    assert init(world, *ALL, "--dry-run").code == 1
    assert {name: (home(world) / name).read_text() for name in own} == own
    assert (world.project / ".claude/commands/recall.md").read_text() == "mine"
    assert (world.project / ".claude/commands/save.md").is_file()
    assert (home(world) / ".codex/hooks.json").is_file()
    assert (home(world) / ".config/opencode/plugin/hardwon.js").is_file()


def test_links_in_a_hostile_project_lead_nowhere(world: World) -> None:
    elsewhere = world.folder / "elsewhere"
    write(elsewhere, {"commands/recall.md": "theirs", "y.json": "{}"})
    (world.project / ".claude").symlink_to(elsewhere)
    (world.project / ".mcp.json").symlink_to(elsewhere / "y.json")
    before = tree(elsewhere)

    done = init(world, "--agent", "claude-code", "--mcp-json", "--yes", "--json")

    assert done.code == 1
    assert len(done.document["refused"]) == 8
    assert all("leads out of" in file["reason"] for file in done.document["refused"])
    assert tree(elsewhere) == before
