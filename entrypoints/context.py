"""
Signals of the user's work, and the place of a question.

Projects are looked up and trusted, and entries of others' versions of files settled, here.
"""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import OF_OTHERS, CollectionName, Workplace
from hardwon.domain.model.project import Project, Registry
from hardwon.entrypoints.bootstrap import build_know_projects, identify, name_of
from hardwon.entrypoints.bootstrap_files import (
    build_settle_versions,
    change_probe,
    checked_out_branch,
    feature_probe,
)
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Warn

if TYPE_CHECKING:
    from hardwon.domain.model.checkpoint import CheckpointScope, Contents
    from hardwon.domain.model.project import Identity
    from hardwon.domain.use_cases.know_projects import KnowProjects

GIT_SECONDS = 0.5
"""Time limit for git."""


def read_signals(project_root: str, deadline: Deadline, warn: Warn) -> ContextQuery:
    """Return the project's signals, without those that miss *deadline*."""
    return ContextQuery(
        feature=feature_probe(project_root, warn).active_feature(),
        files=change_probe(project_root, warn).changed_files(deadline),
    )


def read_present_work(project_root: str, deadline: Deadline, warn: Warn) -> ContextQuery:
    """Return what the user works on now, without what misses *deadline*."""
    changes = change_probe(project_root, warn)
    return ContextQuery(
        feature=feature_probe(project_root, warn).active_feature(),
        files=changes.present_files(deadline),
        branch=changes.checked_out(),
    )


ASK_SECONDS = 0.5
"""Time limit for asking git, once for a project, about the user's commits."""


def read_workplace(memory: Memory, project_root: str) -> Workplace:
    """Return the workplace of `read_place`."""
    return read_place(memory, project_root).workplace


class ProjectPlace(NamedTuple):
    """
    A project, the user's workplace, and the store's projects.

    Attributes:
        at_home: The number of the project's entries from others' versions of files.
    """

    project: Project
    workplace: Workplace
    registry: Registry
    at_home: int = 0


def read_place(
    memory: Memory, project_root: str, identity: "Identity | None" = None
) -> ProjectPlace:
    """
    Return the place of *project_root*, registering the project if new.

    Git is asked once for a new project. A known *identity* is not looked up.
    """
    identity, registry = identity or identify(project_root), memory.registry()
    project = registry.with_key(identity.key)
    if project is None or not project.is_as_known(identity):
        deadline = Deadline.after(ASK_SECONDS, time.monotonic)
        project = build_know_projects(memory).here(identity, name_of(identity.root), deadline)
        registry = memory.registry()
    if not memory.settings.server and (adoptions := registry.adoptions()):
        registry = _adopted(build_know_projects(memory), adoptions)
    workplace = Workplace(
        project=project.id,
        workspace=memory.settings.workspace or os.path.dirname(identity.root),
        branch=checked_out_branch(project_root),
        label=project.label,
        visibility=registry.visibility(project),
        labels=registry.labels(),
        siblings=registry.siblings(project),
    )
    at_home = settle_here(memory, project_root, workplace)
    return ProjectPlace(project, workplace, registry, at_home=at_home)


def _adopted(know: "KnowProjects", adoptions: Sequence[tuple[Project, Project]]) -> Registry:
    with suppress(StorageError):
        for waiting, project in adoptions:
            know.merge(waiting, project)
    return know.registry()


def contents_here(scope: "CheckpointScope", workplace: Workplace, project_root: str) -> "Contents":
    """Return the contents that *scope* selects in the user's project."""
    from hardwon.domain.model.checkpoint import Contents  # brings attrs

    return Contents(
        scope=scope,
        project=workplace.project,
        root=os.path.realpath(project_root),
        label=workplace.label,
    )


def workplace_for(
    collection: CollectionName, memory: Memory, project_root: str, warn: Warn
) -> Workplace:
    """
    Return the workplace of a question to *collection*.

    It has recently touched files only for conversations.
    """
    workplace = read_workplace(memory, project_root)
    return (
        with_touched_files(workplace, project_root, warn)
        if collection == "conversations"
        else workplace
    )


def with_touched_files(workplace: Workplace, project_root: str, warn: Warn) -> Workplace:
    """Return *workplace* with recently changed files, committed or not."""
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    committed = change_probe(project_root, warn).changed_files(deadline)
    return with_uncommitted_files(
        workplace._replace(touched_files=committed), project_root, deadline=deadline, warn=warn
    )


def with_uncommitted_files(
    workplace: Workplace, project_root: str, deadline: Deadline, warn: Warn
) -> Workplace:
    """Return *workplace* with uncommitted files before its touched files."""
    changing = change_probe(project_root, warn).uncommitted_files(deadline)
    return workplace._replace(
        touched_files=tuple(dict.fromkeys(changing + workplace.touched_files))
    )


def settle_here(memory: "Memory", project_root: str, workplace: "Workplace") -> int:
    """
    Settle entries of others' versions of files, and return how many are left.

    Starts no git. Deletes those whose branch left, and shares those on the default branch. Skipped if the store
    can't be written now.
    """
    entries = memory.repository
    if not (entries.count(OF_OTHERS) and count_at_home(entries, workplace)):  # mostly none
        return 0
    with suppress(StorageError):
        build_settle_versions(memory, project_root, workplace, asks_git=False).settle()
    return count_at_home(entries, workplace)


def count_at_home(repository: "EntryRepository", workplace: "Workplace") -> int:
    """
    Count the project's entries from others' versions of files.

    They are kept at home: shown in this project only.
    """
    return repository.count(OF_OTHERS._replace(origins=workplace.own))


def projects_to_settle(know: "KnowProjects", repository: "EntryRepository") -> list[Project]:
    """Return existing projects with entries from others' versions of files."""
    counts = repository.tally(OF_OTHERS._replace(ranked=False), "project")
    return [
        project
        for project in know.registry().projects
        if counts.get(project.id) and not know.is_gone(project)
    ]


def others_notice(count: int) -> str:
    """Return the notice of entries kept at home, empty for none."""
    if not count:
        return ""
    entries = "1 memory comes" if count == 1 else f"{count} memories come"
    return (
        f"{entries} from a version of a file that is not yours yet, shown in this project only:"
        " until the default branch has it, or you commit it yourself; hardwon update ID"
        " --everywhere takes one over."
    )


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


def look_up_clone(know: "KnowProjects", registry: Registry, folder: str) -> None:
    """
    Look up the project of *folder* if it shares another's remote.

    Skipped if git was asked before.
    """
    from hardwon.domain.model.repository import one_spelling

    identity = identify(folder)
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
