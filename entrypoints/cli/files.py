"""`hardwon index`, `watch` and `save`: index markdown files, and store sessions."""

import functools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Annotated

import attrs
import typer

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import (
    EmbedderError,
    InvalidEntryError,
    StorageError,
    UnreadableFileError,
)
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.own_files import is_storable
from hardwon.domain.use_cases.embed_pending import BATCH
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.domain.use_cases.index_files import IndexFiles, IndexOutcome
from hardwon.domain.use_cases.place_files import PlaceFiles
from hardwon.domain.use_cases.save_session import GivenMetadata, SaveSession
from hardwon.entrypoints.bootstrap_files import (
    build_index_files,
    build_place_files,
    build_save_session,
    build_settle_versions,
    watch_files,
)
from hardwon.entrypoints.cli.console import DryRun, complain, print_json, progress, say, warn
from hardwon.entrypoints.cli.embed import (
    embed_again_with_progress,
    embed_with_progress,
    label_after_output,
    offer_downloads,
    try_embedders,
)
from hardwon.entrypoints.cli.options import (
    AsJson,
    GlobalStore,
    ProjectRoot,
    ensure_storable,
    open_for,
)
from hardwon.entrypoints.context import others_notice, read_workplace
from hardwon.entrypoints.embed_after_write import EmbedOutcome, fill_spaces
from hardwon.entrypoints.presenters.entries import complaints_of_private, entry_document
from hardwon.entrypoints.presenters.text import counted, on_one_line
from hardwon.entrypoints.streams import is_piped, standard_input
from hardwon.ports.store import Store

ASK_GIT_SECONDS = 5.0
"""Time for git to identify all projects that are new to the store."""


