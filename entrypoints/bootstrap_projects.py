"""Projects: what a folder is known by, what git knows of it, and what the store does."""

from typing import TYPE_CHECKING

from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.project import Identity, Registry
    from hardwon.domain.use_cases.know_projects import KnowProjects


def identify(folder: str) -> "Identity":
    """Return what *folder* is known by, as text that can be stored; free of processes."""
    from hardwon.adapters.git.identity import identify

    return identify(folder).as_text()


def registry_of(memory: Memory) -> "Registry":
    """Return the projects that the store knows."""
    from hardwon.adapters.sqlite.registry import read_registry

    return read_registry(memory.database, memory.settings.trust)


def build_know_projects(memory: Memory) -> "KnowProjects":
    """Register projects, ask git about them, and do with them as the user says."""
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.adapters.sqlite.projects import SqliteProjects
    from hardwon.domain.use_cases.know_projects import KnowProjects

    return KnowProjects(SqliteProjects(memory.database), GitRepositoryHistory(), memory.settings.trust)
