"""
The rest of a set-up, once files are written: compile, open the store, fill it, check everything.

The choice of the project that a set-up is for.
"""

import compileall
import os
from importlib.util import find_spec

from hardwon.domain.use_cases.index_files import Indexed
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_files import build_index_host_memory
from hardwon.entrypoints.bootstrap_project import top_of
from hardwon.entrypoints.cli.console import warn
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.options import open_for
from hardwon.entrypoints.cli.setup_output import Project, Readiness
from hardwon.entrypoints.cli.transfer import import_with_progress
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.health import NOBODY, examine

COMPILED = ("domain", "ports", "adapters", "entrypoints")


def get_ready(project_root: str, global_store: str | None, facts_folder: str | None) -> Readiness:
    """
    Make the store, import knowledge banks and facts, embed, and check everything.

    Args:
        project_root: The project's folder.
        global_store: The store's folder, None for the one in the settings.
        facts_folder: The folder of Claude Code's own memory of the project, None to leave it alone.

    Raises:
        StorageError: the store can't be opened or written.

    """
    compile_programs()
    memory = open_for(project_root, global_store)
    try:
        imported = import_with_progress(memory, project_root)
        facts = _import_facts(memory, project_root, facts_folder) if facts_folder else None
        embedded = embed_with_progress(memory)
    finally:
        memory.close()
    settings = memory.settings
    return Readiness(
        store=settings.global_store,
        imported=imported,
        facts=facts,
        embedded=embedded,
        findings=[finding for finding in examine(settings, project_root) if finding.detail != NOBODY],
    )


def compile_programs() -> None:
    """Compile the installed programs to byte code where that may be written, so that no hook has to."""
    for name in COMPILED:
        spec = find_spec(f"hardwon.{name}")
        for folder in (spec and spec.submodule_search_locations) or ():
            if os.access(folder, os.W_OK):
                compileall.compile_dir(folder, quiet=2)


def _import_facts(memory: Memory, project_root: str, folder: str) -> Indexed:
    workplace = read_workplace(project_root, memory.settings)
    indexed = build_index_host_memory(memory, folder, project_root, workplace).index([os.path.realpath(folder)])
    for line in indexed.skipped:
        warn(f"skipped: {line}")
    return indexed


def find_project(named: str | None, working_folder: str, home: str) -> Project:
    """
    Return the project.

    Args:
        named: The folder that the user named, which is it; None for none.
        working_folder: It is the project where no repository holds it. The user's home, or a folder above it, is none.
        home: The user's home.

    """
    if named is not None:
        return Project(os.path.realpath(named), os.path.realpath(named))
    real, home = os.path.realpath(working_folder), os.path.realpath(home)
    top = top_of(real)
    folder = real if top is None or _holds(top, home) else top
    return Project(folder, None if _holds(folder, home) else folder)


def _holds(folder: str, home: str) -> bool:
    return os.path.join(home, "").startswith(os.path.join(folder, ""))
