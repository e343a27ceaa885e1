"""
The supported coding agents, as data, and the programs they call.

Standard library only: hooks read it too.
"""

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

HOOK, SERVER = "hardwon-hook", "hardwon-mcp"
NAME = "hardwon"
"""The name of the server in agents' settings."""

PLUGIN = "hardwon@"
"""The beginning of the plugin's name. Its marketplace follows."""


class Programs(NamedTuple):
    """
    Absolute paths of `hardwon-hook` and `hardwon-mcp`.

    Attributes:
        guard: The beginning of a shell command that ends if a server answers; empty for none.
    """

    hook: str
    server: str
    guard: str = ""

    def hook_command(self, *options: str) -> str:
        """Return a shell command that calls the hook and always succeeds."""
        return f"{shlex.join((self.hook, *options))} || exit 0"


GUARD_END = " 2>/dev/null || "
"""The end of the guard of a shell command."""


def our_programs(guard: str = "") -> Programs:
    """Return the installed programs, if possible by an upgrade-proof path."""
    return Programs(_program(HOOK), _program(SERVER), guard)


def _program(name: str) -> str:
    places = [os.path.dirname(sys.executable), os.path.dirname(os.path.abspath(sys.argv[0]))]
    paths = [os.path.join(place, name) for place in places]
    path = next(filter(os.path.isfile, paths), paths[0])
    linked = os.path.join(os.path.expanduser("~"), ".local", "bin", name)
    return linked if os.path.realpath(linked) == os.path.realpath(path) else path


def program_in(command: str) -> str:
    """Return the program that a shell command starts."""
    command = command.rpartition(GUARD_END)[2]
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[0] if words else ""


def is_hook(command: object) -> bool:
    """Return whether a shell command runs `hardwon-hook`, in any folder."""
    return isinstance(command, str) and os.path.basename(program_in(command)) == HOOK


def is_server(entry: object) -> bool:
    """
    Return whether a server's entry starts `hardwon-mcp`.

    Its command is a text or a list.
    """
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    return isinstance(first, str) and os.path.basename(first) == SERVER


CommandForm: TypeAlias = Literal["claude", "opencode", "skill", "toml"]

SECONDS = {
    "SessionStart": 10,
    "UserPromptSubmit": 10,
    "PreCompact": 10,
    "Stop": 10,
    "SessionEnd": 3,
    "PostToolUse": 10,
    "PostToolUseFailure": 10,
    "SubagentStart": 10,
}
"""
Timeouts in seconds by hook event, with Claude Code's names.

The plugin's manifests repeat them.
"""

OF_SESSIONS = {
    event: event
    for event in ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")
}
"""The events of a session, by the same names."""


class ServerHooks(NamedTuple):
    """
    Hooks by which an agent calls the running server.

    Attributes:
        matchers: The tools, by the agent's event name; empty for all.
        oldest: The first version with such hooks. An earlier one may run no hook of the file.
        fields: The fields of an action that are passed, `${…}` for the agent to fill in. Of a file
            that was read or edited, not the whole content.
        of_prompt: Likewise those of a prompt.
        seconds: The time limit of a call at a moment.
        prompt_seconds: That of a call beside a prompt. The server ends by itself within a second, but
            some agents count the start of a server of the subagent's own too.
        in_plugin: The name of the plugin's server; empty if the plugin's processes do not wait for it.
        servers: The file of the user's servers, beside the first folder of settings, and its table.
            None if the agent's other files name the server.
        hidden: The beginnings of variables that matter to hooks and that its servers do not get.
    """

    matchers: Mapping[str, str]
    oldest: tuple[int, ...]
    fields: Mapping[str, Any]
    of_prompt: Mapping[str, str]
    seconds: float
    prompt_seconds: float
    in_plugin: str
    servers: tuple[str, str] | None = None
    hidden: tuple[str, ...] = ()


def _filled_in(*names: str) -> dict[str, str]:
    return {name: f"${{{name}}}" for name in names}


