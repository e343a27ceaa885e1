"""`hardwon backup`, `restore` and `import`."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.legacy_index import IndexedMemory, OlderDocument
from hardwon.domain.use_cases.checkpoints import Checkpoints, RestoreOutcome
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.import_knowledge import ImportOutcome
from hardwon.domain.use_cases.import_legacy import (
    ImportedDocuments,
    ImportedIndex,
    KeepVectors,
    ProjectFiles,
)
from hardwon.entrypoints.bootstrap import build_know_projects, name_of
from hardwon.entrypoints.bootstrap_files import (
    build_find_drift,
    build_import_knowledge,
    build_import_memory_index,
    build_import_older_index,
    build_place_files,
    build_settle_versions,
    older_index_path,
    read_index,
    read_older_index,
)
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.bootstrap_upkeep import build_edit_lesson, build_import_store, open_export
from hardwon.entrypoints.cli.checkpoint import print_restored
from hardwon.entrypoints.cli.console import (
    DryRun,
    Yes,
    ask,
    complain,
    print_json,
    progress,
    say,
    warn,
)
from hardwon.entrypoints.cli.edit import take_over
from hardwon.entrypoints.cli.embed import embed_with_progress
from hardwon.entrypoints.cli.external import ExternalOptions, import_external
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.context import (
    look_up_if_possible,
    others_notice,
    read_workplace,
    trust_here,
)
from hardwon.entrypoints.embed_after_write import settle
from hardwon.entrypoints.presenters.entries import drift_document, drift_line
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.ports.transfer import ExportedRecords

File: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The copy of the store.", show_default=False)
]


def backup(
    file: File,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Copy the whole store to a file.

    Other programs can write meanwhile. The copy is checked.
    """
    memory = open_for(project_root, global_store, create=False)
    Checkpoints.on(memory.store, memory.clock).snapshots.back_up(
        os.path.realpath(file), replace=force
    )
    count, size = memory.repository.count(EVERYTHING), os.path.getsize(file)
    if as_json:
        print_json({"path": os.path.realpath(file), "memory_count": count, "bytes": size})
    else:
        say(f"Backed up {counted(count, 'memory', 'memories')} to {file}, {size} bytes")


