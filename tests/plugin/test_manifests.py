"""Files of the plugin that hosts read: manifests, hooks, the server's entry."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.agents.table import CLAUDE_CODE, CODEX, NAME, SECONDS
from tests.entrypoints.hook_process import BIN
from tests.machine import LONGEST_WAIT
from tests.plugin.conftest import LAUNCH, PLUGIN, Desk

ROOT = PLUGIN.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MANIFESTS = (".claude-plugin", ".codex-plugin")
AGENT_OF = {"hooks.json": CLAUDE_CODE, "codex.json": CODEX}
HOOKS = tuple(AGENT_OF)
SOURCES = ("startup", "resume", "fork", "clear", "compact")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def document(*parts: str) -> Any:
    return json.loads(PLUGIN.joinpath(*parts).read_text(encoding="utf-8"))


def groups(name: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = document("hooks", name)["hooks"]
    return found


@pytest.mark.parametrize("host", MANIFESTS)
def test_a_manifest_says_what_the_package_says(host: str) -> None:
    manifest = document(host, "plugin.json")

    assert (manifest["name"], manifest["version"]) == (PROJECT["name"], PROJECT["version"])
    assert manifest["license"] == PROJECT["license"]
    assert manifest["author"]["name"]
    assert manifest["description"] == document(".claude-plugin", "plugin.json")["description"]


def test_the_marketplace_offers_the_plugin() -> None:
    marketplace = json.loads(
        (ROOT / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8")
    )
    [offered] = marketplace["plugins"]

    assert (marketplace["name"], offered["name"]) == ("hardwon", "hardwon")
    assert marketplace["owner"]["name"]
    assert offered["description"]
    assert (ROOT / offered["source"]).samefile(PLUGIN)


def test_the_plugin_has_all_that_a_plugin_directory_requires() -> None:
    assert len((PLUGIN / "README.md").read_text(encoding="utf-8").split()) >= 40
    assert (PLUGIN / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert (PLUGIN / ".claude-plugin" / "icon.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", HOOKS)
def test_every_event_and_every_way_a_session_starts_has_one_hook_in_time(name: str) -> None:
    found = groups(name)

    hooks = AGENT_OF[name].hooks
    assert found.keys() == hooks.events.keys()
    matchers = [group["matcher"] for group in found["SessionStart"]]
    for source in SOURCES:
        assert sum(bool(re.fullmatch(matcher, source)) for matcher in matchers) == 1
    for event, of_event in found.items():
        assert all(
            hook["timeout"] == SECONDS[event] for group in of_event for hook in group["hooks"]
        )
        matcher = hooks.matchers.get(event)
        assert event == "SessionStart" or [group.get("matcher") for group in of_event] == [matcher]
    assert (SECONDS["SessionStart"], SECONDS["UserPromptSubmit"]) == (
        10,
        10,
    )  # room on a busy machine


def test_claude_code_starts_the_launcher_without_a_shell() -> None:
    for event, of_event in groups("hooks.json").items():
        for group in of_event:
            [hook] = group["hooks"]
            begins = event == "SessionStart" and group["matcher"] == "startup"
            message = "--or-say" if begins else "--or-nothing"
            if event in {"UserPromptSubmit", "PostToolUseFailure", "SubagentStart"}:
                message = "--unless-answered"  # by the hooks that `hardwon init` adds
            assert (hook["type"], hook["command"]) == ("command", "${CLAUDE_PLUGIN_ROOT}/launch")
            assert hook["args"] == [message, "hardwon-hook"]
    assert os.access(LAUNCH, os.X_OK)


def test_codex_which_reads_no_args_gets_the_same_command() -> None:
    assert document(".codex-plugin", "plugin.json")["hooks"] == "./hooks/codex.json"
    theirs, ours = groups("codex.json"), groups("hooks.json")
    assert theirs.pop("PostToolUse")[0]["hooks"] == theirs["Stop"][0]["hooks"]
    for event in ("PostToolUseFailure", "SubagentStart"):
        del ours[event]
    ours["UserPromptSubmit"][0]["hooks"][0]["args"][0] = "--or-nothing"
    for group in (group for of_event in ours.values() for group in of_event):
        [hook] = group["hooks"]
        hook["command"] = " ".join(['"$CLAUDE_PLUGIN_ROOT/launch"', *hook.pop("args"), "|| exit 0"])

    assert theirs == ours


@pytest.mark.parametrize("event", sorted(CODEX.hooks.events))
def test_each_hook_of_codex_runs_in_a_folder_of_any_name(
    desk: Desk, tmp_path: Path, event: str
) -> None:
    root = tmp_path / "it's a $HOME `x`"
    shutil.copytree(PLUGIN, root)
    desk.install(desk.home / ".local" / "bin", script='printf "%s|" "$#"; cat')
    variables = {**desk.variables, "CLAUDE_PLUGIN_ROOT": str(root)}
    for group in groups("codex.json")[event]:
        command = ["sh", "-c", group["hooks"][0]["command"]]
        done = subprocess.run(
            command, env=variables, input="{}", capture_output=True, text=True, check=False
        )

        assert (done.returncode, done.stdout, done.stderr) == (0, "0|{}", "")


def server(name: str = ".mcp.json") -> list[str]:
    """Return the command of the one server, as a host runs it."""
    [(called, entry)] = document(name)["mcpServers"].items()
    assert called == NAME
    return [
        word.replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN))
        for word in (entry["command"], *entry["args"])
    ]


def start(
    desk: Desk, command: list[str], given: str, *variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run a server in the project, with these variables alone."""
    environment = {name: desk.variables[name] for name in variables}
    return subprocess.run(
        command,
        cwd=desk.project,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        check=False,
    )


def test_the_server_answers(desk: Desk) -> None:
    programs = desk.home / ".local" / "bin"
    programs.mkdir(parents=True)
    (programs / "hardwon-mcp").symlink_to(BIN / "hardwon-mcp")
    done = start(desk, server(), json.dumps(INITIALIZE) + "\n", *desk.variables)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "hardwon"


def test_the_server_starts_in_codex_which_fills_nothing_in_and_hands_on_little(desk: Desk) -> None:
    assert document(".codex-plugin", "plugin.json")["mcpServers"] == "./codex.mcp.json"
    shutil.copytree(
        PLUGIN, desk.home / ".codex" / "plugins" / "cache" / "hardwon" / "hardwon" / "0.2.0"
    )
    desk.install(desk.home / ".local" / "bin", "hardwon-mcp", 'printf "%s|" "$PWD"; cat')
    command = server("codex.mcp.json")
    done = start(desk, command, "{}", "HOME", "PATH")

    assert "CLAUDE" not in " ".join(command)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{desk.project}|{{}}", "")


@pytest.mark.parametrize("name", [".mcp.json", "codex.mcp.json"])
def test_a_server_that_cannot_start_says_why_and_the_hooks_go_on(desk: Desk, name: str) -> None:
    done = start(desk, server(name), "", *desk.variables)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("hardwon-mcp: ")
    assert desk.launch("--or-nothing", "hardwon-hook").returncode == 0
