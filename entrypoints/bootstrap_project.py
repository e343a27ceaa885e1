"""Adapters that read a project without an open store: settings, git, feature files, files of the host, markdown banks."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.adapters.config.reader import UsersStore, read_store
from hardwon.adapters.config.reader import read_settings as read_settings_from
from hardwon.adapters.pause_file import PauseFile
from hardwon.domain.model.settings import Resolved

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.adapters.agents.table import Hooks
    from hardwon.adapters.feature_files import FeatureFiles
    from hardwon.adapters.git.probe import GitChangeProbe
    from hardwon.domain.model.conversation.hook_event import NotedProject
    from hardwon.domain.model.filters import Asker
    from hardwon.domain.model.injection.markdown_block import SourcedEntry
    from hardwon.domain.model.project import Registry
    from hardwon.ports.documents import Instructions

Warn = Callable[[str], None]
SETTINGS_BUSY_SECONDS = 0.1
"""How long settings wait for a store that is being written."""


def read_settings(project_root: str, flags: Mapping[str, str], *, asks_git: bool = True) -> Resolved:
    """
    Return the settings for a project.

    Args:
        project_root: The project's folder.
        flags: Values on the command line, which come before the user's environment.
        asks_git: Whether git may be asked whose a file of the project is, and its answer noted for hooks, which only read.

    """

    def trusted(store: UsersStore, name: str) -> bool:
        from hardwon.entrypoints.bootstrap_settings import is_of_trusted_project  # for few projects

        return is_of_trusted_project(store, project_root, name, asks_git=asks_git)

    return read_settings_from(project_root, os.environ, flags, provider_of_user, trusted)


def store_of(flags: Mapping[str, str]) -> str:
    """Return the store's folder alone, which no file of a project may name."""
    return read_store(os.environ, flags)


def open_pauses(store: str) -> PauseFile:
    """Return the pauses of the store in that folder."""
    return PauseFile(store)


def provider_of_user(store: str) -> str | None:
    """Return what `auto` means in the *store* of that folder: what `hardwon embed --provider` said, else by the environment."""
    from hardwon.adapters.sqlite.database import FILE_NAME, Database
    from hardwon.adapters.sqlite.metadata import SqliteMetadata
    from hardwon.domain.model.errors import StorageError
    from hardwon.entrypoints.bootstrap_models import choose_automatically

    decided = None
    with suppress(StorageError):  # no store yet, or one that can't be read
        database = Database(os.path.join(store, FILE_NAME), SETTINGS_BUSY_SECONDS, read_only=True)
        try:
            decided = SqliteMetadata(database).automatic_provider
        finally:
            database.close()
    return choose_automatically(os.environ, decided)


def feature_probe(project_root: str, warn: Warn) -> "FeatureFiles":
    """Return the reader of the project's feature files."""
    from hardwon.adapters.feature_files import FeatureFiles

    return FeatureFiles(project_root, warn)


def change_probe(project_root: str, warn: Warn) -> "GitChangeProbe":
    """Return the reader of changed files."""
    from hardwon.adapters.git.probe import GitChangeProbe

    return GitChangeProbe(project_root, warn)


def checked_out_branch(project_root: str) -> str | None:
    """Return the branch that is checked out, None where there is none; free of processes."""
    from hardwon.adapters.git.identity import checked_out_branch

    return checked_out_branch(project_root)


def top_of(folder: str) -> str | None:
    """Return the work tree of git that holds *folder*, None where there is none."""
    from hardwon.adapters.git.identity import top_of

    return top_of(folder)


def folder_of_files(project_root: str) -> str:
    """Return the folder whose `memory` has the conversations of *project_root*: in a linked work tree, that of the main one."""
    from hardwon.adapters.git.identity import main_work_tree, top_of

    real = os.path.realpath(project_root)
    top = top_of(real)
    if top is None or (main := main_work_tree(real)) == top:
        return real
    below = os.path.join(main, os.path.relpath(real, top))
    return os.path.normpath(below) if os.path.isdir(below) else main


