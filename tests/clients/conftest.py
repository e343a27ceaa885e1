"""The real agents, set up by `hardwon init`, with a scripted model."""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import attrs
import pytest

from tests.clients.scripted_model import Call, Request, ScriptedModel
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import entry
from tests.machine import LONGEST_WAIT

INSTALLED = Path(__file__).parents[2] / ".clients" / "node_modules"
"""Where `make clients` installs them."""

KEY = "no-key-of-anybody"

SPY = """#!/bin/sh
given=$(cat)
printf '%s\\n' "$given" >>'{log}'
printf %s "$given" | exec '{hook}' "$@"
"""
"""Writes down what the hook is told, and runs it."""


class Start(NamedTuple):
    """How a client is started: its arguments before the prompt, and more variables."""

    arguments: Sequence[str]
    variables: Mapping[str, str]


@attrs.frozen(kw_only=True)
class Client:
    """
    An agent's program.

    Attributes:
        agent: Its name in `hardwon init`.
        program: Below the folder of the installed ones.
        start: Writes its settings for the model at an address, and returns how to start it.
        resumed: The arguments that continue its last session.
        run: The call that runs a command in its shell.
        subagents: The calls that start a subagent each, given their tasks.
    """

    agent: str
    program: str
    start: Callable[[Path, str], Start]
    resumed: Callable[[Sequence[str]], Sequence[str]]
    run: Callable[[str], Call]
    subagents: Callable[[Sequence[str]], Sequence[Call]] | None = None

    @property
    def path(self) -> Path:
        """The installed program."""
        return INSTALLED / self.program


