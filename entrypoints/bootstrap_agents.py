"""The agents of this user, with our programs and commands for them."""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files

from hardwon.adapters.agents.agent import ConfiguredAgent
from hardwon.adapters.agents.table import AGENTS, HOOK, SERVER, Programs
from hardwon.adapters.agents.transcripts import AgentsTranscripts
from hardwon.adapters.agents.user_files import DiskUserFiles, JsonSetupRecord
from hardwon.adapters.agents.wants import start_seconds
from hardwon.domain.use_cases.setup import SetUp
from hardwon.ports.agents import Agent, SetupTarget
from hardwon.ports.transcripts import PastTranscripts

NAMES = tuple(facts.name for facts in AGENTS)
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
The commands of a project, each with the plugin's file that it is made from.

`tlc/` is known from an earlier program; hosts have a `/resume` of their own.
"""

FOLDERS = tuple(facts.variable for facts in AGENTS if facts.variable)
"""Variables that name the folder of an agent's settings, or one that holds it."""

DEPTH = 3
"""How far below such a folder a file is, at most."""

COMPILED = shutil.ignore_patterns("__pycache__")

LAUNCHED = '"${CLAUDE_PLUGIN_ROOT}/launch" hardwon'
"""How a command of the plugin calls us; a project's commands find us on PATH."""


def build_agents(environ: Mapping[str, str], *, mcp_json: bool = False) -> list[Agent]:
    """Return every agent, for the home of this user; folders that *environ* names are those seen from the working folder."""
    home, programs, commands = os.path.expanduser("~"), our_programs(), command_files()
    environ = {**environ, **{name: os.path.abspath(environ[name]) for name in FOLDERS if environ.get(name)}}
    return [ConfiguredAgent(facts, home, environ, programs, commands, names_server=mcp_json) for facts in AGENTS]


def past_transcripts(environ: Mapping[str, str]) -> PastTranscripts:
    """Return the transcripts of all earlier sessions of this user."""
    return AgentsTranscripts(environ, os.path.expanduser("~"))


def used_agents(agents: Sequence[Agent]) -> list[Agent]:
    """Return those whose folder or program is there."""
    return [agent for agent in agents if agent.is_there or shutil.which(agent.program)]


def targets_at(path: str) -> list[SetupTarget]:
    """Return the target at *path* of an agent whose folder a variable named when it was written; nothing where none fits."""
    folder, found = path, list[SetupTarget]()
    for _ in range(DEPTH):
        folder = os.path.dirname(folder)
        agents = build_agents(dict.fromkeys(FOLDERS, folder))
        known = [target for agent in agents for target in (*agent.targets(), *agent.unwanted())]
        found += [target for target in known if target.path == path]
    return found[:1]


def build_set_up(store: str) -> SetUp:
    """
    Return the set-up of this user's files, which keeps its record in *store*.

    Raises:
        StorageError: there is a record that can't be read.
    """
    return SetUp(files=DiskUserFiles(), record=JsonSetupRecord(store), targets_at=targets_at)


def server_start_seconds() -> float:
    """Measure how long the server takes to answer on this machine."""
    return start_seconds(our_programs().server)


def our_programs() -> Programs:
    """Return the installed programs, by the path that outlives an upgrade where there is one."""
    return Programs(_program(HOOK), _program(SERVER))


def command_files() -> dict[str, str]:
    """Return the texts of a project's commands by name, as Claude Code reads them."""
    folder = files("hardwon.plugin.commands")
    return {
        name: (folder / f"{file}.md").read_text(encoding="utf-8").replace(LAUNCHED, "hardwon")
        for name, file in COMMANDS.items()
    }


def write_plugin(folder: str) -> None:
    """
    Write the plugin into *folder*, with the marketplace that names it, so that Claude Code can install it from there.

    Raises:
        FileExistsError: the folder is there and not empty.
        OSError: it can't be written.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileExistsError(errno.EEXIST, "is not empty", folder)
    for name, package, file in ((".claude-plugin", "marketplace", "marketplace.json"), ("plugin", "plugin", "launch")):
        source = os.path.dirname(str(files(f"hardwon.{package}") / file))
        shutil.copytree(source, os.path.join(folder, name), ignore=COMPILED)
    for name in ("launch", "setup"):
        path = os.path.join(folder, "plugin", name)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def _program(name: str) -> str:
    places = [os.path.dirname(sys.executable), os.path.dirname(os.path.abspath(sys.argv[0]))]
    paths = [os.path.join(place, name) for place in places]
    path = next(filter(os.path.isfile, paths), paths[0])
    linked = os.path.join(os.path.expanduser("~"), ".local", "bin", name)
    return linked if os.path.realpath(linked) == os.path.realpath(path) else path
