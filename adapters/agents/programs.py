"""Our programs, and how they are recognised in agents' files. Standard library only."""

import os
import shlex
from typing import NamedTuple

HOOK, SERVER = "hardwon-hook", "hardwon-mcp"
NAME = "hardwon"
"""The name of our server, where the agent's user reads it."""

PLUGIN = "hardwon@"
"""The beginning of our plugin's name; its marketplace follows."""


class Programs(NamedTuple):
    """
    Absolute paths of our programs.

    Attributes:
        hook: `hardwon-hook`.
        server: `hardwon-mcp`.

    """

    hook: str
    server: str

    @property
    def hook_command(self) -> str:
        """The hook as a shell reads it."""
        return shlex.quote(self.hook)


def program_in(command: str) -> str:
    """Return the program that a shell would start."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[0] if words else ""


def is_hook(command: object) -> bool:
    """Return whether a shell's command is our hook, wherever it lies."""
    return isinstance(command, str) and os.path.basename(program_in(command)) == HOOK


def is_server(entry: object) -> bool:
    """Return whether an agent's entry for a server is ours: its command is our program, a text or the first of a list."""
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    return isinstance(first, str) and os.path.basename(first) == SERVER
