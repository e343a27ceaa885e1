"""Hooks that call the running server, and the files that hold them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, Programs
from hardwon.ports.agents import HOOK_TOOL

INPUT = CLAUDE_CODE.hooks.by_server.fields if CLAUDE_CODE.hooks.by_server else {}
EVENTS = {"PostToolUseFailure", "PostToolUse", "SubagentStart", "UserPromptSubmit"}
GUARD = "guard 2>/dev/null || "
PLUGIN = {"enabledPlugins": {"hardwon@hardwon": True}}


class Machine:
    """A home with hardwon's programs, and clients that print a version."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.home = folder / "home"
        self.settings = self.home / ".claude/settings.json"
        self.path = list[str]()
        self.server = str(self.program("bin/hardwon-mcp"))
        self.hook = str(self.program("bin/hardwon-hook"))
        self.settings.parent.mkdir(parents=True)

    def program(self, name: str, script: str = "exit 1") -> Path:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def install(self, version: str, name: str = "claude") -> None:
        """Put a client last on PATH."""
        path = self.program(f"clients/{len(self.path)}/{name}", f"echo '{version}'")
        self.path.append(str(path.parent))

    def register(self, name: str = "hardwon", **entry: Any) -> None:
        """Register the server for all projects."""
        document = {"mcpServers": {name: {"command": self.server, "args": [], **entry}}}
        (self.home / ".claude.json").write_text(json.dumps(document))

    def agent(self) -> ConfiguredAgent:
        environ = {"PATH": os.pathsep.join(self.path)}
        programs = Programs(self.hook, self.server, GUARD)
        return ConfiguredAgent(CLAUDE_CODE, str(self.home), environ, programs, {})

    def codex(self, **environ: str) -> ConfiguredAgent:
        environ = {"PATH": os.pathsep.join(self.path), **environ}
        programs = Programs(self.hook, self.server, GUARD)
        return ConfiguredAgent(CODEX, str(self.home), environ, programs, {})

    def init(self) -> dict[str, Any]:
        """Write the agent's settings and return its hooks."""
        for target in (*self.agent().unwanted(), *self.agent().targets()):
            is_wanted = target.path in [wanted.path for wanted in self.agent().targets()]
            text = self.settings.read_text() if self.settings.exists() else ""
            after = target.with_managed(text) if is_wanted else target.without_managed(text)
            self.settings.write_text(after or "")
        return self.hooks()

    def hooks(self) -> dict[str, Any]:
        """Return the first hook of each event."""
        text = self.settings.read_text() if self.settings.exists() else ""
        groups = json.loads(text or "{}").get("hooks", {})
        return {event: group["hooks"][0] for event, [group] in groups.items()}

    def wants(self) -> list[str]:
        return [*self.agent().wants(str(self._folder), lambda: 0.0)]


def processes(settings: str) -> dict[str, str]:
    """Return the command of each event that a process answers, with a guard or without."""
    groups = json.loads(settings)["hooks"]
    hooks = [(event, hook) for event, [group] in groups.items() for hook in group["hooks"]]
    return {event: hook["command"] for event, hook in hooks if hook["type"] == "command"}


