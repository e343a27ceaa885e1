"""Projects: what a folder is known by, what git knows of it, and what the store does."""

from typing import TYPE_CHECKING

from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.entrypoints.bootstrap import Memory

if TYPE_CHECKING:
    from hardwon.domain.model.project import Identity


def identify(folder: str) -> "Identity":
    """Return what *folder* is known by; free of processes."""
    from hardwon.adapters.git.identity import identify

    return identify(folder)


def build_know_projects(memory: Memory) -> KnowProjects:
    """Register projects, ask git about them, and do with them as the user says."""
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.adapters.sqlite.projects import SqliteProjects

    return KnowProjects(SqliteProjects(memory.database), GitRepositoryHistory(), memory.settings.trust)
