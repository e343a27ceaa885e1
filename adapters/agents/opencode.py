import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files

from hardwon.adapters.agents.command_files import opencode_command
from hardwon.adapters.agents.programs import NAME, Programs, is_server
from hardwon.adapters.agents.targets import SCHEMA, JsonTarget, WholeTarget, whole_files
from hardwon.adapters.agents.user_files import DiskUserFiles
from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.formats.config_edit import Connection, Document, with_server, without_server

PLACE = "mcp"
SCHEMA_ADDRESS = "https://opencode.ai/config.json"
HOOK_LINE = re.compile(r"^const HOOK = (\".*\")$", re.MULTILINE)


class OpenCode:
    """
    opencode: a server in its settings, a plugin of one file that calls the hook, and commands in the project.

    Args:
        home: The user's home.
        environ: Its variable `XDG_CONFIG_HOME` names another folder than `~/.config`.
        programs: Ours.
        commands: Texts of Claude Code's commands by name.

    """

    name = "opencode"
    title = "opencode"
    program = "opencode"

    def __init__(self, home: str, environ: Mapping[str, str], programs: Programs, commands: Mapping[str, str]) -> None:
        config = environ.get("XDG_CONFIG_HOME")
        self.folder = os.path.join(config or os.path.join(home, ".config"), "opencode")
        self._root = config or home
        self._programs = programs
        self._commands = commands

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self.folder)

    def targets(self) -> Sequence[JsonTarget | WholeTarget]:
        """Return settings and plugin."""
        server = {"type": "local", "command": [self._programs.server], "enabled": True}
        settings = JsonTarget(
            path=os.path.join(self.folder, "opencode.json"),
            root=self._root,
            put=partial(_with_server, server=server),
            cut=partial(without_server, place=PLACE, name=NAME, is_ours=is_server),
        )
        return (settings, WholeTarget(path=self._plugin, root=self._root, text=plugin_text(self._programs.hook)))

    def unwanted(self) -> Sequence[JsonTarget]:
        """Return nothing."""
        return ()

    def project_targets(self, project: str) -> Sequence[WholeTarget]:
        """Return the files of commands."""
        folder = os.path.join(project, ".opencode", "commands")
        texts = {os.path.join(folder, f"{name}.md"): opencode_command(text) for name, text in self._commands.items()}
        return whole_files(project, texts)

    def project_unwanted(self, project: str) -> Sequence[JsonTarget]:  # noqa: ARG002  # it has nothing in a project
        """Return nothing."""
        return ()

    def connection(self) -> Connection:
        """Return whether its plugin calls the hook."""
        try:
            found = HOOK_LINE.search(DiskUserFiles().read(self._plugin, self._root) or "")
        except UneditableFileError:
            found = None
        return Connection((self._plugin,), (json.loads(found[1]),)) if found else Connection()

    def obstacle(self, project: str) -> str:  # noqa: ARG002  # none is known
        """Return nothing."""
        return ""

    def next_step(self) -> str:
        """Return that it reads plugins at its start."""
        return "start it anew: it reads plugins and servers once"

    @property
    def _plugin(self) -> str:
        return os.path.join(self.folder, "plugin", f"{NAME}.js")


def _with_server(document: Document, server: Document) -> Document:
    begun = document or {SCHEMA: SCHEMA_ADDRESS}  # it adds this by itself where it is missing
    return with_server(begun, PLACE, NAME, server, is_server)


def plugin_text(hook: str) -> str:
    """Return the plugin, which calls the program *hook*."""
    template = (files("hardwon.adapters.agents") / "opencode.js").read_text(encoding="utf-8")
    return HOOK_LINE.sub(lambda _: f"const HOOK = {json.dumps(hook)}", template, count=1)
