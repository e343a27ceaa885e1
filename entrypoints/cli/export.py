"""`hardwon export`: everything, or the sessions as an index."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from importlib.metadata import version
from typing import Annotated, Literal

import typer

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.entrypoints.bootstrap import build_know_projects
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import (
    STANDARD_STREAM,
    count_exported,
    export_lines,
    render_index,
    write_export_folder,
    write_lines,
)
from hardwon.entrypoints.cli.console import complain, progress
from hardwon.entrypoints.cli.options import GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.context import ASK_SECONDS, look_up_new_ones
from hardwon.entrypoints.presenters.text import counted
from hardwon.ports.entries import EntryRepository
from hardwon.ports.vectors import VectorStore

SESSIONS = EntryFilter(kinds=("session",))
DIMENSIONS = 384

Form = Literal["jsonl", "markdown", "memory-index"]


def export(
    *,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help=(
                "jsonl holds everything, markdown is for reading, memory-index holds the sessions."
            ),
        ),
    ] = "jsonl",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file (default and -: standard output).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
) -> None:
    """
    Write the whole memory to a file.

    jsonl holds an entry a line, with counters and history. hardwon import reads it. markdown writes
    a folder for each project. memory-index is one JSON object of all sessions, keyed by file path,
    with vectors if the active model has 384 dimensions.
    """
    to_file = output not in {None, STANDARD_STREAM}
    if form == "markdown" and not to_file:
        raise typer.BadParameter("markdown is a folder of files: name it", param_hint="'--output'")
    memory = open_for(project_root, global_store, create=False)
    try:
        if form == "markdown":
            complain(
                f"Exported {_entries(write_export_folder(memory, output or '', replace=force))} to"
                f" {output}"
            )
        elif form == "memory-index":
            _export_sessions(
                memory.repository,
                memory.spaces.vectors_for("session"),
                output if to_file else None,
                replace=force,
            )
        else:
            with suppress(StorageError):  # without a first commit, only the path identifies it
                look_up_new_ones(build_know_projects(memory), project_root, ASK_SECONDS)
            _export_lines(memory, output if to_file else None, replace=force)
    except UnreadableFileError as error:
        raise typer.BadParameter(f"{output!r}: {error}", param_hint="'--output'") from error


def _entries(number: int) -> str:
    return counted(number, "entry", "entries")


def _export_lines(memory: Memory, output: str | None, *, replace: bool) -> None:
    with progress() as bar, closing(export_lines(memory, version("hardwon"))) as lines:
        written = bar.track(lines, total=count_exported(memory) + 1, description="exporting")
        if output is None:
            _write_out(written)
            return
        write_lines(output, written, replace=replace)
    complain(f"Exported {_entries(memory.repository.count(EVERYTHING))} to {output}")


def _write_out(lines: Iterable[bytes]) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.writelines(lines)
    sys.stdout.buffer.flush()


def _export_sessions(
    repository: EntryRepository, stored: VectorStore | None, output: str | None, *, replace: bool
) -> None:
    with repository.snapshot():
        sessions = list(_sessions(repository, stored))
    if output is None:
        sys.stdout.write(
            render_index(sessions, ascii_only=not sys.stdout.encoding.lower().startswith("utf"))
        )
        return
    write_lines(output, [render_index(sessions).encode()], replace=replace)
    complain(f"Exported {counted(len(sessions), 'session', 'sessions')} to {output}")


def _sessions(
    repository: EntryRepository, stored: VectorStore | None
) -> Iterator[tuple[Entry, Vector | None]]:
    for entry in repository.matching(SESSIONS, limit=repository.count(SESSIONS)):
        vector = stored.vectors_of([entry.entry_id]).get(entry.entry_id) if stored else None
        yield entry, vector if vector and len(vector) == DIMENSIONS else None
