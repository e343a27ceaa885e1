"""Entries of others' versions of files: settled where the user works, and named in one line."""

from contextlib import suppress

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import OF_OTHERS
from hardwon.domain.model.project import Project
from hardwon.entrypoints.bootstrap import Memory


def settle_here(memory: Memory, project_root: str, workplace: Workplace) -> None:
    """
    Delete what left with its branch, and share what the default branch has now, as far as files tell; no process.

    A store that can't be written now leaves it for later.
    """
    if memory.repository.count(OF_OTHERS) and count_at_home(memory, workplace):  # mostly there are none in any project
        with suppress(StorageError):
            settle_versions(memory, project_root, workplace, asks_git=False)


def settle_versions(memory: Memory, project_root: str, workplace: Workplace, *, asks_git: bool = True) -> int:
    """
    Settle what others' versions of files brought into the project; return how many entries stay at home.

    Raises:
        StorageError: the store can't be written now.
    """
    from hardwon.entrypoints.bootstrap_files import build_settle_versions

    return build_settle_versions(memory, project_root, workplace, asks_git=asks_git).settle()


def count_at_home(memory: Memory, workplace: Workplace) -> int:
    """Return how many entries of the project are kept at home as the version of their file is not the user's."""
    return memory.repository.count(OF_OTHERS._replace(origins=workplace.own))


def projects_to_settle(memory: Memory) -> list[Project]:
    """Return the projects with such entries whose folder is there."""
    from hardwon.entrypoints.bootstrap_projects import build_know_projects

    know = build_know_projects(memory)
    counts = memory.repository.tally(OF_OTHERS._replace(ranked=False), "project")
    return [project for project in know.registry().projects if counts.get(project.id) and not know.is_gone(project)]


def others_notice(count: int) -> str:
    """Return the line on *count* entries that stay at home, why, and the way out; empty for none."""
    if not count:
        return ""
    entries = "1 memory comes" if count == 1 else f"{count} memories come"
    return (
        f"{entries} from a version of a file that is not yours yet, shown in this project only: until the default"
        " branch has it, or you commit it yourself; hardwon update ID --everywhere takes one over."
    )