CLAUDE_QUIET = (
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def _claude(home: Path, address: str) -> Start:
    del home
    tools = "Bash,Read,Edit,Write,Agent,Task"
    arguments = ["--permission-mode", "dontAsk", "--allowedTools", tools, "-p"]
    quiet = dict.fromkeys(CLAUDE_QUIET, "1")
    return Start(arguments, {**quiet, "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": KEY})


def _claude_agents(tasks: Sequence[str]) -> list[Call]:
    return [
        Call("Agent", {"description": "look", "prompt": task, "subagent_type": "general-purpose"})
        for task in tasks
    ]


CLAUDE_CODE = Client(
    agent="claude-code",
    program="@anthropic-ai/claude-code/bin/claude.exe",
    start=_claude,
    resumed=lambda arguments: ["--continue", *arguments],
    run=lambda command: Call("Bash", {"command": command, "description": "run"}),
    subagents=_claude_agents,
)

OLD_CLAUDE_CODE = attrs.evolve(
    CLAUDE_CODE,
    program="claude-code-2.1.110/cli.js",
)
"""The last but some that knows no `mcp_tool` hooks."""

CODEX_CONFIG = """
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

[features]
multi_agent = true
"""


def _codex(home: Path, address: str) -> Start:
    _write(home / ".codex" / "config.toml", CODEX_CONFIG.format(address=address))
    arguments = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return Start([*arguments, "--dangerously-bypass-hook-trust"], {"OPENAI_API_KEY": KEY})


CODEX = Client(
    agent="codex",
    program=".bin/codex",
    start=_codex,
    resumed=lambda arguments: [*arguments, "resume", "--last"],
    run=lambda command: Call("exec_command", {"cmd": command}),
    subagents=lambda tasks: [
        Call("multi_agent_v1.spawn_agent", {"message": task}) for task in tasks
    ],
)


def _gemini(home: Path, address: str) -> Start:
    settings = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    arguments = ["--model", "gemini-2.5-flash", "--yolo", "--prompt"]
    return Start(arguments, {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": address})


GEMINI_CLI = Client(
    agent="gemini-cli",
    program=".bin/gemini",
    start=_gemini,
    resumed=lambda arguments: ["--resume", "latest", *arguments],
    run=lambda command: Call("run_shell_command", {"command": command}),
)


def _opencode(home: Path, address: str) -> Start:
    model = {"name": "scripted", "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "options": {"baseURL": f"{address}/v1", "apiKey": KEY},
        "models": {"scripted": model},
    }
    settings = {
        "model": "anthropic/scripted",
        "small_model": "anthropic/scripted",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "provider": {"anthropic": provider},
    }
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(settings))
    return Start(["run"], {"OPENCODE_DISABLE_MODELS_FETCH": "1"})


OPENCODE = Client(
    agent="opencode",
    program=".bin/opencode",
    start=_opencode,
    resumed=lambda arguments: [*arguments, "--continue"],
    run=lambda command: Call("bash", {"command": command, "description": "run"}),
    subagents=lambda tasks: [
        Call("task", {"description": "look", "prompt": task, "subagent_type": "general"})
        for task in tasks
    ],
)

CLIENTS = (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class Desk:
    """
    A client that works in a world's project, with hardwon set up by `hardwon init`.

    Attributes:
        requests: All that the model was asked.
    """

    def __init__(self, client: Client, world: World, model: ScriptedModel) -> None:
        self.client = client
        self.world = world
        self._model = model
        self._start = client.start(Path(world.variables["HOME"]), model.address)
        self.init()

    def init(self) -> None:
        """Set up hardwon, as far as it is not."""
        assert hardwon(self.world, "init", "--yes", "--agent", self.client.agent).code == 0

    def register_server(self) -> None:
        """Register the server for all projects of Claude Code."""
        self.put_on_path("claude")
        program = ["hardwon", "--", str(BIN / "hardwon-mcp")]
        self._run("mcp", "add", "--scope", "user", *program)
        self.init()

    def put_on_path(self, name: str) -> None:
        """Put the client on PATH, where `init` asks all for their version."""
        on_path = self.world.folder / "clients"
        on_path.mkdir()
        (on_path / name).symlink_to(self.client.path)
        self.world.variables["PATH"] = f"{on_path}{os.pathsep}{self.world.variables['PATH']}"

    def settle_without_variables(self) -> None:
        """Use the default store, and settings from a file of the project."""
        variables, folder = self.world.variables, ".claude/iflow/memory"
        place = Path(variables["HOME"]) / folder
        place.parent.mkdir(parents=True)
        place.symlink_to(self.world.store)
        for name in [name for name in variables if name.startswith("HARDWON_")]:
            del variables[name]
        settings = "memory_injection_limit: 0\nmemory_embedding_provider: off"
        _write(self.world.project / ".claude/iflow-dev.local.md", f"---\n{settings}\n---\n")

    def unregister_server(self) -> None:
        """Remove the server without telling hardwon."""
        self._run("mcp", "remove", "--scope", "user", "hardwon")

    def count_processes(self, log: Path) -> Callable[[], Sequence[str]]:
        """Return a function that returns the events for which a process of the hook has run since."""
        spy = self.world.folder / "spy" / "hardwon-hook"
        _write(spy, SPY.format(log=log, hook=BIN / "hardwon-hook"))
        spy.chmod(0o755)
        for name in (".claude/settings.json", ".codex/hooks.json"):
            path = Path(self.world.variables["HOME"]) / name
            if path.exists():
                path.write_text(path.read_text().replace(str(BIN / "hardwon-hook"), str(spy)))

        def ran() -> list[str]:
            text = log.read_text() if log.exists() else ""
            log.unlink(missing_ok=True)
            return re.findall(r'"hook_event_name": ?"(\w+)"', text)

        return ran

    def ask(self, prompt: str, *, resumes: bool = False) -> list[Request]:
        """Run the client with *prompt*, and return the requests that it made."""
        begin, arguments = len(self._model.requests), self._start.arguments
        self._run(*(self.client.resumed(arguments) if resumes else arguments), prompt)
        return self._model.requests[begin:]

    @contextlib.contextmanager
    def session(self, *arguments: str) -> Iterator[Callable[[str], list[Request]]]:
        """Run Claude Code meanwhile, and yield a function that prompts it."""
        streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        with subprocess.Popen(
            [str(self.client.path), *self._start.arguments, *streams, *arguments],
            cwd=self.world.project,
            env=self._variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:

            def ask(prompt: str) -> list[Request]:
                assert process.stdin
                assert process.stdout
                begin, message = len(self._model.requests), {"role": "user", "content": prompt}
                print(
                    json.dumps({"type": "user", "message": message}), file=process.stdin, flush=True
                )
                assert any(json.loads(line)["type"] == "result" for line in process.stdout)
                return self._model.requests[begin:]

            yield ask

    @property
    def _variables(self) -> dict[str, str]:
        return {**self.world.patient, **self._start.variables, "NO_PROXY": "127.0.0.1"}

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.client.path), *arguments],
            cwd=self.world.project,
            env=self._variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_WAIT,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def receipts(self) -> list[tuple[Any, ...]]:
        """Return event, agent and delivery of all receipts of moments."""
        found = self.world.query("SELECT event, agent, delivery FROM receipt ORDER BY number")
        return [row for row in found if row[0] not in {"start", "prompt"}]


ERROR = "ModuleNotFoundError: No module named 'frobnicate'"
LESSON = f"`{ERROR}` on CI: the cached venv is stale, bump the key of its cache."
OTHER = "The herd of zebra_quux is locked before it is counted, or LockTimeout is raised."
RULE = "Never touch the ledger of another quarter."

Set: TypeAlias = Callable[[Client], Desk]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Yield a world with two lessons and a rule, which are searched by word."""
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path / "world", cleanup)
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
        world.variables["HARDWON_INJECTION_LIMIT"] = "0"  # or the first request had it all
        world.remember(
            entry("Stale venv", LESSON),
            attrs.evolve(entry("Herd", OTHER), references=("src/herd.py",)),
            attrs.evolve(entry("Ledger", RULE), tier="constitutional"),
            *(entry(f"Filler {number}", f"filler number {number}") for number in range(60)),
        )
        yield world


@pytest.fixture
def desk(world: World, model: ScriptedModel) -> Set:
    """Return a function that sets up a client, if it is installed."""

    def set_up(client: Client) -> Desk:
        if not client.path.exists():
            pytest.skip(f"{client.path.name} is not installed: make clients")
        return Desk(client, world, model)

    return set_up
