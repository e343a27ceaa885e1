"""`hardwon trust`: say which projects' lessons may be shown elsewhere."""

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from hardwon.domain.model.project import Project
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.cli.console import print_items, print_json, say
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, open_for
from hardwon.entrypoints.cli.project import find_project
from hardwon.entrypoints.context import folder_of, look_up, look_up_if_possible
from hardwon.entrypoints.presenters.projects import place_of, project_document, trust_line, why
from hardwon.entrypoints.presenters.text import on_one_line

TRUST_EXAMPLES = """\b
Examples:
  hardwon trust
  hardwon trust ~/src --below
  hardwon trust ~/src/of-others --revoke"""

NOT_BELOW = "nothing is trusted because it is below {}"
BELOW = (
    "Trusted: every project below {}, also later ones; hardwon trust {} --below --revoke takes that"
    " back"
)
NO_LONGER_BELOW = (
    "No longer trusted: projects below {}, but for those that you named or committed to"
)


TRUST_TASKS = {"listed": ("folder",)}


def trust(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="[FOLDER]", help="A folder of the project (default: here).", show_default=False
        ),
    ] = ".",
    *,
    below: Annotated[
        bool,
        typer.Option("--below", help="Trust every project below the folder, also later ones."),
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Revoke trust: its lessons are shown there only.")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="Show which projects are trusted, and why.")
    ] = False,
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Show a project's lessons in all of yours.

    Projects that you committed to are trusted already, unless HARDWON_TRUST is ask. Lessons of
    other projects are shown there only. Trust belongs to a working copy: another clone needs its
    own.
    """
    if listed:
        _list(folder, global_store, as_json=as_json)
    elif below:
        _trust_below(folder, global_store, trusted=not revoke, as_json=as_json)
    else:
        _trust(folder, global_store, trusted=not revoke, as_json=as_json)


def _trust(folder: str, global_store: str | None, *, trusted: bool, as_json: bool) -> None:
    is_there = os.path.isdir(os.path.expanduser(folder))
    memory = open_for(folder_of(folder) if is_there else ".", global_store)
    know = build_know_projects(memory)
    project = (
        look_up(build_know_projects(memory), folder_of(folder))
        if is_there
        else find_project(know, folder, "FOLDER")
    )
    if project.is_waiting and trusted:
        label = know.registry().label_of(project.id)
        raise typer.BadParameter(
            f"the folder of {label!r} is not known: hardwon project merge says which project it is",
            param_hint="FOLDER",
        )
    project = know.trust(project, trusted=trusted)
    if as_json:
        print_json(project_document(project, know, know.projects.entry_counts()))
    else:
        say(on_one_line(trust_line(project, know.registry())))


def _trust_below(folder: str, global_store: str | None, *, trusted: bool, as_json: bool) -> None:
    real = folder_of(folder)
    if trusted and not os.path.isdir(real):
        raise typer.BadParameter(f"{folder!r} is not a folder", param_hint="FOLDER")
    know = build_know_projects(open_for(".", global_store))
    if not trusted and real not in know.projects.trusted_folders():
        known = know.projects.trusted_folders()
        others = f": those are {', '.join(known)}" if known else ""
        raise typer.BadParameter(f"{NOT_BELOW.format(real)}{others}", param_hint="FOLDER")
    know.trust_below(real, trusted=trusted)
    if as_json:
        print_json({"trusted_folders": know.projects.trusted_folders()})
        return
    say(on_one_line(BELOW.format(real, real) if trusted else NO_LONGER_BELOW.format(real)))
    for project in _revoked_below(know, real) if trusted else ():
        say(
            on_one_line(
                f"Still revoked: {know.registry().label_of(project.id)} ({place_of(project)})"
            )
        )


def _revoked_below(know: KnowProjects, folder: str) -> Iterator[Project]:
    registry = know.registry()
    for project in registry.projects:
        if project.trust == "revoked" and registry.is_below(project, folder):
            yield project


def _list(folder: str, global_store: str | None, *, as_json: bool) -> None:
    memory = open_for(folder, global_store, create=False)
    look_up_if_possible(build_know_projects(memory), folder)
    know = build_know_projects(memory)
    registry, counts = know.registry(), know.projects.entry_counts()
    if as_json:
        items = [project_document(project, know, counts) for project in registry.projects]
        print_items(items, trusted_folders=registry.trusted_folders, mode=registry.mode)
        return
    for project in registry.projects:
        say(
            on_one_line(
                f"{registry.label_of(project.id)} ({place_of(project)}): {why(project, registry)}"
            )
        )
    for path in registry.trusted_folders:
        say(on_one_line(f"every project below {path}: trusted"))
