"""The project of a folder, for all doors: look it up, trust it, and tell whether its entries may be shown elsewhere."""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.project import Project
from hardwon.domain.model.remote import one_spelling
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_projects import build_know_projects, identify, name_of, registry_of

if TYPE_CHECKING:
    from hardwon.domain.model.context import Workplace

LOOK_UP_SECONDS = 5.0
"""Time limit for git in commands that look a project up at once."""
NOT_KNOWN = "the project can't be stored now: try again"


def look_up(memory: Memory, folder: str, seconds: float = LOOK_UP_SECONDS) -> Project:
    """
    Return the project of *folder*, registered, after git was asked for all of it within *seconds*.

    Raises:
        StorageError: the store can't be written now.
    """
    identity, know = identify(folder), build_know_projects(memory)
    deadline = Deadline.after(seconds, time.monotonic)
    project = know.here(identity, name_of(identity.root), deadline)
    if not project.id:
        raise StorageError(NOT_KNOWN)
    return know.look_up(project, deadline)


def look_up_if_possible(memory: Memory, folder: str) -> None:
    """Look the project of *folder* up; a store that can't be written now leaves it for later."""
    with suppress(StorageError):
        look_up(memory, folder)


def look_up_clone(memory: Memory, folder: str) -> None:
    """Look the project of *folder* up at once if git was not asked yet and it has the remote of another one."""
    identity, registry = identify(folder), registry_of(memory)
    project = registry.with_key(identity.key)
    if not identity.is_repository or (project and project.first_commit is not None):
        return
    others = {one_spelling(other.remote) for other in registry.projects if other.identity.key != identity.key}
    if one_spelling(build_know_projects(memory).history.remote(identity.root)) in others - {""}:
        look_up_if_possible(memory, folder)


def look_up_new_ones(memory: Memory, project_root: str, seconds: float) -> None:
    """
    Look up the projects that git was not asked about, that of *project_root* first; each within *seconds*.

    Raises:
        StorageError: the store can't be written now.
    """
    know = build_know_projects(memory)
    key = identify(project_root).key
    for project in sorted(know.not_looked_up(), key=lambda project: project.identity.key != key):
        if now := know.registry().with_id(project.id):  # it may have become another one meanwhile
            know.look_up(now, Deadline.after(seconds, time.monotonic))


def trust_here(memory: Memory, folder: str) -> str:
    """
    Trust the project of *folder*, as its user set it up or imported it; return a line if that changes something.

    Raises:
        StorageError: the store can't be written now.
    """
    from hardwon.entrypoints.presenters.projects import trust_line

    know, project = build_know_projects(memory), look_up(memory, folder)
    was_shared = know.registry().is_shared(project)
    if project.trust != "trusted":
        project = know.trust(project, trusted=True)
    return "" if was_shared else trust_line(project, know.registry())


def home_warning(memory: Memory, workplace: "Workplace") -> list[str]:
    """Return the line on a lesson that was just stored where it stays; none where it may be shown elsewhere."""
    from hardwon.entrypoints.presenters.projects import home_notice

    registry = build_know_projects(memory).registry()
    project = registry.with_id(workplace.project)
    return [home_notice(project, registry)] if project and workplace.visibility.is_foreign else []


def folder_of(path: str) -> str:
    """Return the real path of a folder that a person named, `~` expanded."""
    return os.path.realpath(os.path.expanduser(path))
