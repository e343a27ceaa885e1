"""The open requests of each host, as measured with the real programs; hashes are those that Codex 0.169.0 gave."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from hardwon.adapters.agents import wants
from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.server_hooks import calling_hook
from hardwon.adapters.agents.table import (
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI,
    OPENCODE,
    AgentFacts,
    Programs,
)
from hardwon.adapters.agents.wants import start_seconds
from tests.machine import LONGEST_WAIT

HOOK, SERVER = "/bin/hardwon-hook", "/opt/my tools/hardwon-mcp"
FAST, SLOW = 0.4, 3.0
ENABLED = {"enabledMcpjsonServers": ["memory-server"]}
DISABLED = {"disabledMcpjsonServers": ["memory-server"]}
TRUSTED = {"hasTrustDialogAccepted": True}


class Home:
    """A user's home with a project below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "work" / "project"
        self.project.mkdir(parents=True)

    def write(self, path: str, content: object) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
        )
        return file

    def wants(self, facts: AgentFacts, seconds: float = FAST) -> list[str]:
        agent = ConfiguredAgent(facts, str(self.folder), {}, Programs(HOOK, SERVER), {})
        return list(agent.wants(str(self.project), lambda: seconds))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def name_server(home: Home) -> None:
    home.write(
        "work/project/.mcp.json",
        {"mcpServers": {"memory-server": {"command": "hardwon-mcp"}, "other": {}}},
    )


def test_claude_code_wants_an_approval_and_the_line_names_both_ways(home: Home) -> None:
    assert home.wants(CLAUDE_CODE) == []
    name_server(home)

    want = f"the server memory-server of .mcp.json waits for approval: run claude in {home.project} and agree,"
    assert home.wants(CLAUDE_CODE) == [
        f"{want} or: claude mcp add --scope user hardwon -- '{SERVER}'"
    ]


@pytest.mark.parametrize(
    ("layers", "wanted"),
    [
        ((ENABLED, {}, {}, {}), "waits for approval"),
        (({**ENABLED, **TRUSTED}, {}, {}, {}), ""),
        ((TRUSTED, {}, {}, {}), "waits for approval"),
        ((TRUSTED, {}, ENABLED, {}), ""),
        ((TRUSTED, {}, {"enableAllProjectMcpServers": True}, {}), ""),
        ((TRUSTED, {}, {}, ENABLED), ""),
        (({}, {}, {}, ENABLED), "waits for approval"),
        (({}, ENABLED, {}, {}), ""),
        (({}, {"enableAllProjectMcpServers": True}, {}, {}), ""),
        (({**ENABLED, **TRUSTED}, DISABLED, {}, {}), "was refused"),
        (({**TRUSTED, **DISABLED}, {}, ENABLED, {}), "was refused"),
    ],
)
def test_settings_of_a_project_approve_once_its_folder_is_trusted(
    home: Home, layers: tuple[Mapping[str, object], ...], wanted: str
) -> None:
    own, user, local, shared = layers
    name_server(home)
    home.write(".claude.json", {"projects": {str(home.project): own}})
    home.write(".claude/settings.json", user)
    home.write("work/project/.claude/settings.local.json", local)
    home.write("work/project/.claude/settings.json", shared)
    wants = home.wants(CLAUDE_CODE)

    assert [wanted in want for want in wants] == ([True] if wanted else [])


@pytest.mark.parametrize("where", ["user", "project"])
def test_a_server_that_claude_code_has_anyway_needs_no_approval(home: Home, where: str) -> None:
    servers = {"mcpServers": {"hardwon": {"command": SERVER}}}
    name_server(home)
    home.write(
        ".claude.json", servers if where == "user" else {"projects": {str(home.project): servers}}
    )

    assert home.wants(CLAUDE_CODE) == []


CODEX_HOOK = {"type": "command", "command": "/opt/tools/hardwon-hook", "timeout": 3}
CODEX_HASH = "sha256:f371851600ee062b754d52af7a81d37c4621d44bea64c7c2772f3b708a623621"

