"""`hardwon project`: list and show projects, merge them, and follow moved ones."""

import os
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple, TypeAlias

import typer
from rich.table import Table

from hardwon.domain.model.project import Project, Registry
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.entrypoints.bootstrap import build_know_projects, identify
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.cli.console import (
    NARROW,
    DryRun,
    Yes,
    ask,
    cell,
    columns,
    out,
    print_items,
    print_json,
    print_table,
    say,
)
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, open_for
from hardwon.entrypoints.context import folder_of, look_up, look_up_if_possible
from hardwon.entrypoints.presenters.projects import (
    SHOWN_DIGITS,
    STATES,
    candidates,
    clones_of,
    place_of,
    project_document,
    why,
)
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.entrypoints.streams import readable

HERE = "."
SHOWN_BY = "hardwon project list shows them"
NAME_HELP = "Its label, folder or id"

Named: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[NAME|FOLDER]", help=f"{NAME_HELP} (default: here).", show_default=False
    ),
]


def find_project(know: KnowProjects, name: str, hint: str, besides: str = "") -> Project:
    """Return the project with that id, label, label with parent, or folder."""
    name, registry = readable(name), know.registry()
    is_path = os.path.isdir(name) and (os.sep in name or name in {".", ".."})
    found = () if is_path else registry.named(name)
    found = [project for project in found or _in_folder(registry, name) if project.id != besides]
    if len(found) == 1:
        return found[0]
    if found:
        raise typer.BadParameter(
            f"{name!r} may mean {candidates(found, registry)}: give an id", param_hint=hint
        )
    raise typer.BadParameter(f"no project is called {name!r}: {SHOWN_BY}", param_hint=hint)


def ids_of_origin(know: KnowProjects, name: str) -> tuple[str, ...]:
    """
    Return the ids of a project and its clones.

    A folder is looked up.
    """
    if os.path.isdir(name):
        look_up_if_possible(know, name)
    return know.registry().group_of(find_project(know, name, "'--origin'"))


def _in_folder(registry: Registry, name: str) -> Sequence[Project]:
    folder = folder_of(name)
    project = registry.with_key(identify(folder).key) if os.path.isdir(folder) else None
    return [project] if project else registry.named(folder)


def _opened(global_store: str | None, folder: str, *, create: bool) -> tuple[Memory, KnowProjects]:
    memory = open_for(_checked(folder), global_store, create=create)
    look_up_if_possible(build_know_projects(memory), folder)
    return memory, build_know_projects(memory)


def _checked(folder: str) -> str:
    if not os.path.isdir(folder):
        raise typer.BadParameter(f"{folder!r} is not a folder", param_hint="FOLDER")
    return folder


