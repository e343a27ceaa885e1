import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from functools import partial

from hardwon.adapters.agents.hooks import connection_of, hooks_target
from hardwon.adapters.agents.programs import NAME, PLUGIN, SERVER, Programs, is_server, peek
from hardwon.adapters.agents.targets import JsonTarget, WholeTarget, whole_files
from hardwon.domain.model.formats.config_edit import Connection, with_server, without_server

PROJECT_SERVER = "memory-server"
NO_HOOKS = "disableAllHooks"


class ClaudeCode:
    """
    Claude Code: hooks in the user's settings, commands in the project; where our plugin is enabled, hooks come from it.

    Args:
        home: The user's home.
        environ: Its variable `CLAUDE_CONFIG_DIR` names another folder than `~/.claude`.
        programs: Ours.
        commands: Texts of commands by name, such as `recall` or, for `/tlc:recall`, `tlc/recall`.
        mcp_json: Whether the project's `.mcp.json` names our server.

    """

    name = "claude-code"
    title = "Claude Code"
    program = "claude"

    def __init__(
        self,
        home: str,
        environ: Mapping[str, str],
        programs: Programs,
        commands: Mapping[str, str],
        *,
        mcp_json: bool = False,
    ) -> None:
        self.folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        self._root = self.folder if environ.get("CLAUDE_CONFIG_DIR") else home
        self._programs = programs
        self._commands = commands
        self._search_path = environ.get("PATH", "")
        self._mcp_json = mcp_json

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self.folder)

    def targets(self) -> Sequence[JsonTarget]:
        """Return its settings, unless the plugin has the hooks."""
        return () if self._has_plugin else (self._settings,)

    def unwanted(self) -> Sequence[JsonTarget]:
        """Return its settings when the plugin has the hooks."""
        return (self._settings,) if self._has_plugin else ()

    def project_targets(self, project: str) -> Sequence[JsonTarget | WholeTarget]:
        """Return the files of commands, and `.mcp.json` on request, unless the plugin has the server."""
        folder = os.path.join(project, ".claude", "commands")
        files = whole_files(
            project, {os.path.join(folder, f"{name}.md"): text for name, text in self._commands.items()}
        )
        return [*files, *([self.project_server(project)] if self._mcp_json and not self._has_plugin else [])]

    def project_unwanted(self, project: str) -> Sequence[JsonTarget]:
        """Return `.mcp.json` if it is asked for when the plugin has the server."""
        return [self.project_server(project)] if self._mcp_json and self._has_plugin else []

    def project_server(self, project: str) -> JsonTarget:
        """Return the project's `.mcp.json`; it travels with git, so it names no path of this machine."""
        name, server = PROJECT_SERVER, {"command": SERVER, "args": list[str]()}
        return JsonTarget(
            path=os.path.join(project, ".mcp.json"),
            root=project,
            put=partial(with_server, place="mcpServers", name=name, server=server, is_ours=is_server),
            cut=partial(without_server, place="mcpServers", name=name, is_ours=is_server),
        )

    def connection(self) -> Connection:
        """Return whether plugin or settings call the hook."""
        return connection_of(self._path, self._root, has_plugin=self._has_plugin)

    def obstacle(self, project: str) -> str:
        """Return which settings switch all hooks off; of several that say so or not, the closest to the project."""
        folder = os.path.join(project, ".claude")
        places = [(os.path.join(folder, name), project) for name in ("settings.local.json", "settings.json")]
        for path, root in (*places, (self._path, self._root)):
            said = peek(path, root).get(NO_HOOKS)
            if isinstance(said, bool):
                return f'"{NO_HOOKS}": true in {path}' if said else ""
        return ""

    def next_step(self) -> str:
        """Return how the tools come to it too, and what PATH lacks for what names our programs without a folder."""
        folder = os.path.dirname(self._programs.server)
        path = f"; put {folder} on PATH: the project's commands name programs without it"
        lacking = "" if shutil.which(SERVER, path=self._search_path) else path
        if self._has_plugin:
            return f"start a new session; hooks and tools come from the plugin{lacking}"
        tools = f"claude mcp add --scope user {NAME} -- {shlex.quote(self._programs.server)}"
        return f"start a new session; for the tools in every project too: {tools}{lacking}"

    @property
    def _path(self) -> str:
        return os.path.join(self.folder, "settings.json")

    @property
    def _settings(self) -> JsonTarget:
        return hooks_target(self._path, self._root, self._programs.hook_command)

    @property
    def _has_plugin(self) -> bool:
        enabled = peek(self._path, self._root).get("enabledPlugins")
        plugins = enabled.items() if isinstance(enabled, dict) else ()
        return any(name.startswith(PLUGIN) and is_on is True for name, is_on in plugins)