EVENT = _filled_in("hook_event_name", "session_id", "transcript_path", "cwd")
ACTION = {**EVENT, **_filled_in("tool_name", "tool_input")}
PROMPT = {**EVENT, **_filled_in("prompt")}


class Hooks(NamedTuple):
    """
    The hooks in an agent's settings.

    Attributes:
        events: From the agent's event names to Claude Code's.
        ticks: Units of the agent's timeouts in a second.
        host: The hook's option for the agent's dialect of JSON; empty for Claude Code's.
        is_named: Whether hooks have a name that the user sees.
        matchers: The tools whose events run the hook, by the agent's event name. Each run is a
            process, so failures alone are reported where the agent can.
        by_server: Hooks that replace those of the same event, and add to them, where the server is
            registered for all projects.
    """

    events: Mapping[str, str] = OF_SESSIONS
    ticks: int = 1
    host: str = ""
    is_named: bool = False
    matchers: Mapping[str, str] = {}
    by_server: ServerHooks | None = None


class Server(NamedTuple):
    """The managed server in an agent's settings."""

    place: str
    entry: Callable[[str], dict[str, Any]]
    name: str = NAME


class JsonFile(NamedTuple):
    """
    Settings in JSON that hold hooks, a server, or both.

    Attributes:
        name: Its path below the agent's folder.
        schema: The address that the agent adds to a file without one.
        may_comment: Whether the agent allows comments.
    """

    name: str
    has_hooks: bool = False
    server: Server | None = None
    schema: str = ""
    may_comment: bool = False


class TomlFile(NamedTuple):
    """Settings in TOML that hold a server in the table *place*."""

    name: str
    place: str


class PluginFile(NamedTuple):
    """A plugin, owned by hardwon, by which the agent calls the hook."""

    name: str


class PluginSwitch(NamedTuple):
    """
    The agent's setting that enables hardwon's plugin.

    Attributes:
        file: Its path below the agent's folder.
        member: The flag in a plugin's entry; empty if the entry is the flag.
    """

    file: str
    place: str
    member: str = ""


class CommandFiles(NamedTuple):
    """
    The files of commands in a project.

    Attributes:
        path: Below the project, with `{name}` for the command's name.
        separator: Replaces the slash in a command's name.
    """

    path: str
    form: CommandForm
    separator: str = "/"


class RulesFile(NamedTuple):
    """
    A file of rules in a project, for an agent without hooks.

    Attributes:
        path: Below the project.
        head: The front matter that makes the agent read it in each session.
    """

    path: str
    head: str


class OffSwitch(NamedTuple):
    """
    A setting that switches all hooks of an agent off.

    Attributes:
        project_files: Project settings that may hold it, the strongest first.
        file: The user's settings, the weakest; below the agent's folder.
    """

    member: str
    project_files: tuple[str, ...]
    file: str


class AgentFacts(NamedTuple):
    """
    A coding agent.

    Attributes:
        folder: Path of its settings below the user's home, in parts.
        files: The files there with a managed part.
        next_step: Advice after a set-up, with `{server}` for the server's program.
        variable: An environment variable that replaces the first part of `folder`.
        hooks: Without events for an agent with a plugin file.
        next_step_with_plugin: Replaces `next_step` if the plugin is enabled.
        next_step_with_server: Likewise if hooks call the running server.
        path_advice: Added if PATH lacks hardwon's programs, with `{folder}` for theirs.
        project_server: The file of a project that may name the server.
        marks: Variables that it sets for programs it runs; `_` at the end marks a prefix.
        rules: Its file of rules in a project.
        is_untried: Whether hardwon follows its documentation alone. It is set up only if named.
    """

    name: str
    title: str
    program: str
    folder: tuple[str, ...]
    files: tuple[JsonFile | TomlFile | PluginFile, ...]
    next_step: str
    commands: CommandFiles | None = None
    variable: str = ""
    hooks: Hooks = Hooks({})
    plugin: PluginSwitch | None = None
    next_step_with_plugin: str = ""
    next_step_with_server: str = ""
    path_advice: str = ""
    project_server: JsonFile | None = None
    hooks_off: OffSwitch | None = None
    marks: tuple[str, ...] = ()
    rules: RulesFile | None = None
    is_untried: bool = False

    def root(self, environ: Mapping[str, str], home: str) -> str:
        """Return the folder that no link of its settings may leave."""
        return environ.get(self.variable) or home

    def settings_folder(self, environ: Mapping[str, str], home: str) -> str:
        """Return the folder of its settings."""
        first, *rest = self.folder
        return os.path.join(environ.get(self.variable) or os.path.join(home, first), *rest)


