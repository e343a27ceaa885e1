import os
from collections.abc import Mapping, Sequence

from hardwon.adapters.agents.command_files import codex_skill
from hardwon.adapters.agents.hooks import connection_of, hooks_target
from hardwon.adapters.agents.programs import NAME, PLUGIN, Programs, peek_toml
from hardwon.adapters.agents.targets import JsonTarget, TomlTarget, WholeTarget, whole_files
from hardwon.domain.model.formats.config_edit import Connection


class Codex:
    """
    Codex: `hooks.json` and a table in `config.toml`; where our plugin is enabled, both come from it. Skills in the project.

    Args:
        home: The user's home.
        environ: Its variable `CODEX_HOME` names another folder than `~/.codex`.
        programs: Ours.
        commands: Texts of Claude Code's commands by name.

    """

    name = "codex"
    title = "Codex"
    program = "codex"

    def __init__(self, home: str, environ: Mapping[str, str], programs: Programs, commands: Mapping[str, str]) -> None:
        self.folder = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
        self._root = self.folder if environ.get("CODEX_HOME") else home
        self._programs = programs
        self._commands = commands

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self.folder)

    def targets(self) -> Sequence[JsonTarget | TomlTarget]:
        """Return hooks and servers, unless the plugin has them."""
        return () if self._has_plugin else (self._hooks, self._config)

    def unwanted(self) -> Sequence[JsonTarget | TomlTarget]:
        """Return hooks and servers when the plugin has them."""
        return (self._hooks, self._config) if self._has_plugin else ()

    def project_targets(self, project: str) -> Sequence[WholeTarget]:
        """Return the files of skills, which take the place of commands."""
        folder = os.path.join(project, ".codex", "skills")
        skills = {name.replace("/", "-"): text for name, text in self._commands.items()}
        texts = {os.path.join(folder, name, "SKILL.md"): codex_skill(name, text) for name, text in skills.items()}
        return whole_files(project, texts)

    def project_unwanted(self, project: str) -> Sequence[JsonTarget]:  # noqa: ARG002  # it has nothing in a project
        """Return nothing."""
        return ()

    def connection(self) -> Connection:
        """Return whether plugin or settings call the hook."""
        return connection_of(self._hooks.path, self._root, has_plugin=self._has_plugin)

    def obstacle(self, project: str) -> str:  # noqa: ARG002  # none is known
        """Return nothing."""
        return ""

    def next_step(self) -> str:
        """Return that it wants its hooks trusted."""
        return "start it, and trust the new hooks with /hooks: until then it does not run them"

    @property
    def _has_plugin(self) -> bool:
        plugins = peek_toml(self._config.path, self._root).get("plugins")
        settings = plugins.items() if isinstance(plugins, dict) else ()
        return any(
            name.startswith(PLUGIN) and isinstance(plugin, dict) and plugin.get("enabled") is True
            for name, plugin in settings
        )

    @property
    def _config(self) -> TomlTarget:
        path = os.path.join(self.folder, "config.toml")
        return TomlTarget(path=path, root=self._root, place="mcp_servers", name=NAME, command=self._programs.server)

    @property
    def _hooks(self) -> JsonTarget:
        return hooks_target(os.path.join(self.folder, "hooks.json"), self._root, self._programs.hook_command)
