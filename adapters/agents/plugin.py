"""The plugin's files: commands for a project, a copy for Claude Code."""

import errno
import os
import shutil
import stat
from importlib.resources import files

COMMANDS = {
    "recall": "recall",
    "remember": "remember",
    "save": "save",
    "tlc/recall": "conversations",
    "tlc/remember": "remember",
    "hardwon/pause": "pause",
    "hardwon/resume": "resume",
}
"""
The commands of a project, each with the plugin's file it is made from.

`tlc/` is known from an earlier program; hosts have a `/resume` of their own.
"""

COMPILED = shutil.ignore_patterns("__pycache__")

LAUNCHED = '"${CLAUDE_PLUGIN_ROOT}/launch" hardwon'
"""The plugin's way to call hardwon. A project's commands find it on PATH."""


def command_files() -> dict[str, str]:
    """Return a project's commands by name, in Claude Code's form."""
    folder = files("hardwon.plugin.commands")
    return {
        name: (folder / f"{file}.md").read_text(encoding="utf-8").replace(LAUNCHED, "hardwon")
        for name, file in COMMANDS.items()
    }


def write_plugin(folder: str) -> None:
    """
    Write the plugin and its marketplace for Claude Code into *folder*.

    Raises:
        OSError: it can't be written.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileExistsError(errno.EEXIST, "is not empty", folder)
    for name, package, file in (
        (".claude-plugin", "marketplace", "marketplace.json"),
        ("plugin", "plugin", "launch"),
    ):
        source = os.path.dirname(str(files(f"hardwon.{package}") / file))
        shutil.copytree(source, os.path.join(folder, name), ignore=COMPILED)
    for name in ("launch", "setup"):
        path = os.path.join(folder, "plugin", name)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
