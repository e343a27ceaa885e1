import functools
import os
from collections.abc import Callable
from typing import Annotated

import attrs
import typer

from hardwon.adapters.markdown.source_files import is_storable
from hardwon.adapters.sqlite.fts import is_available, rebuild_index
from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.use_cases.filing.index_files import Indexed, IndexFiles
from hardwon.domain.use_cases.keeping.embed_pending import BATCH
from hardwon.entrypoints.cli.embedding import embed_with_progress, offer_downloads, try_embedders
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import ensure_storable
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import complain, counted, print_json, progress, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import on_one_line
from hardwon.entrypoints.workplace import read_workplace


def index(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATHS]...", help="Files and folders (default: the project's memory).", show_default=False
        ),
    ] = None,
    *,
    embed: Annotated[bool, typer.Option("--embed", help="Make all missing vectors, not only 50.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Index files that did not change too.")] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Index all of this project's files and make their vectors anew.")
    ] = False,
    rebuild_fts: Annotated[bool, typer.Option("--rebuild-fts", help="Make the keyword index anew first.")] = False,
    told: Annotated[bool, typer.Option("--progress", help="Name each file on standard error when it is done.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Bring markdown files into the store, and forget those that are gone.

    Without PATHS: memory/**/*.md, memory-*.md and specs/*/memory/**/*.md of the project,
    and the folders in HARDWON_DOCUMENT_ROOTS. What a file is kept as is told by
    'type:' in its front matter or by its folder (decisions, gotchas, preferences,
    conversations, sessions), else it is a document.
    """
    if rebuild and paths:
        raise typer.BadParameter(
            f"it is about the whole project, not {paths[0]!r}: use --force", param_hint="--rebuild"
        )
    ensure_storable(project_root)
    memory = open_for(project_root, global_store, create=not dry_run)
    index_files = memory.index_files(project_root, read_workplace(project_root, memory.settings))
    if rebuild_fts and not dry_run and is_available():
        rebuild_index(memory.database)
    wanted = [_existing(path, index_files) for path in paths or ()]
    run = functools.partial(index_files, wanted, again=force or rebuild, everywhere=rebuild, rehearsed=dry_run)
    indexed = _index_with_progress(run, told=told)
    if rebuild and not dry_run:
        _drop_vectors(memory, index_files)
    if not dry_run:
        offer_downloads(memory)
    made = 0 if dry_run else embed_with_progress(memory, None if embed or rebuild else BATCH)
    missing = memory.count_pending(EVERYTHING)
    if as_json:
        print_json({**attrs.asdict(indexed), "dry_run": dry_run, "embedded": made, "pending": missing})
    else:
        if dry_run:
            _say_plan(indexed)
        say(f"{_counts(indexed, dry_run=dry_run)}; {counted(made, 'vector', 'vectors')} made, {missing} missing.")
    if not dry_run:
        label_after_output(memory)


def _existing(path: str, index_files: IndexFiles) -> str:
    """Return *path* with its links resolved; what is gone but known will be forgotten."""
    real = os.path.realpath(path)
    is_known = is_storable(real) and index_files.repository.files_starting_with(real)
    if index_files.sources.is_gone(real) and not is_known:
        raise typer.BadParameter(f"{path!r} is not there: name a file or folder", param_hint="PATHS")
    return real


def _index_with_progress(run: Callable[..., Indexed], *, told: bool) -> Indexed:
    """Return what *run* did, after a bar on a terminal, and a line for each file if *told*."""
    with progress() as bar:
        task = bar.add_task("indexing", total=None)

        def hear(done: int, total: int, path: str) -> None:
            bar.update(task, completed=done, total=total, description=on_one_line(path))
            if told:
                complain(f"{done} of {total}: {path}")

        indexed = run(progress=hear)
    for line in indexed.skipped:
        warn(f"skipped: {line}")
    for line in indexed.warnings:
        warn(line)
    return indexed


def _drop_vectors(memory: Memory, index_files: IndexFiles) -> None:
    """Drop the vectors of the files below the project's folder, unless none could take their place."""
    try:
        try_embedders(memory)
    except EmbedderError as error:
        warn(f"the vectors stay as they are: {error}")
        return
    for space in memory.spaces:
        space.vectors.clear(index_files.of_project)


def _say_plan(indexed: Indexed) -> None:
    for verb, paths in (("add", indexed.new), ("change", indexed.changed), ("remove", indexed.removed)):
        for path in paths:
            say(f"would {verb} {path}")


def _counts(indexed: Indexed, *, dry_run: bool) -> str:
    done = len(indexed.new) + len(indexed.changed)
    return (
        f"{'Would index' if dry_run else 'Indexed'} {counted(done, 'file', 'files')}: {len(indexed.new)} new,"
        f" {len(indexed.changed)} changed, {indexed.unchanged} unchanged, {len(indexed.removed)} removed,"
        f" {len(indexed.skipped)} skipped"
        + (f", {indexed.deleted} deleted before (--force brings back)" if indexed.deleted else "")
    )