def _started(program: str) -> dict[str, Any]:
    return {"command": program, "args": []}


def _local(program: str) -> dict[str, Any]:
    return {"type": "local", "command": program, "args": [], "tools": ["*"]}


def _enabled(program: str) -> dict[str, Any]:
    return {"type": "local", "command": [program], "enabled": True}


CLAUDE_CODE = AgentFacts(
    name="claude-code",
    title="Claude Code",
    marks=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"),
    program="claude",
    folder=(".claude",),
    variable="CLAUDE_CONFIG_DIR",
    hooks=Hooks(
        events={
            **OF_SESSIONS,
            "PostToolUseFailure": "PostToolUseFailure",
            "SubagentStart": "SubagentStart",
        },
        matchers={"PostToolUseFailure": "Bash|PowerShell|mcp__.*"},
        by_server=ServerHooks(
            matchers={
                "PostToolUseFailure": "Bash|PowerShell|mcp__.*",
                "PostToolUse": "Bash|PowerShell|Read|Edit|MultiEdit|Write",
                "SubagentStart": "",
                "UserPromptSubmit": "",
            },
            oldest=(2, 1, 118),  # measured: 2.1.117 runs no hook of such a file
            fields={
                **ACTION,
                **_filled_in("agent_id", "agent_type", "error", "is_interrupt"),
                "tool_response": {
                    name: f"${{tool_response.{name}}}"
                    for name in ("stdout", "stderr", "interrupted", "backgroundTaskId")
                },
            },
            of_prompt={**PROMPT, **_filled_in("source")},
            seconds=0.5,
            prompt_seconds=0.5,
            servers=(".claude.json", "mcpServers"),
            in_plugin=f"plugin:{NAME}:{NAME}",
        ),
    ),
    files=(JsonFile("settings.json", has_hooks=True),),
    plugin=PluginSwitch("settings.json", "enabledPlugins"),
    hooks_off=OffSwitch(
        "disableAllHooks", (".claude/settings.local.json", ".claude/settings.json"), "settings.json"
    ),
    commands=CommandFiles(".claude/commands/{name}.md", "claude"),
    # Committed to git, so it has no path of this machine.
    project_server=JsonFile(
        ".mcp.json", server=Server("mcpServers", lambda _: _started(SERVER), "memory-server")
    ),
    next_step=(
        "start a new session; for the tools in every project too: claude mcp add --scope user"
        f" {NAME} -- {{server}}; then hardwon init again, for lessons at opened and edited files"
    ),
    next_step_with_server="start a new session",
    next_step_with_plugin="start a new session; hooks and tools come from the plugin",
    path_advice="; put {folder} on PATH: the project's commands name programs without it",
)

CODEX = AgentFacts(
    name="codex",
    title="Codex",
    marks=("CODEX_",),
    program="codex",
    folder=(".codex",),
    variable="CODEX_HOME",
    hooks=Hooks(
        events={**OF_SESSIONS, "PostToolUse": "PostToolUse"},
        matchers={"PostToolUse": "Bash"},
        by_server=ServerHooks(
            matchers={"PostToolUse": "Bash|apply_patch", "UserPromptSubmit": ""},
            oldest=(0, 150),
            # Codex drops a call of which a field is missing, as the agent's id mostly is.
            fields={**ACTION, **_filled_in("tool_response")},
            of_prompt=PROMPT,
            seconds=1,  # a whole number, or Codex reads none of the file
            prompt_seconds=5,  # a server that just starts takes one or two
            in_plugin="",
            hidden=("HARDWON_", "GEMINI_API_KEY"),
        ),
    ),
    files=(JsonFile("hooks.json", has_hooks=True), TomlFile("config.toml", "mcp_servers")),
    plugin=PluginSwitch("config.toml", "plugins", "enabled"),
    commands=CommandFiles(".codex/skills/{name}/SKILL.md", "skill", separator="-"),
    next_step="start it, and trust the new hooks with /hooks: until then it does not run them",
)

