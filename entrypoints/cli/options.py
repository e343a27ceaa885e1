"""Options that every command shares, and what they open."""

import os
from typing import Annotated, TypeAlias

import typer

from hardwon.adapters.config.reader import read_settings
from hardwon.domain.model.settings import Resolved
from hardwon.entrypoints.cli.screen import warn
from hardwon.entrypoints.composition import Memory, open_memory

OK, USERS_MISTAKE, OUR_TROUBLE = 0, 1, 2
"""How every command leaves."""

ProjectRoot: TypeAlias = Annotated[
    str,
    typer.Option(
        "--project-root", metavar="PATH", help="The project (default: the working folder).", show_default=False
    ),
]
GlobalStore: TypeAlias = Annotated[
    str | None, typer.Option("--global-store", metavar="PATH", help="The folder that holds memory.db.")
]
Typed: TypeAlias = Annotated[
    bool, typer.Option("--typed", help="Take text and options from standard input, as typed after a slash command.")
]
"""Shown in the help only: `with_typed` puts what was typed in its place before options are read."""

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def resolve(project_root: str, global_store: str | None) -> Resolved:
    """
    Return the settings for a project, warnings told on standard error.

    Raises:
        typer.BadParameter: the project is not a folder.
    """
    if not os.path.isdir(project_root):
        raise typer.BadParameter(f"{project_root!r} is not a folder", param_hint="'--project-root'")
    flags = {"--global-store": global_store} if global_store else {}
    resolved = read_settings(project_root, os.environ, flags)
    for warning in resolved.warnings:
        warn(warning)
    return resolved


def open_for(project_root: str, global_store: str | None, *, create: bool = True) -> Memory:
    """
    Open the store for a project.

    Args:
        project_root: The project's folder.
        global_store: The store's folder, None for the one in the settings.
        create: False for a command that only looks: it leaves no trace where there is no store.

    Raises:
        StorageError: it can't be opened.
    """
    return open_memory(resolve(project_root, global_store).settings, warn, create=create)
