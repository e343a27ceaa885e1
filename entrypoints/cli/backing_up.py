"""Copy the whole store to a file, and bring it back from one."""

import os
from typing import Annotated, TypeAlias

import typer

from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.entrypoints.cli.checkpointing import tell
from hardwon.entrypoints.cli.consent import Yes, ask
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, say
from hardwon.entrypoints.streams import on_one_line
from hardwon.entrypoints.workplace import name_of

File: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="The copy of the store.", show_default=False)]


def backup(
    file: File,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Copy the whole store to a file, checked; others may write meanwhile."""
    memory = open_for(project_root, global_store, create=False)
    memory.checkpoints.snapshots.back_up(file, replace=force)
    count, size = memory.repository.count(EVERYTHING), os.path.getsize(file)
    if as_json:
        print_json({"path": os.path.realpath(file), "memory_count": count, "bytes": size})
    else:
        say(f"Backed up {counted(count, 'memory', 'memories')} to {file}, {size} bytes")


def restore(
    file: File,
    *,
    yes: Yes = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Bring all memories back from a backup, after a checkpoint of the present state.

    Memories that are not in it are taken out. Checkpoints and history stay.
    """
    if not os.path.isfile(file):
        raise typer.BadParameter(f"{file!r} is not a file: name one that hardwon backup made", param_hint="FILE")
    ask(f"replace everything in the store by what {file} holds", yes=yes)
    memory = open_for(project_root, global_store)
    name = on_one_line(name_of(file))
    tell(memory.checkpoints.restore_file(os.path.realpath(file), name, name_of(project_root)), as_json=as_json)