CALL_HASH = "sha256:a9e9ff02bfd9f15a028c1dc286de56b595211662f5170b0959e6503db3b034d3"
"""Both as Codex 0.169.0 lists them."""


def codex(home: Home, state: str = "", hook: Mapping[str, object] = CODEX_HOOK) -> list[str]:
    """Return what Codex wants with one hook of ours behind one of the user's."""
    other = {"hooks": [{"type": "command", "command": "lint"}]}
    path = home.write(".codex/hooks.json", {"hooks": {"SessionStart": [other, {"hooks": [hook]}]}})
    home.write(
        ".codex/config.toml", state.replace("KEY", f'hooks.state."{path}:session_start:1:0"')
    )
    return home.wants(CODEX)


def test_codex_runs_a_hook_whose_hash_it_trusts_and_names_others(home: Home) -> None:
    untrusted = [
        "it does not run 1 of 1 of its hooks, as they are new or changed: run codex, type /hooks and trust them"
    ]
    trusted = f'[KEY]\ntrusted_hash = "{CODEX_HASH}"\n'

    assert codex(home) == untrusted
    assert codex(home, trusted) == []
    assert codex(home, trusted, {**CODEX_HOOK, "timeout": 10}) == untrusted
    assert codex(home, f"{trusted}enabled = false\n") == [
        "1 of 1 of its hooks are switched off: run codex, type /hooks and switch them on"
    ]


def test_a_hook_of_codex_that_calls_the_server_is_trusted_by_its_hash(home: Home) -> None:
    by_server = CODEX.hooks.by_server
    assert by_server
    hook = {**calling_hook(by_server, "hardwon", "PostToolUse"), "timeout": 2}
    group = {"matcher": "Bash|apply_patch", "hooks": [hook]}
    path = home.write(".codex/hooks.json", {"hooks": {"PostToolUse": [group]}})
    state = f'[hooks.state."{path}:post_tool_use:0:0"]\ntrusted_hash = "{CALL_HASH}"\n'

    assert any("trust" in line for line in home.wants(CODEX))
    home.write(".codex/config.toml", state)
    assert not any("trust" in line for line in home.wants(CODEX))


def test_the_plugin_in_codex_wants_trust_and_in_claude_code_no_approval(home: Home) -> None:
    enabled = '[plugins."hardwon@hardwon"]\nenabled = true\n'
    trusted = '[hooks.state."hardwon@hardwon:hooks/codex.json:session_start:0:0"]\ntrusted_hash = "sha256:1"\n'
    home.write(".codex/config.toml", enabled)
    untrusted = home.wants(CODEX)
    home.write(".codex/config.toml", enabled + trusted)
    name_server(home)
    home.write(".claude/settings.json", {"enabledPlugins": {"hardwon@hardwon": True}})

    assert [want.partition(",")[0] for want in untrusted] == ["it does not run any of its hooks"]
    assert home.wants(CODEX) == home.wants(CLAUDE_CODE) == []


@pytest.mark.parametrize("feature", ["hooks", "codex_hooks"])
def test_codex_with_all_hooks_switched_off_is_told_first(home: Home, feature: str) -> None:
    assert codex(home, f"[features]\n{feature} = false\n") == [
        "its hooks are switched off: codex features enable hooks"
    ]
    assert codex(home, f"[features]\n{feature} = true\n") == codex(home)


@pytest.mark.parametrize(
    ("lines", "seconds", "limit"),
    [
        ("", FAST, None),
        ("", SLOW, 10),
        ("startup_timeout_sec = 60", SLOW, 60),
        ("required = true", SLOW, None),
        ("required = true", 4.0, 12),
        ("required = true\nstartup_timeout_sec = 60", 4.0, None),
    ],
)
def test_codex_drops_a_slow_server_that_is_not_required(
    home: Home, lines: str, seconds: float, limit: int | None
) -> None:
    path = home.write(
        ".codex/config.toml", f'[mcp_servers.hardwon]\ncommand = "{SERVER}"\n{lines}\n'
    )

    want = (
        f"the server takes {seconds:.1f} s to start here, and Codex may go on without its tools: put these lines below"
        f" [mcp_servers.hardwon] in {path}: required = true and startup_timeout_sec = {limit}"
    )
    assert home.wants(CODEX, seconds) == ([] if limit is None else [want])


