import os
from collections.abc import Mapping, Sequence
from functools import partial

from hardwon.adapters.agents.programs import NAME, PLUGIN, Programs, is_hook, peek, peek_toml, program_in
from hardwon.adapters.agents.targets import JsonTarget, TomlTarget
from hardwon.domain.model.setup.hook_groups import our_commands, with_hooks, without_hooks
from hardwon.ports.agent import Connection

TIMEOUTS = {"SessionStart": 5, "UserPromptSubmit": 5, "PreCompact": 5, "Stop": 5, "SessionEnd": 3}
"""Seconds; it grants SessionEnd no more than three."""


class Codex:
    """
    Codex: `hooks.json` and a table in `config.toml`; where our plugin is enabled, both come from it.

    Args:
        home: The user's home.
        environ: Its variable `CODEX_HOME` names another folder than `~/.codex`.
        programs: Ours.

    """

    name = "codex"
    title = "Codex"
    program = "codex"

    def __init__(self, home: str, environ: Mapping[str, str], programs: Programs) -> None:
        self.folder = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
        self._root = self.folder if environ.get("CODEX_HOME") else home
        self._programs = programs

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

    def project_targets(self, project: str) -> Sequence[JsonTarget]:  # noqa: ARG002  # it has nothing in a project
        """Return nothing."""
        return ()

    def connection(self) -> Connection:
        """Return whether plugin or settings call the hook."""
        commands = our_commands(peek(self._hooks.path, self._root), is_hook)
        ways = (["its plugin"] if self._has_plugin else []) + ([self._hooks.path] if commands else [])
        return Connection(tuple(ways), tuple(map(program_in, commands)), is_twice=len(ways) > 1)

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
        command = self._programs.hook_command
        hooks = {
            event: {"type": "command", "command": command, "timeout": seconds} for event, seconds in TIMEOUTS.items()
        }
        return JsonTarget(
            path=os.path.join(self.folder, "hooks.json"),
            root=self._root,
            put=partial(with_hooks, hooks=hooks, is_ours=is_hook),
            cut=partial(without_hooks, is_ours=is_hook),
        )
