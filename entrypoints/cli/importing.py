import os
from typing import Annotated

import typer

from hardwon.adapters.markdown.whole_files import read_regular_file, reason
from hardwon.adapters.memory_index import LARGEST_FILE, read_memory_index
from hardwon.domain.model.files.memory_index import IndexedMemory
from hardwon.domain.use_cases.import_knowledge import Imported
from hardwon.entrypoints.cli.embedding import embed_with_progress
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import counted, print_json, progress, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.streams import on_one_line


def import_knowledge(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="A memory-index.json instead; its vectors are made anew, not taken over."
        ),
    ] = None,
    *,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Bring the knowledge bank, or the sessions of a memory-index.json, into the store.

    The bank is the project's docs/knowledge-bank/*.md and the store's own *.md.
    Entries seen before are left alone, so it can be run again at any time.
    """
    if file is not None:
        memories = read_memory_index(_bytes(file))  # before a store is made: nothing may be left of a bad one
        _import_index(open_for(project_root, global_store), memories, project_root, no_embed=no_embed, as_json=as_json)
        return
    memory = open_for(project_root, global_store)
    imported = import_with_progress(memory, project_root)
    embedded = 0 if no_embed else embed_with_progress(memory)
    if as_json:
        print_json({"imported": imported, "embedded": embedded})
        return
    say(
        f"Imported {counted(imported.added, 'entry', 'entries')}, {imported.known} known already;"
        f" {counted(embedded, 'vector', 'vectors')} made."
    )
    if not imported.added and not imported.known:
        bank = os.path.join(os.path.realpath(project_root), "docs", "knowledge-bank")
        say(f"No entries found: write them to {{anti-patterns,patterns,heuristics}}.md in {bank}")


def import_with_progress(memory: Memory, project_root: str) -> Imported:
    """Import every knowledge-bank file, with a progress bar; tell what could not be imported."""
    with progress() as bar:
        task = bar.add_task("importing", total=None)
        imported = memory.import_knowledge(project_root).everything(
            lambda file: bar.update(task, advance=1, description=on_one_line(file.path))
        )
    for line in imported.skipped:
        warn(f"not imported: {line}")
    return imported


def _import_index(
    memory: Memory, memories: list[IndexedMemory], project_root: str, *, no_embed: bool, as_json: bool
) -> None:
    imported = memory.import_memory_index(project_root)(memories)
    for line in imported.skipped:
        warn(f"not imported: {line}")
    embedded = 0 if no_embed else embed_with_progress(memory)
    if as_json:
        print_json({"imported": imported, "embedded": embedded})
        return
    say(
        f"Imported {counted(imported.added, 'session', 'sessions')}, {imported.known} known already;"
        f" {counted(embedded, 'vector', 'vectors')} made."
    )


def _bytes(file: str) -> bytes:
    try:
        return read_regular_file(file, LARGEST_FILE).data
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{file!r}: {reason(error)}", param_hint="FILE") from error
