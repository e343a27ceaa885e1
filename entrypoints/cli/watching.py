"""Index what changes, as it changes."""

import json
import signal
import sys
import threading
from types import FrameType

from hardwon.domain.model.errors import StorageError
from hardwon.domain.use_cases.filing.index_files import Indexed, IndexFiles
from hardwon.domain.use_cases.keeping.embed_pending import BATCH
from hardwon.entrypoints.cli.embedding import embed_with_progress
from hardwon.entrypoints.cli.labelling import label_after_output
from hardwon.entrypoints.cli.lookup import ensure_storable
from hardwon.entrypoints.cli.options import AsJson, GlobalStore, ProjectRoot, open_for
from hardwon.entrypoints.cli.screen import complain, say, warn
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.workplace import read_workplace


def watch(*, project_root: ProjectRoot = ".", global_store: GlobalStore = None, as_json: AsJson = False) -> None:
    """
    Watch the project's memory and index what changes, until Ctrl-C.

    These are memory/, memory-*.md, specs/*/memory/ and the folders in HARDWON_DOCUMENT_ROOTS.
    With --json each change is an object on a line of its own.
    """
    from hardwon.adapters.markdown.file_watcher import MarkdownWatcher  # brings a compiled library

    ensure_storable(project_root)
    memory = open_for(project_root, global_store)
    leaving = _leaving_on_signals()
    told = set[str]()
    for number, _ in enumerate(MarkdownWatcher(project_root, memory.settings.document_roots).changes(leaving)):
        index_files = memory.index_files(project_root, read_workplace(project_root, memory.settings))
        _keep_up(memory, index_files, leaving, told, as_json=as_json)
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
    memory: Memory, index_files: IndexFiles, leaving: threading.Event, told: set[str], *, as_json: bool
) -> None:
    """Index what changed and make its vectors; trouble with the store is over at the next change."""
    try:
        _tell(index_files(wanted=lambda: not leaving.is_set()), told, as_json=as_json)
        sys.stdout.flush()
        if not leaving.is_set():
            embed_with_progress(memory, BATCH)
            label_after_output(memory)
    except StorageError as error:
        warn(f"left for the next change: {error}")


def _tell(indexed: Indexed, told: set[str], *, as_json: bool) -> None:
    """Print a line for each file; what can't be used is *told* once."""
    for verb, paths in (("added", indexed.new), ("changed", indexed.changed), ("removed", indexed.removed)):
        for path in paths:
            say(json.dumps({"change": verb, "path": path}) if as_json else f"{verb} {path}")
    troubles = [*(f"skipped: {each}" for each in indexed.skipped), *indexed.warnings]
    for line in dict.fromkeys(troubles):
        if line not in told:
            warn(line)
    told.clear()
    told.update(troubles)