def calling(hooks: dict[str, Any]) -> dict[str, str]:
    return {event: hook["server"] for event, hook in hooks.items() if hook["type"] == "mcp_tool"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_hooks_call_the_server_that_all_projects_have(machine: Machine) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register("mine")
    hooks = machine.init()

    assert calling(hooks) == dict.fromkeys(EVENTS, "mine")
    assert hooks["PostToolUse"] == {
        "type": "mcp_tool",
        "server": "mine",
        "tool": HOOK_TOOL,
        "input": INPUT,
        "timeout": 0.5,
    }
    groups = json.loads(machine.settings.read_text())["hooks"]
    assert {event: groups[event][0].get("matcher") for event in EVENTS} == {
        "PostToolUseFailure": "Bash|PowerShell|mcp__.*",
        "PostToolUse": "Bash|PowerShell|Read|Edit|MultiEdit|Write",
        "SubagentStart": None,
        "UserPromptSubmit": None,
    }
    assert {hooks[event]["type"] for event in hooks.keys() - EVENTS} == {"command"}
    assert machine.wants() == []
    assert machine.agent().next_step().startswith("start a new session")
    assert "claude mcp add" not in machine.agent().next_step()


def test_a_process_answers_what_it_can_where_no_server_does(machine: Machine) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    machine.init()
    found = processes(machine.settings.read_text())

    guarded = {event for event, command in found.items() if command.startswith(GUARD)}
    assert guarded == EVENTS - {"PostToolUse"}
    assert {command.removeprefix(GUARD) for command in found.values()} == {
        f"{machine.hook} || exit 0"
    }
    assert machine.agent().connection().missing == ()
    once = machine.settings.read_text()
    machine.init()
    assert machine.settings.read_text() == once


def test_a_prompt_is_passed_with_what_tells_the_hosts_own(machine: Machine) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    names = ("hook_event_name", "session_id", "transcript_path", "cwd", "prompt", "source")

    assert machine.init()["UserPromptSubmit"]["input"] == {name: f"${{{name}}}" for name in names}


def test_no_content_of_a_file_that_was_read_or_edited_is_passed() -> None:
    assert "${tool_response}" not in json.dumps(INPUT)
    assert INPUT["tool_response"] == {
        name: f"${{tool_response.{name}}}"
        for name in ("stdout", "stderr", "interrupted", "backgroundTaskId")
    }


@pytest.mark.parametrize(
    ("versions", "calls"),
    [
        (["2.1.118 (Claude Code)"], True),
        (["2.1.117 (Claude Code)"], False),
        (["2.1.332 (Claude Code)", "2.1.110 (Claude Code)"], False),
        (["3.0.0", "2.1.118"], True),
        (["2.2"], True),
        (["command not understood"], False),
        (["2.1.332", ""], False),
        ([], False),
    ],
    ids=range(8),
)
def test_the_oldest_client_decides(machine: Machine, versions: list[str], calls: bool) -> None:  # noqa: FBT001
    for version in versions:
        machine.install(version)
    machine.register()

    assert bool(calling(machine.init())) is calls
    assert set(machine.hooks()) >= EVENTS - {"PostToolUse"}
    assert machine.wants() == []


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/opt/other/hardwon-mcp"},
        {"command": "/bin/cat"},
        {"env": {"HARDWON_STORE": "/elsewhere"}},
        {"args": ["--global-store", "/elsewhere"]},
        {"command": None, "url": "http://127.0.0.1:8377/mcp", "type": "http"},
    ],
    ids=["another installation", "another program", "variable", "option", "http"],
)
def test_a_server_that_is_not_this_one_is_not_called(
    machine: Machine, entry: dict[str, Any]
) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register(**entry)

    assert calling(machine.init()) == {}


