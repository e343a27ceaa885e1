"""The programs of hardwon, and their recognition in agents' files. Standard library only."""

import os
import shlex
from typing import NamedTuple

HOOK, SERVER = "hardwon-hook", "hardwon-mcp"
NAME = "hardwon"
"""The name of the server in agents' settings."""

PLUGIN = "hardwon@"
"""The beginning of the plugin's name; its marketplace follows."""


class Programs(NamedTuple):
    """
    Absolute paths of the programs.

    Attributes:
        hook: `hardwon-hook`.
        server: `hardwon-mcp`.

    """

    hook: str
    server: str

    def hook_command(self, *options: str) -> str:
        """Return the line for a shell that calls the hook and succeeds, whatever becomes of it."""
        return f"{shlex.join((self.hook, *options))} || exit 0"


def program_in(command: str) -> str:
    """Return the program that a shell would start."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[0] if words else ""


def is_hook(command: object) -> bool:
    """Return whether a shell's command runs `hardwon-hook`, in any folder."""
    return isinstance(command, str) and os.path.basename(program_in(command)) == HOOK


def is_server(entry: object) -> bool:
    """Return whether the command of a server's entry, a text or the first of a list, is `hardwon-mcp`."""
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    return isinstance(first, str) and os.path.basename(first) == SERVER
