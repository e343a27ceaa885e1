"""Checks of projects for waiting labels and missing files."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hardwon.domain.model.filters import EntryFilter, Scope
from hardwon.domain.model.project import Project, Registry
from hardwon.entrypoints.presenters.text import on_one_line

if TYPE_CHECKING:
    from hardwon.domain.use_cases.know_projects import KnowProjects
    from hardwon.ports.entries import EntryRepository
    from hardwon.ports.store import Store


def project_lines(know: "KnowProjects", store: "Store") -> Iterator[str]:
    """Yield lines about waiting labels and gone folders or files."""
    registry, counts = know.registry(), know.projects.entry_counts()
    gone_files = _gone_files(store)
    for project in registry.projects:
        entries = counts.get(project.id, 0)
        if entries and project.is_waiting:
            yield _waiting_line(store.entries, project, registry=registry, entries=entries)
        elif know.is_gone(project):
            if entries and not know.goes_on(project):
                yield _gone_line(project, registry, entries)
        elif lost := gone_files.get(project.id, 0):
            yield (
                f"{_counted(lost, 'entry', 'entries')} of {_label(project, registry)}"
                f" {'has' if lost == 1 else 'have'} no file any more: bring the files back, or run"
                f" hardwon index in {on_one_line(project.identity.root)}: it finds moved ones, and"
                " forgets the others"
            )


def waiting_lines(store: "Store", registry: Registry) -> list[str]:
    """Return lines about labels whose entries wait for a project."""
    waiting = [project for project in registry.projects if project.is_waiting]
    counts = store.projects.entry_counts() if waiting else {}
    return [
        _waiting_line(store.entries, project, registry=registry, entries=entries)
        for project in waiting
        if (entries := counts.get(project.id, 0))
    ]


def _gone_line(project: Project, registry: Registry, entries: int) -> str:
    name = _name(project, registry)
    return (
        f"{_counted(entries, 'entry', 'entries')} of {_label(project, registry)} remain, its folder"
        f" {on_one_line(project.identity.root)} is gone: hardwon project move {name} FOLDER if it"
        f" has moved, hardwon project merge {name} FOLDER if another project goes on with it"
    )


def _waiting_line(
    repository: "EntryRepository", project: Project, registry: Registry, entries: int
) -> str:
    learnings = repository.count(EntryFilter(scope=Scope((project.id,))))
    one, many = ("learning", "learnings") if learnings == entries else ("entry", "entries")
    verb = "waits" if entries == 1 else "wait"
    return (
        f"{_counted(entries, one, many)} of {on_one_line(project.label)} {verb} for a project:"
        f" hardwon project merge {_name(project, registry)} FOLDER, until then they are shown"
        " nowhere, but hardwon recall finds them"
    )


def _gone_files(store: "Store") -> Counter[str]:
    gone = Counter[str]()
    for project, path, entries in store.overview.entries_by_file():
        if not os.path.lexists(path):
            gone[project] += entries
    return gone


def _label(project: Project, registry: Registry) -> str:
    return on_one_line(registry.label_of(project.id))


def _name(project: Project, registry: Registry) -> str:
    is_plain = (
        registry.named(project.label) == [project] and on_one_line(project.label) == project.label
    )
    return (
        shlex.quote(project.label) if is_plain and not project.label.startswith("-") else project.id
    )


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
