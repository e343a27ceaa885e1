import os
import sys
from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from hardwon.adapters.markdown.whole_files import reason, replace_file
from hardwon.adapters.memory_index import write_memory_index
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.vector import Vector
from hardwon.entrypoints.cli.options import GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import complain, counted
from hardwon.entrypoints.composition import Memory

SESSIONS = EntryFilter(kinds=("session",))
DIMENSIONS = 384


def export(
    *,
    form: Annotated[Literal["memory-index"], typer.Option("--format", help="memory-index: the sessions as JSON.")],
    output: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write it there (default: standard output).")
    ] = None,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
) -> None:
    """
    Write what is remembered in another program's form.

    memory-index is one JSON object of all sessions, keyed by the paths of their
    files, with vectors where the active model makes 384 numbers.
    """
    del form  # there is one
    memory = open_for(project_root, global_store, create=False)
    with memory.repository.snapshot():
        sessions = list(_sessions(memory))
    if output is None:
        sys.stdout.write(write_memory_index(sessions, ascii_only=not sys.stdout.encoding.lower().startswith("utf")))
        return
    try:
        replace_file(os.path.realpath(output), write_memory_index(sessions))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{output!r}: {reason(error)}", param_hint="--output") from error
    complain(f"Exported {counted(len(sessions), 'session', 'sessions')} to {output}")


def _sessions(memory: Memory) -> Iterator[tuple[Entry, Vector | None]]:
    repository = memory.repository
    vectors = _vectors(memory)
    for entry in repository.find(SESSIONS, limit=repository.count(SESSIONS)):
        yield entry, vectors.get(entry.entry_id)


def _vectors(memory: Memory) -> dict[str, Vector]:
    """Return the vectors of the sessions, by id, where they are of the width that the index holds."""
    stored = memory.vectors_for("session")
    if stored is None or stored.dimensions != DIMENSIONS:
        return {}
    seqs, _, values = stored.load(SESSIONS)
    entries = memory.repository.hydrate(seqs)
    return {entry.entry_id: values[row * DIMENSIONS : (row + 1) * DIMENSIONS] for row, entry in enumerate(entries)}