GEMINI_CLI = AgentFacts(
    name="gemini-cli",
    title="Gemini CLI",
    marks=("GEMINI_CLI",),
    program="gemini",
    folder=(".gemini",),
    hooks=Hooks(
        # PreCompress is not among them: it comes before every call of the model.
        events={
            "SessionStart": "SessionStart",
            "BeforeAgent": "UserPromptSubmit",
            "AfterAgent": "Stop",
            "SessionEnd": "SessionEnd",
            "AfterTool": "PostToolUse",
        },
        matchers={"AfterTool": "run_shell_command"},
        ticks=1_000,
        host="gemini",
        is_named=True,
    ),
    files=(
        JsonFile(
            "settings.json", has_hooks=True, server=Server("mcpServers", _started), may_comment=True
        ),
    ),
    commands=CommandFiles(".gemini/commands/{name}.toml", "toml"),
    next_step="start a new session; /hooks and /mcp list what it has",
)

OPENCODE = AgentFacts(
    name="opencode",
    title="opencode",
    marks=("OPENCODE",),
    program="opencode",
    folder=(".config", "opencode"),
    variable="XDG_CONFIG_HOME",
    files=(
        JsonFile(
            "opencode.json",
            server=Server("mcp", _enabled),
            schema="https://opencode.ai/config.json",
        ),
        PluginFile(f"plugin/{NAME}.js"),
    ),
    commands=CommandFiles(".opencode/commands/{name}.md", "opencode"),
    next_step="restart it: it reads plugins and servers once",
)

CURSOR = AgentFacts(
    name="cursor",
    title="Cursor",
    marks=("CURSOR_AGENT",),
    program="cursor-agent",
    folder=(".cursor",),
    files=(JsonFile("mcp.json", server=Server("mcpServers", _started)),),
    rules=RulesFile(
        f".cursor/rules/{NAME}.mdc",
        "description: The memory of hard-won lessons\nalwaysApply: true",
    ),
    is_untried=True,
    next_step=(
        "restart it; for its hooks, set up claude-code too and let it include third-party"
        " configurations: it then runs those of Claude Code"
    ),
)

COPILOT = AgentFacts(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    folder=(".copilot",),
    variable="COPILOT_HOME",
    files=(JsonFile("mcp-config.json", server=Server("mcpServers", _local)),),
    # No hooks: it ignores what they print at starts and prompts.
    rules=RulesFile(f".github/instructions/{NAME}.instructions.md", 'applyTo: "**"'),
    is_untried=True,
    next_step="start a new session; /mcp show lists the server",
)

AGENTS = (CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, CURSOR, COPILOT)

OTHER_MARKS = ("AI_AGENT",)
"""Marks of agents that are not set up here."""
OF_USERS = frozenset({"CODEX_HOME", "CODEX_SQLITE_HOME", "CODEX_API_KEY"})
"""Variables that look like a mark, but are set by users."""


def runs_in_agent(environ: Mapping[str, str]) -> bool:
    """Return whether the environment shows that an agent runs this program."""
    marks = (*OTHER_MARKS, *(mark for facts in AGENTS for mark in facts.marks))
    exact, begun = (
        {mark for mark in marks if mark[-1] != "_"},
        tuple(mark for mark in marks if mark[-1] == "_"),
    )
    named = {name for name, value in environ.items() if value} - OF_USERS
    return not exact.isdisjoint(named) or any(name.startswith(begun) for name in named)
