"""The configuration of each agent, in the form that host.md measured."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import (
    AGENTS,
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI,
    OPENCODE,
    AgentFacts,
    Programs,
)
from hardwon.adapters.agents.targets import plugin_text
from hardwon.domain.model.errors import TakenNameError
from hardwon.ports.agents import Agent, Connection

PROGRAMS = Programs("/opt/my tools/hardwon-hook", "/opt/my tools/hardwon-mcp")
QUOTED = "'/opt/my tools/hardwon-hook'"
COMMAND = f"{QUOTED} || exit 0"
OF_EVERY_EVENT = {
    "SessionStart": (COMMAND, 10),
    "UserPromptSubmit": (COMMAND, 10),
    "PreCompact": (COMMAND, 10),
    "Stop": (COMMAND, 10),
    "SessionEnd": (COMMAND, 3),
}
AFTER_A_TOOL = (COMMAND, 10)
ASK = "---\ndescription: Ask\nargument-hint: <words>\n---\n\nRun:\n\n```sh\nhardwon recall --typed <<'HARDWON'\n$ARGUMENTS\nHARDWON\n```\n\nTell.\n"
KEEP = "---\ndescription: Keep\n---\n\nAbout $ARGUMENTS.\n"
COMMANDS = {"recall": ASK, "tlc/save": KEEP}


def agent_of(
    facts: AgentFacts, home: Path, *, mcp_json: bool = False, **environ: str
) -> ConfiguredAgent:
    return ConfiguredAgent(facts, str(home), environ, PROGRAMS, COMMANDS, names_server=mcp_json)


def claude(home: Path, *, mcp_json: bool = False, **environ: str) -> ConfiguredAgent:
    return agent_of(CLAUDE_CODE, home, mcp_json=mcp_json, **environ)


def agents(home: Path) -> list[Agent]:
    return [agent_of(facts, home) for facts in AGENTS]


def written(targets: Any) -> dict[str, str]:
    return {target.path: target.with_managed(None) for target in targets}


def put(home: Path, targets: Any) -> None:
    for path, text in written(targets).items():
        assert path.startswith(str(home))
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def commands(document: Mapping[str, Any]) -> dict[str, Any]:
    assert all(len(hook["hooks"]) == 1 for [hook] in document["hooks"].values())
    return {
        event: (hook["hooks"][0]["command"], hook["hooks"][0]["timeout"])
        for event, [hook] in document["hooks"].items()
    }


def matchers(document: Mapping[str, Any]) -> dict[str, str]:
    return {
        event: hook["matcher"] for event, [hook] in document["hooks"].items() if "matcher" in hook
    }


def test_claude_code_gets_hooks_for_its_events_in_seconds(tmp_path: Path) -> None:
    [(path, text)] = written(claude(tmp_path).targets()).items()

    assert path == str(tmp_path / ".claude" / "settings.json")
    document = json.loads(text)
    assert commands(document) == {
        **OF_EVERY_EVENT,
        "PostToolUseFailure": AFTER_A_TOOL,
        "SubagentStart": AFTER_A_TOOL,
    }
    assert matchers(document) == {"PostToolUseFailure": "Bash|PowerShell|mcp__.*"}


def test_claude_code_gets_bare_commands_and_those_of_an_earlier_program_in_the_project(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ".claude" / "commands"

    assert written(claude(tmp_path).project_targets(str(tmp_path))) == {
        str(folder / "recall.md"): ASK,
        str(folder / "tlc" / "save.md"): KEEP,
    }


def test_opencode_gets_commands_whose_block_ends_its_shell(tmp_path: Path) -> None:
    folder = tmp_path / ".opencode" / "commands"

    assert written(agent_of(OPENCODE, tmp_path).project_targets(str(tmp_path))) == {
        str(folder / "recall.md"): (
            "---\ndescription: Ask\n---\n\nRun:\n\n"
            "```sh\nhardwon recall --typed <<'HARDWON'; exit\n$ARGUMENTS\nHARDWON\n```\n\nTell.\n"
        ),
        str(folder / "tlc" / "save.md"): KEEP,
    }


def test_codex_gets_skills_into_which_the_model_puts_the_text(tmp_path: Path) -> None:
    folder = tmp_path / ".codex" / "skills"
    files = written(agent_of(CODEX, tmp_path).project_targets(str(tmp_path)))

    assert files.keys() == {
        str(folder / "recall" / "SKILL.md"),
        str(folder / "tlc-save" / "SKILL.md"),
    }
    recall, save = files.values()
    assert recall.startswith(
        "---\nname: recall\ndescription: Ask. For when the user asks for $recall.\n---\n\n`TYPED` below"
    )
    assert (
        "```sh\nhardwon recall --typed <<'HARDWON'; exit\nTYPED\nHARDWON\n```\n\nTell.\n" in recall
    )
    assert save.endswith("\n\nAbout TYPED.\n")


def test_gemini_gets_commands_that_it_runs_itself(tmp_path: Path) -> None:
    folder = tmp_path / ".gemini" / "commands"
    files = written(agent_of(GEMINI_CLI, tmp_path).project_targets(str(tmp_path)))

    assert files.keys() == {str(folder / "recall.toml"), str(folder / "tlc" / "save.toml")}
    recall, save = map(tomllib.loads, files.values())
    assert recall["description"] == "Ask"
    assert "\n!{printf %s {{args}} | hardwon recall --typed}\n\nTell.\n" in recall["prompt"]
    assert save == {"description": "Keep", "prompt": "About {{args}}.\n"}


def test_a_projects_mcp_json_gets_its_server_beside_others_and_no_path_of_this_machine(
    tmp_path: Path,
) -> None:
    [target] = [
        target
        for target in claude(tmp_path, mcp_json=True).project_targets("/p")
        if target.path == "/p/.mcp.json"
    ]
    playwright = '{\n    "mcpServers": {\n        "playwright": {"command": "npx",   "args": ["x"]}\n    }\n}\n'
    text = target.with_managed(playwright)

    assert '"playwright": {"command": "npx",   "args": ["x"]}' in text
    assert json.loads(text)["mcpServers"]["memory-server"] == {"command": "hardwon-mcp", "args": []}
    assert target.without_managed(text) == playwright
    with pytest.raises(TakenNameError):
        target.with_managed('{"mcpServers": {"memory-server": {"command": "mine"}}}')


def test_where_the_plugin_is_enabled_the_settings_lose_our_hooks(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    put(tmp_path, claude(tmp_path).targets())
    for plugins, is_on in (
        ({"hardwon@x": True}, True),
        ({"hardwon@x": False}, False),
        ({"other@x": True}, False),
        ([], False),
    ):
        settings.write_text(
            json.dumps({**json.loads(settings.read_text()), "enabledPlugins": plugins})
        )

        assert bool(claude(tmp_path).targets()) is not is_on
        assert bool(claude(tmp_path).unwanted()) is is_on
        assert (len(claude(tmp_path).connection().ways) > 1) is is_on


def test_codex_gets_hooks_and_a_table_that_toml_reads(tmp_path: Path) -> None:
    hooks, config = written(agent_of(CODEX, tmp_path).targets()).items()

    assert hooks[0] == str(tmp_path / ".codex" / "hooks.json")
    document = json.loads(hooks[1])
    assert commands(document) == {**OF_EVERY_EVENT, "PostToolUse": AFTER_A_TOOL}
    assert matchers(document) == {"PostToolUse": "Bash"}
    assert config[0] == str(tmp_path / ".codex" / "config.toml")
    assert tomllib.loads(config[1]) == {"mcp_servers": {"hardwon": {"command": PROGRAMS.server}}}


def test_where_codex_has_the_plugin_hooks_and_server_come_from_it_even_if_its_settings_are_read_only(
    tmp_path: Path,
) -> None:
    codex = agent_of(CODEX, tmp_path)
    put(tmp_path, codex.targets())
    config = tmp_path / ".codex" / "config.toml"
    config.write_text(config.read_text() + '[plugins."hardwon@x"]\nenabled = true\n')
    config.chmod(0o444)

    assert (list(codex.targets()), len(codex.unwanted()), len(codex.connection().ways)) == (
        [],
        2,
        2,
    )


def test_gemini_gets_its_own_events_in_milliseconds_and_never_the_one_before_every_call(
    tmp_path: Path,
) -> None:
    [(path, text)] = written(agent_of(GEMINI_CLI, tmp_path).targets()).items()
    document = json.loads(text)

    assert path == str(tmp_path / ".gemini" / "settings.json")
    seconds = {"SessionStart": 10, "BeforeAgent": 10, "AfterAgent": 10, "SessionEnd": 3}
    seconds["AfterTool"] = 10
    assert matchers(document) == {"AfterTool": "run_shell_command"}
    assert commands(document) == {
        event: (f"{QUOTED} --host gemini || exit 0", limit * 1_000)
        for event, limit in seconds.items()
    }
    assert document["mcpServers"] == {"hardwon": {"command": PROGRAMS.server, "args": []}}


def test_opencode_gets_a_local_server_and_a_plugin(tmp_path: Path) -> None:
    settings, plugin = written(agent_of(OPENCODE, tmp_path).targets()).items()

    assert settings[0] == str(tmp_path / ".config" / "opencode" / "opencode.json")
    server = {"type": "local", "command": [PROGRAMS.server], "enabled": True}
    assert json.loads(settings[1]) == {
        "$schema": "https://opencode.ai/config.json",
        "mcp": {"hardwon": server},
    }
    assert plugin == (
        str(tmp_path / ".config" / "opencode" / "plugin" / "hardwon.js"),
        plugin_text(PROGRAMS.hook),
    )
    assert f'const HOOK = "{PROGRAMS.hook}"\n' in plugin[1]


def test_folders_that_the_environment_names_are_used(tmp_path: Path) -> None:
    named = str(tmp_path / "named")
    for agent in (
        claude(tmp_path, CLAUDE_CONFIG_DIR=named),
        agent_of(CODEX, tmp_path, CODEX_HOME=named),
        agent_of(OPENCODE, tmp_path, XDG_CONFIG_HOME=named),
    ):
        assert all(path.startswith(f"{named}/") for path in written(agent.targets()))


def test_an_agent_describes_how_it_calls_hardwon(tmp_path: Path) -> None:
    assert [(agent.is_there, agent.connection()) for agent in agents(tmp_path)] == [
        (False, Connection())
    ] * len(AGENTS)
    for agent in agents(tmp_path):
        put(tmp_path, agent.targets())
    for agent in agents(tmp_path):
        if agent.is_untried:  # it has a server and rules, no hooks
            assert (agent.is_there, agent.connection()) == (True, Connection())
            continue
        [way] = agent.connection().ways

        assert way.startswith(str(tmp_path))
        assert agent.is_there
        assert agent.connection().missing == (PROGRAMS.hook,)
        assert len(agent.connection().ways) <= 1
        assert agent.next_step()


def test_only_a_program_that_is_named_by_its_path_can_be_missing(tmp_path: Path) -> None:
    for hook, missing in (
        ("hardwon-hook", ()),
        (str(tmp_path / "hardwon-hook"), (str(tmp_path / "hardwon-hook"),)),
    ):
        codex = ConfiguredAgent(CODEX, str(tmp_path), {}, Programs(hook, ""), {})
        put(tmp_path, codex.targets())
        assert codex.connection().missing == missing

    (tmp_path / "hardwon-hook").write_text("")
    assert codex.connection().missing == ()


@pytest.mark.parametrize("text", ["{", "[]", "const HOOK = 3", '{"hooks": 1, "enabledPlugins": 2}'])
def test_files_that_cannot_be_read_say_nothing(tmp_path: Path, text: str) -> None:
    for agent in agents(tmp_path):
        for target in agent.targets():
            Path(target.path).parent.mkdir(parents=True, exist_ok=True)
            Path(target.path).write_text(text)

        assert agent.connection() == Connection()


def test_a_program_missing_on_path_is_reported_for_claude_code(tmp_path: Path) -> None:
    program = tmp_path / "hardwon-mcp"
    program.write_text("")
    program.chmod(0o755)

    assert "put /opt/my tools on PATH" in claude(tmp_path).next_step()
    assert "on PATH" not in claude(tmp_path, PATH=str(tmp_path)).next_step()


def test_the_line_that_adds_the_server_is_valid_in_a_shell(tmp_path: Path) -> None:
    assert "-- '/opt/my tools/hardwon-mcp';" in claude(tmp_path).next_step()


def test_a_projects_server_that_is_asked_for_beside_the_plugin_is_unwanted(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"enabledPlugins": {"hardwon@x": true}}')
    asked = claude(tmp_path, mcp_json=True)

    assert [target.path for target in asked.project_unwanted("/p")] == ["/p/.mcp.json"]
    assert "/p/.mcp.json" not in written(asked.project_targets("/p"))
    assert list(claude(tmp_path).project_unwanted("/p")) == []
