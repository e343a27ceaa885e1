"""`hardwon init` gives agents a memory, and takes it away again without a trace."""

import contextlib
import json
import os
import pty
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hardwon.domain.use_cases.setting_up.set_up import Plan
from hardwon.entrypoints.agent_health import agent_states
from hardwon.entrypoints.agents import build_agents, our_programs, used_agents
from hardwon.entrypoints.cli.setup_telling import Telling
from hardwon.ports.agent import Connection
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import LONGEST_RUN, Ran, bank, hardwon, run

ALL = [word for name in ("claude-code", "codex", "gemini-cli", "opencode") for word in ("--agent", name)]
FACT = "---\nname: prefers-tabs\ndescription: The user prefers tabs\nmetadata:\n  type: user\n---\nTabs in {}, never spaces.\n"
OWN = {
    ".claude/settings.json": '{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
    ".codex/config.toml": 'model = "x"\n\n[mcp_servers.mine]\ncommand = "y"\n',
    ".gemini/settings.json": '{\n\t"ui": {"theme": "dark"}\n}',
    ".config/opencode/opencode.json": '{ "theme": "x" , "mcp": {} }\n',
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return an empty world whose memories are searched by word."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def home(world: World) -> Path:
    return Path(world.variables["HOME"])


def tree(*folders: Path) -> dict[str, bytes | None]:
    """Return every file's bytes and every folder."""
    paths = sorted(path for folder in folders for path in folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def init(world: World, *arguments: str) -> Ran:
    return hardwon(world, "init", *arguments)


def host_runs(world: World, command: str, payload: dict[str, Any]) -> str:
    """Return what a hook of a settings file prints, run by a shell as hosts do, in no environment of ours."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload).encode(),
        env=world.variables,
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
    if not own:
        del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    write(home(world), own)
    playwright = {".mcp.json": '{"mcpServers":{"playwright":{"command":"npx","args":["x"]}}}'} if own else {}
    write(world.project, playwright)
    world.write_bank("patterns", bank("Pattern: Lock the store"))
    before = tree(home(world), world.project)

    done = init(world, *ALL, "--mcp-json", "--yes", "--json")

    assert (done.code, done.stderr) == (0, "")
    assert done.document["written"] is True
    assert done.document["imported"]["added"] == 1
    assert all(finding["ok"] for finding in done.document["findings"])
    assert {change["change"] for change in done.document["changes"]} == ({"create", "change"} if own else {"create"})
    assert done.document["next"].keys() == {"claude-code", "codex", "gemini-cli", "opencode"}
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    if not own:
        assert_hooks_print_the_block(world)
        assert_servers_answer(world)

    written = tree(home(world), world.project)
    again = init(world, *ALL, "--mcp-json")
    assert (again.code, again.stdout.splitlines()[0]) == (0, "Nothing to do: no file has to change.")
    assert tree(home(world), world.project) == written

    undone = init(world, "--remove", "--yes")
    assert (undone.code, undone.stderr) == (0, "")
    assert str(world.store) in undone.stdout
    assert tree(home(world), world.project) == before
    assert world.database.is_file()
    assert not (world.store / "setup.json").exists()


def assert_hooks_print_the_block(world: World) -> None:
    start = world.session_start()
    blocks = [
        host_runs(world, command_for(home(world) / name, "SessionStart"), start)
        for name in (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json")
    ]
    gemini = json.loads(blocks.pop())["hookSpecificOutput"]["additionalContext"]
    for block in (*blocks, gemini):
        assert block.startswith("<hardwon-memory")
        assert "### Pattern: Lock the store" in block


def assert_servers_answer(world: World) -> None:
    codex = tomllib.loads((home(world) / ".codex/config.toml").read_text())["mcp_servers"]["hardwon"]
    gemini = json.loads((home(world) / ".gemini/settings.json").read_text())["mcpServers"]["hardwon"]
    opencode = json.loads((home(world) / ".config/opencode/opencode.json").read_text())["mcp"]["hardwon"]
    project = json.loads((world.project / ".mcp.json").read_text())["mcpServers"]["memory-server"]
    assert project == {"command": "hardwon-mcp", "args": []}
    assert [codex["command"]] == [gemini["command"], *gemini["args"]] == opencode["command"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    assert opencode["command"] == [str(BIN / "hardwon-mcp")]
    done = run(world, "hardwon-mcp", stdin=json.dumps(request).encode() + b"\n")
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "hardwon"


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": dict[str, object](),
    "clientInfo": {"name": "test", "version": "1"},
}


def test_it_shows_what_it_would_write_and_without_a_terminal_or_a_yes_writes_nothing(world: World) -> None:
    write(home(world), {".claude/settings.json": '{\n  "env": {}\n}\n'})
    before = tree(home(world), world.project)
    asked, rehearsed = init(world), init(world, "--dry-run")

    assert (asked.code, asked.stderr) == (1, "hardwon: nothing was written: run with --yes\n")
    assert (rehearsed.code, rehearsed.stderr) == (0, "")
    assert asked.stdout == rehearsed.stdout
    lines = asked.stdout.splitlines()
    assert lines[:3] == [f"change {home(world)}/.claude/settings.json", "    @@ -1,3 +1,60 @@", "     {"]
    assert f"create {world.project}/.claude/commands/recall.md" in lines
    assert tree(home(world), world.project) == before
    assert not world.store.exists()


def test_only_agents_that_are_found_are_set_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home(world)))
    monkeypatch.setenv("PATH", str(world.folder / "programs"))
    assert found(world) == ["claude-code"]

    (home(world) / ".codex").mkdir()
    assert found(world) == ["codex"]

    world.put_program("gemini", "exit 0")
    assert found(world) == ["codex", "gemini-cli"]


def found(world: World) -> list[str]:
    return [agent.name for agent in used_agents(build_agents(world.variables))]


def test_programs_are_named_by_the_path_that_outlives_an_upgrade_if_that_is_this_very_installation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home(world)))
    assert our_programs() == (str(BIN / "hardwon-hook"), str(BIN / "hardwon-mcp"))

    links = home(world) / ".local" / "bin"
    write(links, {"hardwon-mcp": "of another installation"})
    (links / "hardwon-hook").symlink_to(BIN / "hardwon-hook")
    assert our_programs() == (str(links / "hardwon-hook"), str(BIN / "hardwon-mcp"))


def test_an_agent_that_is_none_is_refused_in_one_line(world: World) -> None:
    wrong = init(world, "--agent", "emacs")

    assert wrong.code == 1
    assert "'emacs' is not one of claude-code, codex, gemini-cli, opencode" in wrong.stderr
    assert not world.store.exists()


def test_commands_of_the_project_are_those_of_the_plugin_with_programs_by_name(world: World) -> None:
    init(world, "--agent", "claude-code", "--yes", "--no-import")
    folder = world.project / ".claude" / "commands"
    texts = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}

    assert texts.keys() == {"recall.md", "remember.md", "save.md", "tlc/recall.md", "tlc/remember.md"}
    assert texts["tlc/recall.md"] == texts["recall.md"]
    assert all("CLAUDE_PLUGIN_ROOT" not in text and "$ARGUMENTS" in text for text in texts.values())
    assert "\nhardwon recall " in texts["recall.md"]


def test_what_cannot_be_edited_or_is_the_users_own_is_left_and_the_rest_is_done(world: World) -> None:
    own = {
        ".claude/settings.json": "{} // mine",
        ".codex/config.toml": "[mcp_servers.hardwon]\n",
        ".gemini/settings.json": "{",
    }
    write(home(world), own)
    write(world.project, {".claude/commands/recall.md": "mine"})

    done = init(world, *ALL, "--yes")

    assert done.code == 1
    warnings = done.stderr.splitlines()
    assert [line.split(": ")[1] for line in warnings] == [
        f"{world.project}/.claude/commands/recall.md",
        f"{home(world)}/.codex/config.toml",
        "not written",
        "not written",
    ]
    assert "add by hand: {" in warnings[2]
    assert {name: (home(world) / name).read_text() for name in own} == own
    assert (world.project / ".claude/commands/recall.md").read_text() == "mine"
    assert (world.project / ".claude/commands/save.md").is_file()
    assert (home(world) / ".codex/hooks.json").is_file()
    assert (home(world) / ".config/opencode/plugin/hardwon.js").is_file()


@pytest.mark.parametrize(
    ("left", "says"), [((), "is gone."), (("config.toml: yours",), "is gone, but for what is named below.")]
)
def test_what_could_not_be_taken_out_is_not_said_to_be_gone(
    left: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Telling(Plan(left=left), (), as_json=False).removed("/store")

    assert capsys.readouterr().out.startswith(f"What hardwon wrote {says} ")


def test_links_in_a_hostile_project_lead_nowhere(world: World) -> None:
    elsewhere = world.folder / "elsewhere"
    write(elsewhere, {"commands/recall.md": "theirs", "y.json": "{}"})
    (world.project / ".claude").symlink_to(elsewhere)
    (world.project / ".mcp.json").symlink_to(elsewhere / "y.json")
    before = tree(elsewhere)

    done = init(world, "--agent", "claude-code", "--mcp-json", "--yes", "--json")

    assert done.code == 1
    assert len(done.document["refused"]) == 6
    assert all("leads out of" in line for line in done.document["refused"])
    assert tree(elsewhere) == before


def test_where_the_plugin_is_enabled_our_hooks_go_and_nothing_runs_twice(world: World) -> None:
    init(world, "--agent", "claude-code", "--yes", "--no-import")
    settings = home(world) / ".claude/settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "enabledPlugins": {"hardwon@hardwon": True}}))

    init(world, "--agent", "claude-code", "--yes", "--no-import")

    assert json.loads(settings.read_text()) == {"enabledPlugins": {"hardwon@hardwon": True}}


class Agent:
    """An agent that calls us in a way of its own."""

    name = title = program = "x"
    is_there = True

    def __init__(self, *ways: str, commands: tuple[str, ...] = (), is_twice: bool = False) -> None:
        self._connection = Connection(ways, commands, is_twice=is_twice)

    def connection(self) -> Connection:
        return self._connection

    def targets(self) -> tuple[()]:
        return ()

    unwanted = targets

    def project_targets(self, project: str) -> tuple[()]:  # noqa: ARG002  # the port's name
        return ()

    def next_step(self) -> str:
        return ""


@pytest.mark.parametrize(
    ("agents", "name", "ok", "says"),
    [
        ([], "agents", True, "run hardwon init"),
        ([Agent()], "agents", True, "none calls the hook yet: run hardwon init"),
        ([Agent(), Agent("~/x", commands=(str(BIN / "hardwon-hook"),))], "agent x", True, "hooks from ~/x"),
        ([Agent("~/x", commands=("hardwon-hook",))], "agent x", True, "hooks from ~/x"),
        (
            [Agent("~/x", commands=("/gone/hardwon-hook",))],
            "agent x",
            False,
            "/gone/hardwon-hook is gone, ~/x names it",
        ),
        ([Agent("its plugin", "~/x", is_twice=True)], "agent x", False, "hooks run twice, from its plugin and ~/x"),
    ],
)
def test_the_doctor_tells_how_each_agent_calls_us(agents: list[Agent], name: str, ok: bool, says: str) -> None:  # noqa: FBT001
    [state] = agent_states(agents)

    assert (state.name, state.ok) == (name, ok)
    assert says in state.detail


@pytest.fixture
def facts(world: World) -> Path:
    name = "".join(letter if letter.isalnum() else "-" for letter in str(world.project.resolve()))
    folder = home(world) / ".claude/projects" / name / "memory"
    key = "sk-" + "ant-api03-" + "Ab1" * 20
    write(folder, {"tabs.md": FACT.format(key), "MEMORY.md": "- [tabs](tabs.md)"})
    return folder


def test_what_claude_code_remembers_comes_in_when_the_user_agrees_once_and_without_secrets(
    world: World, facts: Path
) -> None:
    silent = init(world, "--agent", "claude-code", "--yes")
    assert "Claude Code remembers 1 fact of this project: hardwon init --import" in silent.stdout
    assert world.query("SELECT count(*) FROM entry") == [(0,)]

    first = init(world, "--agent", "claude-code", "--import", "--json").document["facts"]
    second = init(world, "--agent", "claude-code", "--import", "--json").document["facts"]

    assert (first["new"], second["new"], second["unchanged"]) == ([str(facts.resolve() / "tabs.md")], [], 1)
    [(kind, source)] = world.query("SELECT kind, source FROM entry JOIN entry_text ON entry_seq = seq")
    assert (kind, source) == ("preference", "import")
    found = hardwon(world, "recall", "tabs", "or", "spaces", "--json")
    assert found.document[0]["title"] == "prefers tabs"
    assert "ant-api03" not in world.database.read_bytes().decode("latin-1")


@pytest.mark.parametrize(("answers", "entries"), [((b"n\n",), None), ((b"y\n", b"y\n"), 1)], ids=["no", "yes"])
def test_who_sits_at_a_terminal_is_asked_before_files_are_written_and_facts_come_in(
    world: World, facts: Path, answers: tuple[bytes, ...], entries: int | None
) -> None:
    ours, theirs = pty.openpty()
    command = [str(BIN / "hardwon"), "init", "--agent", "codex"]
    process = subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    for answer in answers:
        while not shown.endswith(b"[y/N]: "):
            shown += os.read(ours, 4_096)
        os.write(ours, answer)
        shown += os.read(ours, len(answer))
    with contextlib.suppress(OSError):  # Linux says so at the end
        while chunk := os.read(ours, 4_096):
            shown += chunk
    os.close(ours)

    assert process.wait(LONGEST_RUN) == 0
    assert facts.is_dir()
    assert b"Write this? [y/N]" in shown
    assert (b"Nothing was written." in shown) is (entries is None)
    assert (home(world) / ".codex/hooks.json").exists() is (entries is not None)
    assert world.database.exists() is (entries is not None)
    assert entries is None or world.query("SELECT count(*) FROM entry") == [(entries,)]
