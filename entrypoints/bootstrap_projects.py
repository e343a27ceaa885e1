"""Projects: what a folder is known by, what git knows of it, and what the store does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.project import Identity, Project, Registry
    from hardwon.domain.use_cases.know_projects import KnowProjects
    from hardwon.ports.exclusion import GitExclusion


def identify(folder: str) -> "Identity":
    """Return what *folder* is known by, as text that can be stored; free of processes."""
    from hardwon.adapters.git.identity import identify

    return identify(folder).as_text()


def registry_of(memory: Memory) -> "Registry":
    """Return the projects that the store knows."""
    return memory.engine.registry(memory.settings.trust)


def build_git_exclusion() -> "GitExclusion":
    """Keep files out of git."""
    from hardwon.adapters.git.exclude import InfoExclude

    return InfoExclude()


def keep_from_git(project: "Project", project_root: str) -> "Callable[[], None]":
    """Return what is done before a file of the project's conversations is written: private ones are kept out of git."""
    if not project.keeps_private_files:
        return lambda: None
    return lambda: build_git_exclusion().exclude(project_root)


def build_know_projects(memory: Memory) -> "KnowProjects":
    """Register projects, ask git about them, and do with them as the user says."""
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.domain.use_cases.know_projects import KnowProjects

    return KnowProjects(memory.engine.projects(), GitRepositoryHistory(), memory.settings.trust)
