"""`hardwon checkpoint`: save and restore the state of the store."""

from typing import Annotated, TypeAlias

import typer

from hardwon.domain.model.checkpoint import Checkpoint, CheckpointScope
from hardwon.domain.use_cases.checkpoints import Checkpoints, RestoreOutcome
from hardwon.entrypoints.cli.console import DryRun, Yes, ask, print_items, print_json, say
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.context import contents_here, read_workplace
from hardwon.entrypoints.presenters.checkpoints import (
    checkpoint_line,
    contents_text,
    label_of,
    metadata,
    restore_lines,
)
from hardwon.entrypoints.streams import readable, valid_text

SCOPE_HELP = "documents or everything of this project, or all that is stored"

Name: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of the checkpoint.", show_default=False)
]


def create(
    name: Name,
    *,
    description: Annotated[
        str, typer.Option(metavar="TEXT", help="The purpose of the checkpoint.")
    ] = "",
    scope: Annotated[
        CheckpointScope, typer.Option(help=f"What it is about: {SCOPE_HELP}.")
    ] = "documents",
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Save the present state.

    The snapshot holds the whole store. The scope says which part a restore brings back.
    """
    memory = open_for(project_root, global_store)
    contents = contents_here(scope, read_workplace(memory, project_root), project_root)
    made = Checkpoints.on(memory.store, memory.clock).create(
        valid_text(name), valid_text(description), contents
    )
    if as_json:
        print_json(_document(made))
    else:
        say(f"Checkpoint {checkpoint_line(made)}")


def list_checkpoints(
    *,
    of_all: Annotated[
        bool, typer.Option("--all", help="Also show those of other projects.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Show the checkpoints made in this project, the newest first."""
    memory = open_for(project_root, global_store, create=False)
    checkpoints = Checkpoints.on(memory.store, memory.clock)
    found = (
        checkpoints.all()
        if of_all
        else checkpoints.made_in(read_workplace(memory, project_root).own)
    )
    if as_json:
        print_items(map(_document, found))
        return
    for item in found:
        say(checkpoint_line(item))
    if not found:
        say(
            "No checkpoint of this project yet: hardwon checkpoint create NAME (--all shows those"
            " of others)"
        )


def restore(
    name: Name,
    *,
    scope: Annotated[
        CheckpointScope | None,
        typer.Option(
            help=f"What to bring back: {SCOPE_HELP} (default: what it was made for).",
            show_default=False,
        ),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Restore the state of a checkpoint, after a checkpoint of the present state.

    Memories made since are removed. Files do not change; the next index reads those that differ.
    """
    checkpoints = Checkpoints.on(
        open_for(project_root, global_store, create=False).store,
        open_for(project_root, global_store, create=False).clock,
    )
    checkpoint = checkpoints.named(readable(name))
    ask(
        f"replace {contents_text(checkpoint.contents.narrowed(scope))} by the checkpoint"
        f" {checkpoint_line(checkpoint)}",
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
    )
    print_restored(checkpoints.restore(checkpoint.name, scope), as_json=as_json)


def delete(
    name: Name,
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """Delete a checkpoint and its snapshot."""
    checkpoints = Checkpoints.on(
        open_for(project_root, global_store, create=False).store,
        open_for(project_root, global_store, create=False).clock,
    )
    checkpoint = checkpoints.named(readable(name))
    ask(
        f"forget the checkpoint {checkpoint_line(checkpoint)}",
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
    )
    gone = checkpoints.delete(checkpoint.name)
    if as_json:
        print_json({"deleted": gone.name})
    else:
        say(f"Deleted: {gone.name}")


def print_restored(restored: RestoreOutcome, *, as_json: bool) -> None:
    """Print the outcome of a restore."""
    if as_json:
        contents, done = restored.contents, restored.replacement
        about = {"scope": contents.scope, "project": label_of(contents), "root": contents.root}
        figures = {"name": restored.name, **about, **done._asdict()}
        print_json({**figures, "safety_checkpoint": _document(restored.safety)})
        return
    for line in restore_lines(restored):
        say(line)


def _document(checkpoint: Checkpoint) -> dict[str, object]:
    return {
        "id": checkpoint.number,
        "name": checkpoint.name,
        "description": checkpoint.description,
        "created_at": checkpoint.created_at,
        "memory_count": checkpoint.memory_count,
        "snapshot_path": checkpoint.snapshot_path,
        "metadata": metadata(checkpoint),
        "missing": not checkpoint.is_there,
    }