def index(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATHS]...",
            help="Files and folders (default: the project's memory).",
            show_default=False,
        ),
    ] = None,
    *,
    embed: Annotated[
        bool, typer.Option("--embed", help="Make all missing vectors instead of 50.")
    ] = False,
    dry_run: DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Also index unchanged files.")] = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild", help="Index all of this project's files and make their vectors again."
        ),
    ] = False,
    rebuild_fts: Annotated[
        bool, typer.Option("--rebuild-fts", help="Rebuild the keyword index first.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--progress", help="Name each finished file on standard error.")
    ] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Index markdown files, and drop entries of files that are gone.

    Without PATHS: memory/**/*.md, memory-*.md and specs/*/memory/**/*.md of the project, and the
    folders in HARDWON_DOCUMENT_ROOTS. The kind comes from 'type:' in the front matter, or from the
    folder (decisions, gotchas, preferences, conversations, sessions). Other files are documents.
    """
    if rebuild and paths:
        raise typer.BadParameter(
            f"it is about the whole project, not {paths[0]!r}: use --force", param_hint="--rebuild"
        )
    ensure_storable(project_root)
    memory = open_for(project_root, global_store, create=not dry_run)
    index_files = build_index_files(memory, project_root, read_workplace(memory, project_root))
    if not dry_run:
        _prepare(memory.store, build_place_files(memory), rebuild_fts=rebuild_fts)
    wanted = [_existing(path, index_files) for path in paths or ()]
    run = functools.partial(
        index_files.index, wanted, force=force or rebuild, everywhere=rebuild, dry_run=dry_run
    )
    indexed = _index_with_progress(run, verbose=verbose)
    at_home = (
        0
        if dry_run
        else build_settle_versions(
            memory, project_root, read_workplace(memory, project_root)
        ).settle()
    )
    if not dry_run:
        offer_downloads(memory.spaces)
    made = 0
    if rebuild and not dry_run and _can_embed(memory.spaces):
        made = embed_again_with_progress(memory.spaces, index_files.of_project).made
    elif not dry_run:
        made = embed_with_progress(memory.spaces, None if embed or rebuild else BATCH)
    missing = memory.spaces.count_pending(EVERYTHING)
    if as_json:
        print_json(
            {**attrs.asdict(indexed), "dry_run": dry_run, "embedded": made, "pending": missing}
        )
    else:
        if dry_run:
            _say_plan(indexed)
        say(
            f"{_counts(indexed, dry_run=dry_run)}; {counted(made, 'vector', 'vectors')} made,"
            f" {missing} missing."
        )
        if at_home:
            say(others_notice(at_home))
    if not dry_run:
        label_after_output(memory.store, memory.settings)


def _prepare(store: Store, place: PlaceFiles, *, rebuild_fts: bool) -> None:
    if rebuild_fts:
        store.upkeep.rebuild_keyword_index()
    if place.place_all(store.entries):
        place.ask(Deadline.after(ASK_GIT_SECONDS, time.monotonic))


def _existing(path: str, index_files: IndexFiles) -> str:
    """
    Return the real *path*.

    One that is gone but indexed is accepted, and will be forgotten.
    """
    real = os.path.realpath(path)
    is_known = is_storable(real) and index_files.repository.files_starting_with(real)
    if index_files.sources.is_gone(real) and not is_known:
        raise typer.BadParameter(
            f"{path!r} is not there: name a file or folder", param_hint="PATHS"
        )
    return real


def _index_with_progress(run: Callable[..., IndexOutcome], *, verbose: bool) -> IndexOutcome:
    with progress() as bar:
        task = bar.add_task("indexing", total=None)

        def report(done: int, total: int, path: str) -> None:
            bar.update(task, completed=done, total=total, description=on_one_line(path))
            if verbose:
                complain(f"{done} of {total}: {path}")

        indexed = run(progress=report)
    for line in indexed.skipped:
        warn(f"skipped: {line}")
    for line in indexed.warnings:
        warn(line)
    return indexed


def _can_embed(spaces: Spaces) -> bool:
    try:
        try_embedders(spaces)
    except EmbedderError as error:
        warn(f"the vectors stay as they are: {error}")
        return False
    return bool(spaces)


def _say_plan(indexed: IndexOutcome) -> None:
    for verb, paths in (
        ("add", indexed.new),
        ("change", indexed.changed),
        ("remove", indexed.removed),
    ):
        for path in paths:
            say(f"would {verb} {path}")


def _counts(indexed: IndexOutcome, *, dry_run: bool) -> str:
    done = len(indexed.new) + len(indexed.changed)
    return (
        f"{'Would index' if dry_run else 'Indexed'} {counted(done, 'file', 'files')}:"
        f" {len(indexed.new)} new, {len(indexed.changed)} changed, {indexed.unchanged} unchanged,"
        f" {len(indexed.removed)} removed, {len(indexed.skipped)} skipped"
        + (f", {indexed.deleted} deleted before (--force brings back)" if indexed.deleted else "")
    )


Labels = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help=("A label. Separate several by commas, or repeat the option.")
    ),
]


def save(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE|-]",
            help="A markdown file, which stays where it is (- for standard input).",
        ),
    ] = None,
    *,
    description: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What the session was about. recall compares it with the question.",
        ),
    ] = None,
    tag: Labels = None,
    keyword: Labels = None,
    permanent: Annotated[bool, typer.Option("--permanent", help="Keep it for good.")] = False,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Make the vector later.")] = False,
    project_root: ProjectRoot = ".",
    global_store: GlobalStore = None,
    as_json: AsJson = False,
) -> None:
    """
    Keep a session, found by its description.

    Text from standard input becomes a file in memory/sessions/, without secrets and <private>
    passages. A description alone is also its text. Without --description, the file's front matter
    or its first prose is the description.
    """
    ensure_storable(project_root)
    memory = open_for(project_root, global_store)
    keep_session = build_save_session(memory, project_root, read_workplace(memory, project_root))
    for line in complaints_of_private(description or ""):
        warn(line)
    given = GivenMetadata(
        description=description, tags=_split(tag), keywords=_split(keyword), permanent=permanent
    )
    output = (lambda _: None) if as_json else say
    try:
        path = _named(file) or _written(file, given, keep_session)
        if not _named(file):
            output(f"Saved: {path}")
        entry = keep_session.index(path, given)
    except UnreadableFileError as error:
        raise typer.BadParameter(str(error), param_hint="FILE") from error
    if _named(file):
        output(f"Saved: {path}")
    output(f"Indexed: {entry.name} (id: {entry.entry_id})")
    if not no_embed:
        output(f"Embedded: {counted(_embed(memory.spaces), 'vector', 'vectors')} made")
    if as_json:
        print_json(entry_document(entry))
    if not no_embed:
        label_after_output(memory.store, memory.settings)


def _named(file: str | None) -> str | None:
    return None if file in {None, "-"} else os.path.realpath(file or "")


def _written(file: str | None, given: GivenMetadata, keep_session: SaveSession) -> str:
    text = standard_input() if file == "-" or is_piped(patient=given.description is None) else ""
    if not text.strip() and file is None and given.description:
        text = given.description
    if not text.strip():
        raise InvalidEntryError(
            "there is nothing to save: name a FILE, pipe a text, or give --description"
        )
    for line in complaints_of_private(text):
        warn(line)
    return keep_session.write(text, given)


def _split(labels: list[str] | None) -> tuple[str, ...]:
    return tuple(item for label in labels or () for item in label.split(","))


def _embed(spaces: Spaces) -> int:
    try:
        filled = fill_spaces(spaces, BATCH)
    except StorageError as error:
        filled = EmbedOutcome(problems=(str(error),))
    for problem in filled.problems:
        warn(f"saved without a vector, keyword search finds it: {problem}")
    return filled.made


def watch(
    *, project_root: ProjectRoot = ".", global_store: GlobalStore = None, as_json: AsJson = False
) -> None:
    """
    Watch the project's memory and index what changes, until Ctrl-C.

    These are memory/, memory-*.md, specs/*/memory/ and the folders in HARDWON_DOCUMENT_ROOTS.
    With --json each change is an object on a line of its own.
    """
    ensure_storable(project_root)
    memory = open_for(project_root, global_store)
    leaving = _leaving_on_signals()
    reported = set[str]()
    for number, _ in enumerate(watch_files(project_root, memory.settings.document_roots, leaving)):
        index_files = build_index_files(memory, project_root, read_workplace(memory, project_root))
        _keep_up(memory.spaces, index_files, leaving=leaving, reported=reported, as_json=as_json)
        if not number:
            complain("Watching; Ctrl-C ends it.")


def _leaving_on_signals() -> threading.Event:
    leaving = threading.Event()

    def handle(_: int, __: FrameType | None) -> None:
        leaving.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)
    return leaving


def _keep_up(
    spaces: Spaces,
    index_files: IndexFiles,
    leaving: threading.Event,
    reported: set[str],
    *,
    as_json: bool,
) -> None:
    """
    Index what changed and make its vectors.

    The next change retries after a failure.
    """
    try:
        _report(index_files.index(wanted=lambda: not leaving.is_set()), reported, as_json=as_json)
        sys.stdout.flush()
        if not leaving.is_set():
            embed_with_progress(spaces, BATCH)
            label_after_output(spaces.store, spaces.settings)
    except StorageError as error:
        warn(f"left for the next change: {error}")


def _report(indexed: IndexOutcome, reported: set[str], *, as_json: bool) -> None:
    """
    Print a line for each file, and new problems.

    *reported* holds the earlier ones.
    """
    for verb, paths in (
        ("added", indexed.new),
        ("changed", indexed.changed),
        ("removed", indexed.removed),
    ):
        for path in paths:
            say(json.dumps({"change": verb, "path": path}) if as_json else f"{verb} {path}")
    problems = [*(f"skipped: {item}" for item in indexed.skipped), *indexed.warnings]
    for line in dict.fromkeys(problems):
        if line not in reported:
            warn(line)
    reported.clear()
    reported.update(problems)