def test_a_server_of_one_project_is_not_called(machine: Machine, tmp_path: Path) -> None:
    machine.install("2.1.332 (Claude Code)")
    server = {"hardwon": {"command": machine.server, "args": []}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": server}))
    projects = {str(tmp_path): {"mcpServers": server}}
    (machine.home / ".claude.json").write_text(json.dumps({"projects": projects}))

    assert calling(machine.init()) == {}
    assert "claude mcp add --scope user" in machine.agent().next_step()


def test_beside_the_plugin_all_events_call_its_server_and_its_own_processes_wait(
    machine: Machine,
) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    machine.init()
    machine.settings.write_text(json.dumps({**json.loads(machine.settings.read_text()), **PLUGIN}))

    assert calling(machine.init()) == dict.fromkeys(EVENTS, "plugin:hardwon:hardwon")
    assert processes(machine.settings.read_text()) == {}
    assert machine.agent().connection().ways == ("its plugin",)
    assert machine.wants() == []


def test_beside_the_plugin_an_old_client_gets_no_hook_in_its_settings(machine: Machine) -> None:
    machine.settings.write_text(json.dumps(PLUGIN))
    machine.install("2.1.110 (Claude Code)")

    assert machine.init() == {}
    assert machine.agent().targets() == []


def test_an_older_client_or_a_lost_server_is_reported_and_gets_its_processes_back(
    machine: Machine,
) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    machine.init()
    machine.install("2.1.110 (Claude Code)")
    [older] = machine.wants()
    machine.path.pop()
    (machine.home / ".claude.json").unlink()
    [lost] = machine.wants()

    assert older == (
        f"hooks in {machine.settings} call the running server, but {machine.home.parent}"
        "/clients/1/claude is version 2.1.110, which may run no hook of such a file;"
        " 2.1.118 does: run hardwon init"
    )
    assert "but no server of hardwon is registered for all projects: run hardwon init" in lost
    assert calling(machine.init()) == {}
    assert "PostToolUse" not in machine.hooks()
    assert machine.wants() == []


def test_hooks_for_the_tools_of_an_earlier_version_are_reported_and_replaced(
    machine: Machine,
) -> None:
    wanted = machine.init()
    text = machine.settings.read_text()
    machine.settings.write_text(text.replace("Bash|PowerShell", "Bash"))

    assert machine.wants() == [
        f"hooks in {machine.settings} run for the tools of another version: run hardwon init"
    ]
    assert machine.init() == wanted
    assert machine.settings.read_text() == text
    assert machine.wants() == []


def test_processes_that_the_server_could_spare_are_reported(machine: Machine) -> None:
    machine.init()
    machine.register()
    machine.install("2.1.332 (Claude Code)")

    [line] = machine.wants()
    assert line.startswith("its hooks can call the server hardwon that runs already")
    assert line.endswith("run hardwon init")


def test_a_time_limit_of_the_user_stays_and_the_call_is_renewed(machine: Machine) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    machine.init()
    document = json.loads(machine.settings.read_text())
    document["hooks"]["PostToolUse"][0]["hooks"][0] |= {"timeout": 20, "input": {}, "server": "x"}
    machine.settings.write_text(json.dumps(document))

    assert machine.init()["PostToolUse"] | {"timeout": 0} == {
        "type": "mcp_tool",
        "server": "hardwon",
        "tool": HOOK_TOOL,
        "input": INPUT,
        "timeout": 0,
    }
    assert machine.hooks()["PostToolUse"]["timeout"] == 20


def test_a_removal_leaves_the_hooks_of_the_user_alone(machine: Machine) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.register()
    own = {"matcher": "Bash", "hooks": [{"type": "mcp_tool", "server": "own", "tool": "look"}]}
    machine.settings.write_text(json.dumps({"hooks": {"PostToolUse": [own]}}))
    [target] = machine.agent().targets()
    after = target.with_managed(machine.settings.read_text())

    assert HOOK_TOOL in after
    assert json.loads(target.without_managed(after) or "") == {"hooks": {"PostToolUse": [own]}}


def test_agents_without_such_hooks_ask_no_client(machine: Machine, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    environ = {"PATH": str(machine.program("clients/x/gemini", f"echo x >{trace}").parent)}
    programs = Programs(machine.hook, machine.server)
    for facts in (GEMINI_CLI, OPENCODE):
        ConfiguredAgent(facts, str(machine.home), environ, programs, {}).targets()

    assert not trace.exists()


def in_codex(agent: ConfiguredAgent, event: str = "PostToolUse") -> dict[str, Any]:
    [group] = json.loads(agent.targets()[0].with_managed(None))["hooks"][event]
    return {"matcher": group.get("matcher"), **group["hooks"][0]}


def test_codex_calls_the_server_that_the_set_up_registers_with_fields_that_are_never_missing(
    machine: Machine,
) -> None:
    machine.install("codex-cli 0.169.0", "codex")

    hook = in_codex(machine.codex())
    assert (hook["type"], hook["server"], hook["matcher"]) == (
        "mcp_tool",
        "hardwon",
        "Bash|apply_patch",
    )
    assert hook["input"] == {
        name: f"${{{name}}}"
        for name in (
            "hook_event_name",
            "session_id",
            "transcript_path",
            "cwd",
            "tool_name",
            "tool_input",
            "tool_response",
        )
    }
    of_prompt = in_codex(machine.codex(), "UserPromptSubmit")
    assert of_prompt["input"].keys() == {
        "hook_event_name",
        "session_id",
        "transcript_path",
        "cwd",
        "prompt",
    }
    assert repr([item["timeout"] for item in (hook, of_prompt)]) == "[1, 5]"  # whole numbers


@pytest.mark.parametrize(
    ("version", "environ", "config"),
    [
        ("codex-cli 0.149.0", {}, ""),
        ("", {}, ""),
        ("codex-cli 0.169.0", {"HARDWON_STORE": "/elsewhere"}, ""),
        ("codex-cli 0.169.0", {"GEMINI_API_KEY": "key"}, ""),
        ("codex-cli 0.169.0", {}, '[mcp_servers.hardwon]\ncommand = "mine"\n'),
        ("codex-cli 0.169.0", {}, '[plugins."hardwon@x"]\nenabled = true\n'),
    ],
    ids=["old", "unknown", "store", "key", "taken", "plugin"],
)
def test_codex_keeps_a_process(
    machine: Machine, version: str, environ: dict[str, str], config: str
) -> None:
    machine.install(version, "codex")
    (machine.home / ".codex").mkdir()
    (machine.home / ".codex/config.toml").write_text(config)
    agent = machine.codex(**environ)

    assert config.startswith("[plugins") is (agent.targets() == [])
    assert not agent.targets() or in_codex(agent)["type"] == "command"


def test_codex_calls_the_server_by_the_users_name_for_it(machine: Machine) -> None:
    machine.install("codex-cli 0.150.0", "codex")
    (machine.home / ".codex").mkdir()
    config = f'[mcp_servers.memory]\ncommand = "{machine.server}"\n'
    (machine.home / ".codex/config.toml").write_text(config)

    assert in_codex(machine.codex())["server"] == "memory"


def test_hooks_left_from_a_removed_plugin_are_reported_and_become_processes(
    machine: Machine,
) -> None:
    machine.install("2.1.332 (Claude Code)")
    machine.settings.write_text(json.dumps(PLUGIN))
    machine.init()
    document = json.loads(machine.settings.read_text())
    machine.settings.write_text(json.dumps({**document, "enabledPlugins": {}}))
    [line] = machine.wants()

    assert machine.agent().connection().ways == (str(machine.settings),)
    assert line.endswith("no server of hardwon is registered for all projects: run hardwon init")
    assert {hook["type"] for hook in machine.init().values()} == {"command"}
