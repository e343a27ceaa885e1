import os
from collections.abc import Mapping, Sequence
from functools import partial

from hardwon.adapters.agents.command_files import gemini_command
from hardwon.adapters.agents.hooks import SECONDS, connection_of, hook
from hardwon.adapters.agents.programs import NAME, Programs, is_hook, is_server
from hardwon.adapters.agents.targets import JsonTarget, WholeTarget, whole_files
from hardwon.domain.model.formats.config_edit import (
    Connection,
    Document,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)

EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
    "SessionEnd": "SessionEnd",
}
"""What Claude Code calls its events. PreCompress is not among them: it comes before every call of the model."""

MILLISECONDS = 1_000
"""In a second: it counts in them."""

PLACE = "mcpServers"


class GeminiCli:
    """
    Gemini CLI: hooks and server in its settings, commands in the project.

    Args:
        home: The user's home.
        programs: Ours.
        commands: Texts of Claude Code's commands by name.

    """

    name = "gemini-cli"
    title = "Gemini CLI"
    program = "gemini"

    def __init__(self, home: str, programs: Programs, commands: Mapping[str, str]) -> None:
        self.folder = os.path.join(home, ".gemini")
        self._root = home
        self._programs = programs
        self._commands = commands

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        return os.path.isdir(self.folder)

    def targets(self) -> Sequence[JsonTarget]:
        """Return its settings."""
        server = {"command": self._programs.server, "args": list[str]()}
        put_server = partial(with_server, place=PLACE, name=NAME, server=server, is_ours=is_server)
        settings = JsonTarget(
            path=self._path, root=self._root, put=self._put_hooks, put_too=put_server, cut=_cut, may_comment=True
        )
        return (settings,)

    def unwanted(self) -> Sequence[JsonTarget]:
        """Return nothing."""
        return ()

    def project_targets(self, project: str) -> Sequence[WholeTarget]:
        """Return the files of commands."""
        folder = os.path.join(project, ".gemini", "commands")
        texts = {os.path.join(folder, f"{name}.toml"): gemini_command(text) for name, text in self._commands.items()}
        return whole_files(project, texts)

    def project_unwanted(self, project: str) -> Sequence[JsonTarget]:  # noqa: ARG002  # it has nothing in a project
        """Return nothing."""
        return ()

    def connection(self) -> Connection:
        """Return whether its settings call the hook."""
        return connection_of(self._path, self._root, may_comment=True)

    def obstacle(self, project: str) -> str:  # noqa: ARG002  # none is known
        """Return nothing."""
        return ""

    def next_step(self) -> str:
        """Return how to see them."""
        return "start a new session; /hooks and /mcp list what it has"

    @property
    def _path(self) -> str:
        return os.path.join(self.folder, "settings.json")

    def _put_hooks(self, document: Document) -> Document:
        command = f"{self._programs.hook_command} --host gemini"
        hooks = {event: {"name": NAME, **hook(command, SECONDS[same] * MILLISECONDS)} for event, same in EVENTS.items()}
        return with_hooks(document, hooks, is_hook)


def _cut(document: Document) -> Document:
    return without_server(without_hooks(document, is_hook), PLACE, NAME, is_server)
