"""
The coding agents that can be set up, as data: their folders, files, events, timeouts and command files.

Standard library only: hooks read it too.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from hardwon.adapters.agents.programs import NAME, SERVER

CommandForm: TypeAlias = Literal["claude", "opencode", "skill", "toml"]

SECONDS = {"SessionStart": 3, "UserPromptSubmit": 2, "PreCompact": 3, "Stop": 3, "SessionEnd": 3}
"""
Our events, named as Claude Code names them, and how long an agent waits for each; the plugin's manifests say the same.

Codex grants SessionEnd no more than three. Claude Code grants all of SessionEnd 1.5 s, unless the user's own settings say more.
"""


SAME_EVENTS = {event: event for event in SECONDS}


class Hooks(NamedTuple):
    """
    The hooks in an agent's settings.

    Attributes:
        events: The agent's name of an event to ours.
        ticks: Units of the agent's timeouts in a second.
        host: The name by which the hook is told whose JSON it reads; empty for an agent that speaks as Claude Code does.
        is_named: Whether a hook has a name, which the user sees.

    """

    events: Mapping[str, str] = SAME_EVENTS
    ticks: int = 1
    host: str = ""
    is_named: bool = False


class Server(NamedTuple):
    """
    Our server in an agent's settings.

    Attributes:
        place: The object or table of servers.
        entry: Returns the entry for a program.
        name: The name of ours.

    """

    place: str
    entry: Callable[[str], dict[str, Any]]
    name: str = NAME


class JsonFile(NamedTuple):
    """
    Settings in JSON that hold hooks, a server, or both.

    Attributes:
        name: Below the agent's folder.
        has_hooks: Whether the agent's hooks stand there.
        server: The server that stands there.
        schema: The address that the agent adds to a file without one.
        may_comment: Whether the agent reads comments there.

    """

    name: str
    has_hooks: bool = False
    server: Server | None = None
    schema: str = ""
    may_comment: bool = False


class TomlFile(NamedTuple):
    """
    Settings in TOML that hold a server.

    Attributes:
        name: Below the agent's folder.
        place: The table of servers.

    """

    name: str
    place: str


class PluginFile(NamedTuple):
    """
    A program of ours that the agent loads, and that calls the hook.

    Attributes:
        name: Below the agent's folder.

    """

    name: str


class PluginSwitch(NamedTuple):
    """
    The place where an agent notes that our plugin, which brings hooks and server, is enabled.

    Attributes:
        file: Below the agent's folder.
        place: The object or table of plugins.
        member: The member of a plugin's entry that says it; empty where the entry itself does.

    """

    file: str
    place: str
    member: str = ""


class CommandFiles(NamedTuple):
    """
    The files of commands in a project.

    Attributes:
        path: Below the project, with `{name}` for the command's name.
        form: The form of their texts.
        separator: Stands for the slash in a command's name.

    """

    path: str
    form: CommandForm
    separator: str = "/"


class OffSwitch(NamedTuple):
    """
    A setting that switches all hooks of an agent off.

    Attributes:
        member: Its name.
        project_files: The project's settings that may hold it, the strongest first.
        file: The user's settings that may hold it, the weakest; below the agent's folder.

    """

    member: str
    project_files: tuple[str, ...]
    file: str


class AgentFacts(NamedTuple):
    """
    One coding agent.

    Attributes:
        name: As an option names it.
        title: As people name it.
        program: Its program.
        folder: Its settings' folder below the user's home, in parts.
        files: The files there that are to hold something of ours.
        commands: The files of commands in a project.
        next_step: Tells the user what to do after a set-up, with `{server}` for our program.
        variable: An environment variable that names another folder in place of the first part of `folder`.
        hooks: How it calls the hook; without events for one that does so by a plugin file.
        plugin: Where it notes that our plugin is enabled.
        next_step_with_plugin: In place of `next_step` where that is so.
        path_advice: Added where PATH lacks our programs, with `{folder}` for theirs.
        project_server: The file of a project that may name our server, and how it does.
        hooks_off: The setting that switches all hooks off.

    """

    name: str
    title: str
    program: str
    folder: tuple[str, ...]
    files: tuple[JsonFile | TomlFile | PluginFile, ...]
    commands: CommandFiles
    next_step: str
    variable: str = ""
    hooks: Hooks = Hooks({})
    plugin: PluginSwitch | None = None
    next_step_with_plugin: str = ""
    path_advice: str = ""
    project_server: JsonFile | None = None
    hooks_off: OffSwitch | None = None

    def root(self, environ: Mapping[str, str], home: str) -> str:
        """Return the folder that its settings may not lead out of."""
        return environ.get(self.variable) or home

    def settings_folder(self, environ: Mapping[str, str], home: str) -> str:
        """Return the folder of its settings."""
        first, *rest = self.folder
        return os.path.join(environ.get(self.variable) or os.path.join(home, first), *rest)


def _started(program: str) -> dict[str, Any]:
    return {"command": program, "args": []}


def _enabled(program: str) -> dict[str, Any]:
    return {"type": "local", "command": [program], "enabled": True}


CLAUDE_CODE = AgentFacts(
    name="claude-code",
    title="Claude Code",
    program="claude",
    folder=(".claude",),
    variable="CLAUDE_CONFIG_DIR",
    hooks=Hooks(),
    files=(JsonFile("settings.json", has_hooks=True),),
    plugin=PluginSwitch("settings.json", "enabledPlugins"),
    hooks_off=OffSwitch("disableAllHooks", (".claude/settings.local.json", ".claude/settings.json"), "settings.json"),
    commands=CommandFiles(".claude/commands/{name}.md", "claude"),
    # It travels with git, so it names no path of this machine.
    project_server=JsonFile(".mcp.json", server=Server("mcpServers", lambda _: _started(SERVER), "memory-server")),
    next_step=f"start a new session; for the tools in every project too: claude mcp add --scope user {NAME} -- {{server}}",
    next_step_with_plugin="start a new session; hooks and tools come from the plugin",
    path_advice="; put {folder} on PATH: the project's commands name programs without it",
)

CODEX = AgentFacts(
    name="codex",
    title="Codex",
    program="codex",
    folder=(".codex",),
    variable="CODEX_HOME",
    hooks=Hooks(),
    files=(JsonFile("hooks.json", has_hooks=True), TomlFile("config.toml", "mcp_servers")),
    plugin=PluginSwitch("config.toml", "plugins", "enabled"),
    commands=CommandFiles(".codex/skills/{name}/SKILL.md", "skill", separator="-"),
    next_step="start it, and trust the new hooks with /hooks: until then it does not run them",
)

GEMINI_CLI = AgentFacts(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    folder=(".gemini",),
    hooks=Hooks(
        # PreCompress is not among them: it comes before every call of the model.
        events={
            "SessionStart": "SessionStart",
            "BeforeAgent": "UserPromptSubmit",
            "AfterAgent": "Stop",
            "SessionEnd": "SessionEnd",
        },
        ticks=1_000,
        host="gemini",
        is_named=True,
    ),
    files=(JsonFile("settings.json", has_hooks=True, server=Server("mcpServers", _started), may_comment=True),),
    commands=CommandFiles(".gemini/commands/{name}.toml", "toml"),
    next_step="start a new session; /hooks and /mcp list what it has",
)

OPENCODE = AgentFacts(
    name="opencode",
    title="opencode",
    program="opencode",
    folder=(".config", "opencode"),
    variable="XDG_CONFIG_HOME",
    files=(
        JsonFile("opencode.json", server=Server("mcp", _enabled), schema="https://opencode.ai/config.json"),
        PluginFile(f"plugin/{NAME}.js"),
    ),
    commands=CommandFiles(".opencode/commands/{name}.md", "opencode"),
    next_step="start it anew: it reads plugins and servers once",
)

AGENTS = (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE)
