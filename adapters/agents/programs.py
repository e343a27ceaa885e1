"""Our programs, as agents' files name them."""

import json
import os
import shlex
from typing import Any, NamedTuple

from hardwon.adapters.agents.edit_json import read_document
from hardwon.adapters.agents.edit_toml import read_toml
from hardwon.adapters.agents.user_files import DiskUserFiles
from hardwon.domain.model.errors import UneditableFileError

HOOK, SERVER = "hardwon-hook", "hardwon-mcp"
NAME = "hardwon"
"""What our server is called, where the agent's user reads it."""

PLUGIN = "hardwon@"
"""How our plugin's name begins; its marketplace follows."""


class Programs(NamedTuple):
    """
    Where our programs are, as absolute paths.

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


def is_hook(command: str) -> bool:
    """Tell whether a shell's command is our hook, wherever it lies."""
    return os.path.basename(program_in(command)) == HOOK


def is_server(entry: object) -> bool:
    """Tell whether an agent's entry for a server is ours: its command is our program, a text or the first of a list."""
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    return isinstance(first, str) and os.path.basename(first) == SERVER


def peek(path: str, root: str, *, may_comment: bool = False) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one where there is none to be read."""
    try:
        return read_document(DiskUserFiles().read(path, root) or "", may_comment=may_comment)
    except UneditableFileError:
        return {}


def peek_toml(path: str, root: str) -> dict[str, Any]:
    """Return the TOML in a file; nothing where there is none to be read."""
    try:
        return read_toml(DiskUserFiles().read(path, root) or "")
    except UneditableFileError:
        return {}


def toml_text(value: str) -> str:
    """Return *value* as a string of TOML."""
    return json.dumps(value, ensure_ascii=False)