def restore(
    file: File,
    *,
    yes: Yes = False,
    dry_run: DryRun = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Restore the store from a backup, after a checkpoint of the present state.

    Memories that the backup does not hold are removed. Checkpoints and history stay.
    """
    if not os.path.isfile(file):
        raise typer.BadParameter(
            f"{file!r} is not a file: name one that hardwon backup made", param_hint="FILE"
        )
    ask(
        f"replace everything in the store by what {file} holds",
        yes=yes,
        dry_run=dry_run,
        as_json=as_json,
    )
    memory = open_for(project_root, global_store)
    name = on_one_line(name_of(file))
    restored = restore_backup(memory, os.path.realpath(file), name=name, project_root=project_root)
    print_restored(restored, as_json=as_json)


def restore_backup(memory: Memory, file: str, name: str, project_root: str) -> RestoreOutcome:
    """
    Restore all memories from a backup.

    Its projects from another machine are matched with their clones here.
    """
    look_up_if_possible(build_know_projects(memory), project_root)
    know = build_know_projects(memory)
    known = {project.id for project in know.registry().projects}
    restored = Checkpoints.on(memory.store, memory.clock).restore_file(
        file, name, read_workplace(memory, project_root)
    )
    know.bring_in(project for project in know.registry().projects if project.id not in known)
    return restored


MAX_WARNINGS = 20
ASK_GIT_SECONDS = 30.0
"""Time for git to identify all projects of an import."""
COMPARE_SECONDS = 30.0
"""Time to embed the one text that compares the vectors of an index."""


def import_knowledge(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help=(
                "Instead of the bank: an export (- for standard input), a"
                " memory-index.json or a memory-index.sqlite, or what another program wrote: an"
                " export of ChatGPT or Claude, claude-mem's database, basic-memory's folder."
                " A memory-index.json keeps its vectors if the model in use made them."
            ),
        ),
    ] = None,
    *,
    changed: Annotated[
        bool,
        typer.Option("--changed", help="Also take over manual edits and removals in the bank."),
    ] = False,
    everywhere: Annotated[
        bool,
        typer.Option(
            "--everywhere",
            help="Of another program: all of its projects, with lessons shown in all of yours.",
        ),
    ] = False,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Of another program: remove what was imported from FILE."),
    ] = False,
    yes: Yes = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of another program: only show what is in FILE.")
    ] = False,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Make the vectors later.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Import the knowledge bank, an export, an older index, or another program's memory.

    The bank is the project's docs/knowledge-bank/*.md and the store's own *.md. An older index
    inside the project that config.jsonc names (semantic.indexPath) is imported too, without entries
    of files elsewhere. It can be run again: known entries are skipped.

    Lessons that were edited or removed in the bank since are listed, and the store keeps them.
    --changed shows each, asks and takes the change over.

    The memory of another program is shown and imported after a question: conversations into this
    project's memory folder, lessons for this project only. hardwon import FILE --undo removes both.
    """
    options = ExternalOptions(
        everywhere=everywhere,
        undo=undo,
        yes=yes,
        dry_run=dry_run,
        no_embed=no_embed,
        as_json=as_json,
    )
    with _naming(file or ""):
        if import_external(file, options, project_root=project_root, global_store=global_store):
            return
    if file is not None:
        _import_file(file, project_root, global_store, no_embed=no_embed, as_json=as_json)
        return
    older = older_index_path(project_root, warn)
    documents = read_older_index(older, project_root) if older else []
    memory = open_for(project_root, global_store)
    trusted = trust_here(build_know_projects(memory), project_root)
    imported = import_with_progress(memory, project_root)
    at_home = build_settle_versions(
        memory, project_root, read_workplace(memory, project_root)
    ).settle()
    brought = (
        _import_older(memory, older, documents=documents, project_root=project_root, only_own=True)
        if older
        else None
    )
    drifts = build_find_drift(memory, project_root, read_workplace(memory, project_root)).drifted()
    taken = (
        take_over(
            build_edit_lesson(memory, project_root), drifts, complain if as_json else say, yes=yes
        )
        if changed
        else []
    )
    embedded = 0 if no_embed else embed_with_progress(memory.spaces)
    if as_json:
        trust = {
            **({"trusted": trusted} if trusted else {}),
            **({"at_home": at_home} if at_home else {}),
        }
        by_hand = [{**drift_document(drift), "taken_over": drift in taken} for drift in drifts]
        brought_in = {"documents": brought} if brought else {}
        print_json(
            {
                "imported": imported,
                **brought_in,
                "embedded": embedded,
                **trust,
                "changed_by_hand": by_hand,
            }
        )
        return
    if at_home:
        say(others_notice(at_home))
    if trusted:
        say(on_one_line(trusted))
    if brought:
        say(f"Imported {_counts(brought, 'document')} from {older}.")
    say(
        f"Imported {counted(imported.added, 'entry', 'entries')}, {imported.known} known already;"
        f" {counted(embedded, 'vector', 'vectors')} made."
    )
    for drift in drifts:
        if drift not in taken:
            say(drift_line(drift))
    if not imported.added and not imported.known:
        bank = os.path.join(os.path.realpath(project_root), "docs", "knowledge-bank")
        say(f"No entries found: write them to {{anti-patterns,patterns,heuristics}}.md in {bank}")


def import_with_progress(memory: Memory, project_root: str) -> ImportOutcome:
    """Import every knowledge-bank file with a progress bar, and print failures."""
    with progress() as bar:
        task = bar.add_task("importing", total=None)
        imported = build_import_knowledge(
            memory, project_root, read_workplace(memory, project_root)
        ).everything(lambda file: bar.update(task, advance=1, description=on_one_line(file.path)))
    for line in imported.skipped:
        warn(f"not imported: {line}")
    return imported


def _import_file(
    file: str, project_root: str, global_store: str | None, *, no_embed: bool, as_json: bool
) -> None:
    """
    Import one file, which is read before a store is made.

    So a bad file leaves nothing behind.
    """
    with _naming(file):
        with open_export(file) as export:
            if export:
                _import_export(
                    export,
                    file,
                    project_root=project_root,
                    global_store=global_store,
                    no_embed=no_embed,
                    as_json=as_json,
                )
                return
        memories = read_index(file)
    imported: ImportedIndex | ImportedDocuments
    kept: int | None = None
    if memories is None:
        documents = read_older_index(file, project_root)
        memory = open_for(project_root, global_store)
        imported, noun = (
            _import_older(
                memory, os.path.realpath(file), documents=documents, project_root=project_root
            ),
            "document",
        )
    else:
        memory = open_for(project_root, global_store)
        imported, noun = (
            build_import_memory_index(memory, project_root).import_memories(memories),
            "session",
        )
        build_place_files(memory).ask(Deadline.after(ASK_GIT_SECONDS, time.monotonic))
        _warn_of_skipped(imported.skipped)
        keeping = [
            KeepVectors(repository=memory.repository, embedder=space.embedder, store=space.vectors)
            for space in memory.spaces
            if "session" in space.vectors.kinds
        ]
        kept = _keep_vectors(memory.spaces, keeping, memories)
    embedded = 0 if no_embed else embed_with_progress(memory.spaces)
    if as_json:
        vector_counts = {} if kept is None else {"vectors_kept": kept}
        print_json({"imported": imported, **vector_counts, "embedded": embedded})
        return
    vectors = f"{counted(kept, 'vector', 'vectors')} kept, " if kept else ""
    say(
        f"Imported {_counts(imported, noun)}; {vectors}{counted(embedded, 'vector', 'vectors')}"
        " made."
    )


@contextlib.contextmanager
def _naming(file: str) -> Iterator[None]:
    try:
        yield
    except UnreadableFileError as error:
        raise typer.BadParameter(f"{file!r}: {error}", param_hint="FILE") from error


def _import_export(
    export: ExportedRecords,
    name: str,
    project_root: str,
    global_store: str | None,
    *,
    no_embed: bool,
    as_json: bool,
) -> None:
    with progress() as bar:
        task = bar.add_task("checking", total=export.count)
        for _ in export.records():
            bar.advance(task)
        memory = open_for(project_root, global_store)
        look_up_if_possible(build_know_projects(memory), project_root)  # maybe a known clone
        bar.reset(task, description="importing", total=export.count)
        deadline = Deadline.after(ASK_GIT_SECONDS, time.monotonic)
        imported = build_import_store(memory).merge(
            export.records(), deadline, lambda: bar.advance(task)
        )
    _warn_of_skipped(imported.skipped)
    embedded = 0 if no_embed else embed_with_progress(memory.spaces)
    if as_json:
        print_json({"imported": imported, "embedded": embedded})
        return
    forgotten = f", {imported.forgotten} left out as forgotten" if imported.forgotten else ""
    say(
        f"Imported {counted(imported.added, 'entry', 'entries')} from {name}, {imported.known}"
        f" known already{forgotten}; {counted(embedded, 'vector', 'vectors')} made."
    )


def _keep_vectors(
    spaces: Spaces, keeping: Sequence[KeepVectors], memories: list[IndexedMemory]
) -> int:
    deadline = Deadline.after(COMPARE_SECONDS, time.monotonic)
    outcomes = [keep.keep(memories, deadline) for keep in keeping]
    settle(spaces)
    best = max(outcomes, key=lambda outcome: outcome.kept, default=None)
    if best and best.refused:
        warn(
            f"{counted(len(best.refused), 'vector', 'vectors')} not kept, will be made again:"
            f" {best.refused[0]}"
        )
    return best.kept if best else 0


def _import_older(
    memory: Memory,
    index: str,
    documents: list[OlderDocument],
    project_root: str,
    *,
    only_own: bool = False,
) -> ImportedDocuments:
    workplace = read_workplace(memory, project_root)
    only = ProjectFiles(os.path.realpath(project_root), workplace.label) if only_own else None
    imported = build_import_older_index(memory, project_root, workplace).import_documents(
        index, documents, only
    )
    _warn_of_skipped(imported.skipped)
    return imported


def _counts(imported: ImportedIndex | ImportedDocuments, noun: str) -> str:
    return f"{counted(imported.added, noun, f'{noun}s')}, {imported.known} known already"


def _warn_of_skipped(lines: Sequence[str]) -> None:
    for line in lines[:MAX_WARNINGS]:
        warn(f"not imported: {line}")
    if len(lines) > MAX_WARNINGS:
        warn(f"not imported: {len(lines) - MAX_WARNINGS} more")