def test_gemini_cli_names_hooks_that_are_off_and_of_too_short_a_time(home: Home) -> None:
    path = str(home.write(".gemini/settings.json", '{"hooksConfig": {"enabled": false}} // mine'))
    assert home.wants(GEMINI_CLI) == [
        f'its hooks are switched off: take "enabled": false out of hooksConfig in {path}'
    ]
    home.write(".gemini/settings.json", {"hooksConfig": {"disabled": ["hardwon"]}})
    assert home.wants(GEMINI_CLI) == [
        "its hook is switched off: run gemini and type /hooks enable hardwon"
    ]
    server = {"command": SERVER, "timeout": 5_000}
    home.write(
        ".gemini/settings.json",
        {"hooksConfig": {"disabled": ["x"]}, "mcpServers": {"hardwon": server}},
    )

    assert home.wants(GEMINI_CLI) == []
    assert home.wants(GEMINI_CLI, SLOW) == [
        f'the server takes 3.0 s to start here, and Gemini CLI waits 5 s: set "timeout": 9000 for hardwon in {path}'
    ]


def test_opencode_names_a_server_that_is_off_or_too_slow(home: Home) -> None:
    server = {"type": "local", "command": [SERVER]}
    path = home.write(
        ".config/opencode/opencode.json", {"mcp": {"hardwon": {**server, "enabled": False}}}
    )
    assert home.wants(OPENCODE) == [
        f'the server hardwon is switched off: set "enabled": true for it in {path}'
    ]
    servers = {"hardwon": server, "other": {"enabled": False}}
    home.write(".config/opencode/opencode.json", {"mcp": servers})
    assert home.wants(OPENCODE, SLOW) == []
    assert [" waits 30 s: " in want for want in home.wants(OPENCODE, 11.0)] == [True]
    home.write(
        ".config/opencode/opencode.json",
        {"mcp": servers | {"hardwon": {**server, "timeout": 5_000}}},
    )

    assert home.wants(OPENCODE) == []
    assert home.wants(OPENCODE, SLOW) == [
        f'the server takes 3.0 s to start here, and opencode waits 5 s: set "timeout": 9000 for hardwon in {path}'
    ]


@pytest.mark.parametrize(
    "facts", [CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE], ids=lambda facts: facts.name
)
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"hooks": 1, "projects": [], "mcp": {"hardwon": 3}, "mcpServers": "x"}'],
)
def test_settings_of_any_form_are_read_without_an_error(
    home: Home, facts: AgentFacts, text: str
) -> None:
    folder = "/".join(facts.folder)
    for path in (
        ".claude.json",
        "work/project/.mcp.json",
        *(
            f"{folder}/{name}"
            for name in ("settings.json", "hooks.json", "config.toml", "opencode.json")
        ),
    ):
        home.write(path, text)

    assert home.wants(facts, SLOW) == []


PAUSE = 0.2


def program(folder: Path, text: str) -> str:
    path = folder / "hardwon-mcp"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_answer_ends_the_measurement_and_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering = f'read request; sleep {PAUSE}; echo "$HARDWON_STORE" > {tmp_path}/store; echo {{}}; exec sleep 1000'
    monkeypatch.setattr(wants, "LIMIT_SECONDS", LONGEST_WAIT)
    seconds = start_seconds(program(tmp_path, answering))

    assert PAUSE <= seconds < LONGEST_WAIT
    assert not Path((tmp_path / "store").read_text().strip()).parent.exists(), (
        "it ran on the store of the user"
    )


@pytest.mark.parametrize("text", ["exit 3", "exec sleep 1000"])
def test_a_server_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(wants, "LIMIT_SECONDS", PAUSE)

    assert start_seconds(program(tmp_path, text)) > 0


def test_a_program_that_is_not_there_takes_no_time(tmp_path: Path) -> None:
    assert start_seconds(str(tmp_path / "none")) == 0.0
