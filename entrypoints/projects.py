"""Look-up, trust and notices of projects, for all entry points."""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.project import Project, Registry
from hardwon.domain.model.repository import one_spelling
from hardwon.entrypoints.bootstrap_files import identify, name_of

if TYPE_CHECKING:
    from hardwon.domain.model.filters import Workplace
    from hardwon.domain.use_cases.know_projects import KnowProjects

LOOK_UP_SECONDS = 5.0
"""Time limit for git in commands that look up a project at once."""
NOT_KNOWN = "the project can't be stored now: try again"


def look_up(know: "KnowProjects", folder: str, seconds: float = LOOK_UP_SECONDS) -> Project:
    """Return the registered project of *folder*, after asking git within *seconds*."""
    identity = identify(folder)
    deadline = Deadline.after(seconds, time.monotonic)
    project = know.here(identity, name_of(identity.root), deadline)
    if not project.id:
        raise StorageError(NOT_KNOWN)
    return know.look_up(project, deadline)


def look_up_if_possible(know: "KnowProjects", folder: str) -> None:
    """Look up the project of *folder* if the store is writable."""
    with suppress(StorageError):
        look_up(know, folder)


def look_up_clone(know: "KnowProjects", folder: str) -> None:
    """
    Look up the project of *folder* if it shares another's remote.

    Skipped if git was asked before.
    """
    identity, registry = identify(folder), know.registry()
    project = registry.with_key(identity.key)
    if not identity.is_repository or (project and project.first_commit is not None):
        return
    others = {
        one_spelling(other.remote)
        for other in registry.projects
        if other.identity.key != identity.key
    }
    if one_spelling(know.history.remote(identity.root)) in others - {""}:
        look_up_if_possible(know, folder)


def look_up_new_ones(know: "KnowProjects", project_root: str, seconds: float) -> None:
    """
    Look up projects not yet asked about, that of *project_root* first.

    Each may take *seconds*.
    """
    key = identify(project_root).key
    for project in sorted(know.not_looked_up(), key=lambda project: project.identity.key != key):
        if now := know.registry().with_id(project.id):  # it may have become another one meanwhile
            know.look_up(now, Deadline.after(seconds, time.monotonic))


def trust_here(know: "KnowProjects", folder: str) -> str:
    """
    Trust the project of *folder* and return a line on changes.

    Called when the user sets it up or imports it.
    """
    from hardwon.entrypoints.presenters.projects import trust_line

    project = look_up(know, folder)
    was_shared = know.registry().is_shared(project)
    if project.trust != "trusted":
        project = know.trust(project, trusted=True)
    return "" if was_shared else trust_line(project, know.registry())


def home_warning(registry: Registry, workplace: "Workplace") -> list[str]:
    """Return a line if a stored lesson stays in its project."""
    from hardwon.entrypoints.presenters.projects import home_notice

    project = registry.with_id(workplace.project)
    return [home_notice(project, registry)] if project and workplace.visibility.is_foreign else []


def folder_of(path: str) -> str:
    """Return a folder's real path, with `~` expanded."""
    return os.path.realpath(os.path.expanduser(path))