def folder_now(folder: str, noted: "NotedProject | None", registry: "Callable[[], Registry]") -> str:
    """
    Return where the conversations of *folder* belong now, *folder* itself where it is there or nothing better is known.

    Those of a removed work tree, or of a folder in one, go to the main one; those of a project that moved to its new place.

    Args:
        folder: Where something was said.
        noted: The project of the folder then.
        registry: Returns the projects that the store knows; called where the project is not at its place.

    """
    if os.path.isdir(folder) or noted is None:
        return folder
    top = _top_now(noted.key, noted.inode)
    if top is None and (project := registry().with_id(noted.project_id)):
        top = _top_now(project.identity.key, project.identity.inode)
    if top is None:
        return folder
    relative = os.path.relpath(os.path.realpath(folder), noted.root)
    below = os.path.normpath(os.path.join(top, relative))
    return below if os.path.isdir(below) and not relative.startswith(os.pardir) else top


def _top_now(key: str, inode: int) -> str | None:
    """Return the folder of the project of that key, None where it is not there any more or another one is."""
    from hardwon.adapters.git.identity import identify, work_tree_of

    found = identify(key)
    if (found.key, found.inode) != (key, inode):
        return None
    return work_tree_of(key) if found.is_repository else key


def find_git(project_root: str) -> str:
    """
    Return the path of the git that is used for a project.

    Raises:
        OSError: there is none on PATH.
        ValueError: none that may be run.
    """
    from hardwon.adapters.git.process import find_git

    return find_git(project_root, os.environ.get("PATH", os.defpath))


def who_asks(*, by_slash_command: bool = False) -> "Asker":
    """Return whether a person runs this program, or an agent, as its variables say; a terminal proves nothing."""
    from hardwon.adapters.agents.table import runs_in_agent

    return "agent" if by_slash_command or runs_in_agent(os.environ) else "person"


def host_memory(project_root: str) -> str:
    """Return the folder of Claude Code's own memory of a project, which need not be there; work trees share one."""
    from hardwon.adapters.agents.table import CLAUDE_CODE
    from hardwon.adapters.git.identity import main_work_tree
    from hardwon.adapters.markdown.instructions import host_memory_folder

    config = CLAUDE_CODE.settings_folder(os.environ, os.path.expanduser("~"))
    return host_memory_folder(config, main_work_tree(project_root))


def gemini_hooks() -> "Hooks":
    """Return the names that Gemini CLI gives to the events of its hooks."""
    from hardwon.adapters.agents.table import GEMINI_CLI

    return GEMINI_CLI.hooks


def count_host_facts(folder: str) -> int:
    """Return how many facts Claude Code remembers in *folder*."""
    from hardwon.adapters.markdown.instructions import INDEX

    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(name.endswith(".md") and name != INDEX for name in names)


def open_instructions(project_root: str) -> "Instructions":
    """Return the files that the host gives the agent in every session of a project."""
    from hardwon.adapters.markdown.instructions import InstructionFiles

    return InstructionFiles(project_root, host_memory(project_root))


def read_bank_entries(project_root: str, store: str, warn: Warn) -> "Iterator[SourcedEntry]":
    """Yield the entries of the knowledge banks: the project's, then the store's."""
    from hardwon.adapters.markdown.knowledge_bank import parse_bank, read_banks
    from hardwon.domain.model.injection.markdown_block import SourcedEntry

    for bank in read_banks(project_root, store, warn):
        yield from (SourcedEntry(entry, bank.source) for entry in parse_bank(bank.text, bank.category))


def record_injection(
    store: str, project_root: str, selected: "Sequence[SourcedEntry]", now: "dt.datetime", warn: Warn
) -> None:
    """Write `.last-injection.json` in the store, whole or not at all."""
    from hardwon.adapters.markdown.knowledge_bank import record_injection

    record_injection(store, project_root, selected, now, warn)
