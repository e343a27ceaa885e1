"""
The user's work: signals from git and the project's feature files, and the place where a question is asked.

Nearness of that place answers some questions better.
"""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from hardwon.domain.model.context import ContextQuery, Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import CollectionName
from hardwon.domain.model.project import Project, Registry
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_project import Warn, change_probe, checked_out_branch, feature_probe
from hardwon.entrypoints.bootstrap_projects import build_know_projects, identify, name_of, registry_of
from hardwon.entrypoints.versions import settle_here

GIT_SECONDS = 0.5
"""Time limit for git."""


def read_signals(project_root: str, deadline: Deadline, warn: Warn) -> ContextQuery:
    """Return the signals of the project; those not there before *deadline* are left out."""
    return ContextQuery(
        feature=feature_probe(project_root, warn).active_feature(),
        files=change_probe(project_root, warn).changed_files(deadline),
    )


ASK_SECONDS = 0.5
"""Time limit for asking git, once for a project, whether the user committed to it."""


def read_workplace(memory: Memory, project_root: str) -> Workplace:
    """Return the workplace of `read_place`."""
    return read_place(memory, project_root).workplace


class Place(NamedTuple):
    """A project, where the user works in it, and all projects that the store knows."""

    project: Project
    workplace: Workplace
    registry: Registry


def read_place(memory: Memory, project_root: str) -> Place:
    """Return where *project_root* stands, which the store knows from now on; git is asked once for a new project."""
    identity, registry = identify(project_root), registry_of(memory)
    project = registry.with_key(identity.key)
    if project is None or not project.is_as_known(identity):
        deadline = Deadline.after(ASK_SECONDS, time.monotonic)
        project = build_know_projects(memory).here(identity, name_of(identity.root), deadline)
        registry = registry_of(memory)
    if not memory.settings.server and (adoptions := registry.adoptions()):
        registry = _adopted(memory, adoptions)
    workplace = Workplace(
        project=project.id,
        workspace=memory.settings.workspace or os.path.dirname(identity.root),
        branch=checked_out_branch(project_root),
        label=project.label,
        visibility=registry.visibility(project),
        labels=registry.labels(),
        siblings=registry.siblings(project),
    )
    settle_here(memory, project_root, workplace)
    return Place(project, workplace, registry)


def _adopted(memory: Memory, adoptions: Sequence[tuple[Project, Project]]) -> Registry:
    """Return the registry after lessons that waited went to the projects of their labels, if the store can be written."""
    know = build_know_projects(memory)
    with suppress(StorageError):
        for waiting, project in adoptions:
            know.merge(waiting, project)
    return registry_of(memory)


def workplace_for(collection: CollectionName, memory: Memory, project_root: str, warn: Warn) -> Workplace:
    """Return where a question to *collection* is asked; what was touched of late matters to conversations only."""
    workplace = read_workplace(memory, project_root)
    return with_touched_files(workplace, project_root, warn) if collection == "conversations" else workplace


def with_touched_files(workplace: Workplace, project_root: str, warn: Warn) -> Workplace:
    """Return *workplace* with what git says changed of late, committed or not."""
    deadline = Deadline.after(GIT_SECONDS, time.monotonic)
    committed = change_probe(project_root, warn).changed_files(deadline)
    return with_uncommitted_files(workplace._replace(touched_files=committed), project_root, deadline, warn)


def with_uncommitted_files(workplace: Workplace, project_root: str, deadline: Deadline, warn: Warn) -> Workplace:
    """Return *workplace* with what is being changed, before what was touched already."""
    changing = change_probe(project_root, warn).uncommitted_files(deadline)
    return workplace._replace(touched_files=tuple(dict.fromkeys(changing + workplace.touched_files)))