def list_projects(*, global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """
    List the projects that the store knows.

    Lessons of an own or trusted project can be shown in all of yours. Lessons of a foreign, revoked
    or unknown project are shown there only. A waiting project is a name from an older store whose
    folder is unknown.
    """
    _, know = _opened(global_store, HERE, create=False)
    counts, registry = know.projects.entry_counts(), know.registry()
    projects = sorted(
        registry.projects, key=lambda project: registry.label_of(project.id).casefold()
    )
    if as_json:
        print_items(project_document(project, know, counts) for project in projects)
        return
    rows = [
        _Row.of(project, know, registry=registry, entries=counts.get(project.id, 0))
        for project in projects
    ]
    print_table(_table(rows))
    say(counted(len(rows), "project", "projects"))


class _Row(NamedTuple):
    """A line of the list."""

    project: str
    state: str
    entries: str
    commit: str
    place: str
    remote: str

    @classmethod
    def of(cls, project: Project, know: KnowProjects, registry: Registry, entries: int) -> "_Row":
        clones = clones_of(project, registry)
        gone = " (gone)" if not project.is_waiting and know.is_gone(project) else ""
        joined = f" (and {counted(len(clones), 'clone', 'clones')})" if clones else ""
        return cls(
            project=registry.label_of(project.id),
            state=STATES[registry.reason(project)],
            entries=str(entries),
            commit=(project.first_commit or "")[:SHOWN_DIGITS],
            place=f"{place_of(project)}{gone}{joined}",
            remote=project.remote,
        )


def _table(rows: Sequence[_Row]) -> Table:
    kept = [
        name for name in _Row._fields if columns() >= NARROW * 2 or name not in {"commit", "remote"}
    ]
    table = Table(box=None, pad_edge=False, header_style="" if out().no_color else "bold")
    for name in kept:
        table.add_column(name, no_wrap=name in {"state", "entries", "commit"}, overflow="fold")
    for row in rows:
        table.add_row(*(cell(getattr(row, name)) for name in kept))
    return table


def show_project(
    name: Named = HERE, *, global_store: GlobalStore = None, as_json: AsJson = False
) -> None:
    """Show what the store knows of a project."""
    folder = name if os.path.isdir(name) else HERE
    _, know = _opened(global_store, folder, create=False)
    project = find_project(know, name, "NAME")
    counts = know.projects.entry_counts()
    if as_json:
        print_json(project_document(project, know, counts))
        return
    for field, value in _facts(project, know, counts.get(project.id, 0)):
        say(f"{field:<15}{on_one_line(value)}")


def _facts(project: Project, know: KnowProjects, entries: int) -> Iterator[tuple[str, str]]:
    registry = know.registry()
    yield "project", registry.label_of(project.id)
    yield "id", project.id
    yield (
        "folder",
        (
            f"{place_of(project)}{' (gone)' if not project.is_waiting and know.is_gone(project) else ''}"
        ),
    )
    yield "remote", project.remote or "none"
    yield (
        "first commit",
        project.first_commit or ("not looked up yet" if project.first_commit is None else "none"),
    )
    yield "trust", why(project, registry)
    yield "conversations", project.conversations
    where = (
        "may be shown in all your projects"
        if registry.is_shared(project)
        else "are shown there only"
    )
    yield "entries", f"{entries}, which {where}"
    for clone in clones_of(project, registry):
        yield "other clone", clone


MERGE_EXAMPLES = """\b
Examples:
  hardwon project merge old-app
  hardwon project merge ~/src/old-app ~/src/app"""


def merge(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help=f"{NAME_HELP}.", show_default=False)
    ],
    into: Annotated[
        str, typer.Argument(metavar="[INTO]", help=f"{NAME_HELP} (default: here).")
    ] = HERE,
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Move all entries of one project to another.

    This can't be undone. FROM can be a waiting name from an older store whose folder is unknown.
    """
    _, know = _opened(global_store, into if os.path.isdir(into) else HERE, create=False)
    target = find_project(know, into, "INTO")
    project = find_project(know, source, "FROM", besides=target.id)
    entries = know.projects.entry_counts().get(project.id, 0)
    ask(
        _merging(project, target, entries=entries, registry=know.registry()),
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
    )
    label = know.registry().label_of(project.id)
    moved = know.merge(project, target)
    if as_json:
        print_json(
            {
                "merged": moved,
                "from": project.id,
                "into": project_document(target, know, _counts(know)),
            }
        )
        return
    say(
        f"Merged: {counted(moved, 'entry', 'entries')} of {label} now belong to"
        f" {know.registry().label_of(target.id)}"
    )
    if not (project.is_waiting or know.is_gone(project)):
        say(
            f"{place_of(project)} is still there: what is stored there from now on belongs to a"
            " project of its own"
        )


def _merging(project: Project, target: Project, entries: int, registry: Registry) -> str:
    before, after = registry.is_shared(project), registry.is_shared(target)
    change = (
        ""
        if before == after
        else "; they may then be shown elsewhere"
        if after
        else "; they are then shown there only"
    )
    what = (
        f"{counted(entries, 'entry', 'entries')} of {registry.label_of(project.id)}"
        f" ({place_of(project)})"
    )
    return f"merge {what} into {registry.label_of(target.id)} ({place_of(target)}){change}"


def _counts(know: KnowProjects) -> dict[str, int]:
    return dict(know.projects.entry_counts())


MOVE_EXAMPLES = """\b
Examples:
  hardwon project move
  hardwon project move old-app ~/src/app"""
STILL_THERE = "the folder of {} is still there: {}; hardwon project merge joins two projects"
OTHER_HISTORY = "although they begin with different commits"


def move(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[FROM]",
            help=f"{NAME_HELP} before (default: the one with the same first commit or label).",
            show_default=False,
        ),
    ] = "",
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="Its new folder (default: here).")
    ] = HERE,
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Name the new folder of a project that was moved.

    hardwon notices a renamed folder, but not one on another disk. Entries stored at the new place
    meanwhile join the project.
    """
    memory = open_for(_checked(folder), global_store, create=False, looks_up=False)
    know = build_know_projects(memory)
    known = know.registry().named(readable(source)) or know.registry().named(folder_of(source))
    there = look_up(build_know_projects(memory), folder)
    is_noticed = [there.id] == [
        project.id for project in known if project.identity.key != there.identity.key
    ]
    project = there if source and is_noticed else _at_former_place(know, source, there)
    other_history = (
        f", {OTHER_HISTORY}"
        if project.first_commit
        and there.first_commit
        and project.first_commit != there.first_commit
        else ""
    )
    ask(
        f"let {know.registry().label_of(project.id)} be at {place_of(there)}{other_history}",
        yes=yes or not other_history,
        dry_run=dry_run,
        as_json=as_json,
    )
    moved = know.move(project, there.identity, there.label)
    if as_json:
        print_json(project_document(moved, know, _counts(know)))
        return
    entries = counted(know.projects.entry_counts().get(moved.id, 0), "entry", "entries")
    say(f"Moved: {know.registry().label_of(moved.id)} is now at {place_of(moved)}, with {entries}")


def _at_former_place(know: KnowProjects, source: str, there: Project) -> Project:
    """Return the project that *source* or *there* means, whose folder is gone."""
    project = find_project(know, source, "FROM", besides=there.id) if source else _lost(know, there)
    if project.is_waiting or know.is_gone(project):
        return project
    raise typer.BadParameter(
        STILL_THERE.format(know.registry().label_of(project.id), place_of(project)),
        param_hint="FROM",
    )


def _lost(know: KnowProjects, there: Project) -> Project:
    """Return the one gone project with *there*'s first commit, else with its label."""
    registry = know.registry()
    gone = [
        item
        for item in registry.projects
        if item.id != there.id and (item.is_waiting or know.is_gone(item))
    ]
    found = [item for item in gone if item.first_commit and item.first_commit == there.first_commit]
    found = found or [item for item in gone if item.label == there.label]
    if len(found) == 1:
        return found[0]
    if found:
        raise typer.BadParameter(
            f"it may be {candidates(found, registry)}: give one", param_hint="FROM"
        )
    known = f": {candidates(gone, registry)} are gone" if gone else ", and none is gone"
    raise typer.BadParameter(
        f"no project that is gone is like {there.label!r}{known}", param_hint="FROM"
    )
