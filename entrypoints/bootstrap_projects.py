"""Projects: what a folder is known by, what git knows of it, and what the store does."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.project import Identity, Project, Registry
    from hardwon.domain.use_cases.know_projects import KnowProjects
    from hardwon.ports.repository import GitExclusion


def identify(folder: str) -> "Identity":
    """Return what *folder* is known by, as text that can be stored; free of processes."""
    from hardwon.adapters.git.identity import identify

    return identify(folder).as_text()


def name_of(folder: str) -> str:
    """Return the name a project or workspace goes by: its folder's, as text that can be stored; `/` for the root."""
    return os.fsencode(os.path.basename(os.path.realpath(folder))).decode("utf-8", "replace") or os.sep


def registry_of(memory: Memory) -> "Registry":
    """Return the projects that the store knows."""
    return memory.store.registry(memory.settings.trust)


def build_git_exclusion() -> "GitExclusion":
    """Keep files out of git."""
    from hardwon.adapters.git.exclude import InfoExclude

    return InfoExclude()


def before_writing(store: str, project: "Project", project_root: str) -> "Callable[[], None]":
    """
    Return what is done before a file of the project's conversations is written.

    Its folder is recorded for `hardwon forget`, and a private file is kept out of git.
    """
    from hardwon.adapters.folders.record import WrittenFolders

    def prepare() -> None:
        WrittenFolders(store).add(project_root, is_part=is_part_of_repository(project_root))
        if project.keeps_private_files:
            build_git_exclusion().exclude(project_root)

    return prepare


def is_part_of_repository(folder: str) -> bool:
    """Return whether *folder* is a linked work tree, or a folder in a work tree."""
    identity, real = identify(folder), os.path.realpath(folder)
    return identity.is_repository and (identity.root != real or not identity.key.startswith(real))


def build_know_projects(memory: Memory) -> "KnowProjects":
    """Register projects, ask git about them, and do with them as the user says."""
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.domain.use_cases.know_projects import KnowProjects

    return KnowProjects(memory.store.projects, GitRepositoryHistory(), memory.settings.trust)
