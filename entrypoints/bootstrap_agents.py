"""
The user's agents: settings, files, transcripts, and our programs for them.

Hooks read names and folders here; imports for the set-up are inside functions.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.agents.table import AGENTS, CLAUDE_CODE, GEMINI_CLI

if TYPE_CHECKING:
    from hardwon.adapters.agents.table import Hooks
    from hardwon.domain.use_cases.setup import SetUp
    from hardwon.ports.agents import Agent, SetupTarget
    from hardwon.ports.documents import Instructions
    from hardwon.ports.transcripts import PastTranscripts

NAMES = tuple(facts.name for facts in AGENTS)

FOLDERS = tuple(facts.variable for facts in AGENTS if facts.variable)
"""Environment variables for an agent's settings folder, or one that holds it."""

DEPTH = 3
"""Most levels from such a folder down to a file."""


def build_agents(environ: Mapping[str, str], *, mcp_json: bool = False) -> "list[Agent]":
    """
    Return all agents with their settings in this user's home.

    Relative folders in *environ* are resolved against the working folder. Agents are not looked for
    in the project that holds it: their programs are run.
    """
    from hardwon.adapters.agents.agent import ConfiguredAgent
    from hardwon.adapters.agents.plugin import command_files
    from hardwon.adapters.agents.table import our_programs
    from hardwon.adapters.config.reader import read_store
    from hardwon.adapters.git.probe import Surroundings
    from hardwon.adapters.server_mark import guard

    home, commands = os.path.expanduser("~"), command_files()
    programs = our_programs(guard(os.path.abspath(read_store(environ, {}))))
    environ = {
        **environ,
        **{name: os.path.abspath(environ[name]) for name in FOLDERS if environ.get(name)},
        "PATH": Surroundings(os.curdir).trusted(environ.get("PATH", "")),
    }
    return [
        ConfiguredAgent(
            facts,
            home,
            environ=environ,
            programs=programs,
            commands=commands,
            names_server=mcp_json,
        )
        for facts in AGENTS
    ]


def hooks_call_server(environ: Mapping[str, str]) -> bool:
    """Return whether hooks of the agent that runs this server call it."""
    from hardwon.adapters.agents.table import CODEX, JsonFile
    from hardwon.ports.agents import HOOK_TOOL

    facts = CLAUDE_CODE if any(map(environ.get, CLAUDE_CODE.marks)) else CODEX
    folder = facts.settings_folder(environ, os.path.expanduser("~"))
    [name] = (file.name for file in facts.files if isinstance(file, JsonFile) and file.has_hooks)
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return HOOK_TOOL in file.read()
    except OSError:
        return False


def past_transcripts(environ: Mapping[str, str]) -> "PastTranscripts":
    """Return the transcripts of all earlier sessions of this user."""
    from hardwon.adapters.agents.transcripts import AgentsTranscripts

    return AgentsTranscripts(environ, os.path.expanduser("~"))


def used_agents(agents: "Sequence[Agent]") -> "list[Agent]":
    """Return the agents whose folder or program exists, without untried ones."""
    import shutil

    tried = (agent for agent in agents if not agent.is_untried)
    return [agent for agent in tried if agent.is_there or shutil.which(agent.program)]


def targets_at(path: str) -> "list[SetupTarget]":
    """
    Return the set-up target at *path*, below a variable's folder.

    The variable may be unset by now. The list is empty if no target fits.
    """
    folder = path
    found: list[SetupTarget] = []
    for _ in range(DEPTH):
        folder = os.path.dirname(folder)
        agents = build_agents(dict.fromkeys(FOLDERS, folder))
        known = [target for agent in agents for target in (*agent.targets(), *agent.unwanted())]
        found += [target for target in known if target.path == path]
    return found[:1]


def build_set_up(store: str) -> "SetUp":
    """Return the user's set-up, with its record in *store*."""
    from hardwon.adapters.agents.user_files import DiskUserFiles, JsonSetupRecord
    from hardwon.domain.use_cases.setup import SetUp

    return SetUp(files=DiskUserFiles(), record=JsonSetupRecord(store), targets_at=targets_at)


def server_start_seconds() -> float:
    """Measure how long the server takes to answer on this machine."""
    from hardwon.adapters.agents.table import our_programs
    from hardwon.adapters.agents.wants import start_seconds

    return start_seconds(our_programs().server)


def write_plugin(folder: str) -> None:
    """Write the plugin for Claude Code into *folder*."""
    from hardwon.adapters.agents.plugin import write_plugin

    write_plugin(folder)


def host_memory(project_root: str) -> str:
    """
    Return the folder of Claude Code's own memory of a project.

    It may be missing; work trees share one.
    """
    from hardwon.adapters.git.identity import main_work_tree
    from hardwon.adapters.markdown.instructions import host_memory_folder

    config = CLAUDE_CODE.settings_folder(os.environ, os.path.expanduser("~"))
    return host_memory_folder(config, main_work_tree(project_root))


def gemini_hooks() -> "Hooks":
    """Return Gemini CLI's names for hook events."""
    return GEMINI_CLI.hooks


def count_host_facts(folder: str) -> int:
    """Return the number of facts that Claude Code remembers in *folder*."""
    from hardwon.adapters.markdown.instructions import INDEX

    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(name.endswith(".md") and name != INDEX for name in names)


def open_instructions(project_root: str) -> "Instructions":
    """Return the instruction files that agents get in all sessions."""
    from hardwon.adapters.markdown.instructions import InstructionFiles

    return InstructionFiles(project_root, host_memory(project_root))
