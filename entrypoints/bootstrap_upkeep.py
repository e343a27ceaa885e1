"""Use cases that review, revise, forget, copy, export and repair a store."""

import contextlib
import os
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.settings import ServerAddress
from hardwon.domain.use_cases.edit_entries import ChangeEntry
from hardwon.domain.use_cases.supersede import Supersede

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from hardwon.adapters.folders.whereabouts import Whereabouts
    from hardwon.adapters.postgres.administration import ServerAdministration
    from hardwon.domain.model.conversation.repair import RepairNote
    from hardwon.domain.model.embedding import Vector
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.settings import Settings
    from hardwon.domain.use_cases.copy_store import CopyOutcome
    from hardwon.domain.use_cases.edit_lesson import EditLesson, MergeLessons
    from hardwon.domain.use_cases.forget import ForgetForGood
    from hardwon.domain.use_cases.import_knowledge import SyncBanks
    from hardwon.domain.use_cases.retro import ReviseLearning, SaveRetro
    from hardwon.domain.use_cases.review_memory import ReviewMemory
    from hardwon.domain.use_cases.transfer_store import ExportStore, ImportStore
    from hardwon.entrypoints.bootstrap_retrieval import Memory
    from hardwon.ports.transfer import ExportedRecords

STANDARD_STREAM = "-"


def build_edit_lesson(memory: "Memory", project_root: str) -> "EditLesson":
    """Build the change of a learning's text, also in the banks."""
    from hardwon.domain.use_cases.edit_lesson import EditLesson
    from hardwon.entrypoints.bootstrap_files import bank_files

    return EditLesson(
        bank=bank_files(project_root, memory.settings),
        sync_banks=_sync_banks(memory, project_root),
        change_entry=ChangeEntry.on(memory.store, memory.clock),
    )


def build_merge_lessons(memory: "Memory", project_root: str) -> "MergeLessons":
    """Build the merging of two learnings."""
    from hardwon.domain.use_cases.edit_lesson import MergeLessons

    return MergeLessons(
        build_edit_lesson(memory, project_root), Supersede.on(memory.store, memory.clock)
    )


def build_review_memory(
    memory: "Memory", project_root: str, repairs: "Callable[[], Sequence[RepairNote]]" = tuple
) -> "ReviewMemory":
    """Build the collection of pending decisions, with drifted banks and *repairs*."""
    from hardwon.domain.model.injection.credits import Credits
    from hardwon.domain.use_cases.review_memory import ReviewMemory
    from hardwon.entrypoints.bootstrap_files import build_find_drift
    from hardwon.entrypoints.context import read_workplace

    return ReviewMemory(
        repository=memory.repository,
        proposals=memory.store.proposals,
        drifts=lambda: build_find_drift(
            memory, project_root, read_workplace(memory, project_root)
        ).drifted(),
        registry=memory.registry(),
        counts=memory.store.projects.entry_counts(),
        clock=memory.clock,
        repairs=repairs,
        harmful=lambda: Credits.of(memory.store.receipts.outcomes()).harmful,
        first_shown=lambda: min(memory.store.overview.shown(), default=None),
    )


def build_save_retro(
    project_root: str, settings: "Settings", open_store: "Callable[[], Memory]"
) -> "SaveRetro":
    """
    Build the storing of a retrospective's lessons.

    The store is opened only when needed, and if the user wants one.
    """
    from hardwon.domain.use_cases.retro import SaveRetro
    from hardwon.entrypoints.bootstrap_files import bank_files

    def opened() -> "SyncBanks":
        return _sync_banks(open_store(), project_root)

    return SaveRetro(
        bank_files(project_root, settings), opened if settings.semantic_enabled else None
    )


def build_revise_learning(memory: "Memory", project_root: str) -> "ReviseLearning":
    """Build the confirmation and promotion of a learning."""
    from hardwon.domain.use_cases.retro import ReviseLearning
    from hardwon.entrypoints.bootstrap_files import bank_files

    sync_banks = _sync_banks(memory, project_root)
    return ReviseLearning(
        bank=bank_files(project_root, memory.settings), sync_banks=sync_banks, clock=memory.clock
    )


def _sync_banks(memory: "Memory", project_root: str) -> "SyncBanks":
    from hardwon.domain.use_cases.import_knowledge import SyncBanks
    from hardwon.entrypoints.bootstrap_files import build_import_knowledge
    from hardwon.entrypoints.context import read_workplace

    workplace = read_workplace(memory, project_root)
    return SyncBanks(build_import_knowledge(memory, project_root, workplace), memory.repository)


def build_forget_for_good(memory: "Memory", project_root: str) -> "ForgetForGood":
    """
    Build permanent erasure from the store and from files.

    The files are the store's others, and those of *project_root* and of every folder that a project
    had.
    """
    from hardwon.adapters.agents.transcripts import KeptTranscripts
    from hardwon.adapters.folders.whereabouts import LostFolders
    from hardwon.adapters.git.earlier_texts import EarlierTexts
    from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
    from hardwon.adapters.markdown.erase import BankLessons, FilesOfTheUser, OwnMemoryFiles
    from hardwon.adapters.sqlite.erase_files import FolderTexts, OtherDatabases, StoreBytes
    from hardwon.adapters.sqlite.erasure_journal import FileErasureJournal
    from hardwon.domain.use_cases.forget import ForgetForGood

    store, rows = memory.settings.global_store, memory.store.rows
    journal = FileErasureJournal(store)
    found = _find_folders(memory, project_root)
    interrupted = journal.unfinished()
    roots = [
        *dict.fromkeys(
            (*found.folders, *filter(os.path.isdir, interrupted.folders if interrupted else ()))
        )
    ]
    own_files = OwnMemoryFiles(roots)
    return ForgetForGood(
        repository=memory.repository,
        store=rows,
        places=(rows, own_files, OtherDatabases(store), FolderTexts(store)),
        banks=[BankLessons(MarkdownBankFiles(root, store)) for root in roots],
        proof=StoreBytes(store, own_files.paths),
        elsewhere=(
            *memory.store.copies,
            LostFolders(found.lost),
            FilesOfTheUser(),
            EarlierTexts(),
            KeptTranscripts(os.environ, os.path.expanduser("~")),
        ),
        journal=journal,
        clock=memory.clock,
        folders=tuple(roots),
        unreachable=(*found.unreachable, *filter(None, [memory.away])),
    )


def _find_folders(memory: "Memory", project_root: str) -> "Whereabouts":
    from hardwon.adapters.folders.record import WrittenFolders
    from hardwon.adapters.folders.search import FolderSearch
    from hardwon.adapters.git.history import GitRepositoryHistory
    from hardwon.adapters.git.identity import linked_work_trees, main_work_tree
    from hardwon.entrypoints.bootstrap_capture import open_journal
    from hardwon.entrypoints.bootstrap_files import folder_of_files

    return FolderSearch(
        recorded=WrittenFolders(memory.settings.global_store),
        projects=memory.store.projects,
        journal=open_journal(memory.settings.global_store),
        overview=memory.store.overview,
        work_trees=lambda identity: (
            main_work_tree(identity.root),
            *linked_work_trees(identity.key),
        ),
        folder_of_files=folder_of_files,
        first_commit=GitRepositoryHistory().first_commit,
    ).whereabouts_of(project_root)


def dismiss_folder(store: str, path: str) -> None:
    """Record that the folder at *path* is gone for good."""
    from hardwon.adapters.folders.record import WrittenFolders

    WrittenFolders(store).dismiss(path)


def copy_store(source: "Memory", target: "Memory", progress: "Callable[[], None]") -> "CopyOutcome":
    """
    Copy all contents of a store into another one.

    Vectors of the spaces in use are included. Calls *progress* after each record. An interrupted
    copy can be continued by another run.
    """
    from hardwon.adapters.folders.record import WrittenFolders
    from hardwon.domain.use_cases.copy_store import CopyStore, copy_vectors

    there, entries = target.store, target.repository
    copy = CopyStore(
        source=source.store.contents,
        forgotten=source.repository.forgotten,
        contents=there.contents,
        repository=entries,
        projects=there.projects,
    )
    outcome = copy.copy(progress)
    if provider := source.store.metadata.automatic_provider:
        there.metadata.decide_provider(provider)
    for place, space in enumerate(source.spaces):
        vectors = there.vectors(
            space.vectors.space, target.warn, space.vectors.kinds, is_active=not place
        )
        outcome.vectors += copy_vectors(space.vectors, vectors, entries)
    WrittenFolders(source.settings.global_store).copy_to(target.settings.global_store)
    return outcome


def administer(server: ServerAddress | None) -> "ServerAdministration":
    """Return the administration of the store on *server*."""
    if server is None:
        raise StorageError(
            "the store is a file here; name a server: HARDWON_STORE=postgresql://USER@HOST/DATABASE"
        )
    import hardwon.adapters.postgres.store  # noqa: F401  # for its error where no driver is installed
    from hardwon.adapters.postgres.administration import ServerAdministration

    return ServerAdministration(server)


def problems_beside(folder: str) -> "Iterator[tuple[str, str]]":
    """
    Yield problems of files beside the store, with remedies.

    The pairs are a file's name in messages and a line.
    """
    from hardwon.adapters.hook_log import FILE_NAME as LOG
    from hardwon.adapters.sqlite.database import FILE_NAME
    from hardwon.adapters.sqlite.file_errors import problem_of
    from hardwon.adapters.sqlite.hook_events import ensure_sound
    from hardwon.adapters.sqlite.opening import damaged_log

    if line := damaged_log(os.path.join(folder, FILE_NAME)):
        yield "write-ahead log", line
    try:
        ensure_sound(folder)
    except StorageError as error:
        yield "capture journal", f"{error}; until then what is said is not kept"
    log = os.path.join(folder, LOG)
    if os.path.islink(log):
        yield "hook log", f"{log} is a link: move it away; until then no failure of a hook is noted"
    if os.path.isfile(log) and (wrong := problem_of(log)):
        yield "hook log", f"{wrong}; until then no failure of a hook is noted"


def exposure(folder: str) -> str:
    """
    Return a warning if other users can read the store, or "".

    That is so on a file system without permissions.
    """
    from hardwon.adapters.folder import exposed
    from hardwon.adapters.sqlite.database import FILE_NAME

    return exposed(os.path.join(folder, FILE_NAME))


def repair_schema(folder: str) -> tuple[list[str], list[str]]:
    """
    Repair the store's schema without loss of rows.

    Returns the repaired differences, and those that can't be repaired.
    """
    from hardwon.adapters.sqlite.opening import repair_store

    return repair_store(folder)


def move_store_aside(folder: str) -> str:
    """Rename the store's file and return its new path."""
    from hardwon.adapters.sqlite.opening import move_aside
    from hardwon.entrypoints.bootstrap import system_clock

    return move_aside(folder, system_clock().now())


def render_index(
    sessions: "Iterable[tuple[Entry, Vector | None]]", *, ascii_only: bool = False
) -> str:
    """Return *sessions* and their vectors as a `memory-index.json`."""
    from hardwon.adapters.legacy_index import write_memory_index

    return write_memory_index(sessions, ascii_only=ascii_only)


def open_export(path: str) -> "AbstractContextManager[ExportedRecords | None]":
    """
    Open a store's export at *path*, `-` for standard input.

    Yields None for another format.
    """
    from hardwon.adapters.export_format.lines import open_export
    from hardwon.entrypoints.streams import input_bytes

    return open_export(path, input_bytes() if path == STANDARD_STREAM else None)


def count_exported(memory: "Memory") -> int:
    """Return the number of records in an export."""
    return sum(_build_export(memory).counts().values())


def export_lines(memory: "Memory", hardwon: str) -> "Generator[bytes]":
    """Yield the lines of a consistent export, header first."""
    from hardwon.adapters.export_format.lines import header_line, record_line

    export = _build_export(memory)
    with export.contents.snapshot():
        yield header_line(hardwon, memory.clock.now(), export.counts())
        for record in export.records():
            yield record_line(record)


def write_export_folder(memory: "Memory", path: str, *, replace: bool) -> int:
    """Write entries as markdown into a folder and return their number."""
    from hardwon.adapters.markdown.readable_export import write_entries, written_folder
    from hardwon.domain.model.export import ExportedEntry

    export = _build_export(memory)
    with (
        _translated(),
        export.contents.snapshot(),
        written_folder(os.path.realpath(path), replace=replace) as folder,
    ):
        entries = (
            record.entry
            for record in export.contents.records()
            if isinstance(record, ExportedEntry)
        )
        return write_entries(
            folder, entries, labels=export.registry.labels(), now=memory.clock.now()
        )


def write_lines(path: str, lines: "Iterable[bytes]", *, replace: bool) -> None:
    """Write *lines* atomically to a file only the user may read."""
    from hardwon.adapters.durable import written_output

    with _translated(), written_output(path, replace=replace) as file:
        file.writelines(lines)


@contextlib.contextmanager
def _translated() -> "Iterator[None]":
    from hardwon.adapters.markdown.whole_files import reason

    try:
        yield
    except FileExistsError as error:
        raise UnreadableFileError(
            "it is there already: give another name, or --force to replace it"
        ) from error
    except (OSError, ValueError) as error:
        raise UnreadableFileError(reason(error)) from error


def _build_export(memory: "Memory") -> "ExportStore":
    from hardwon.domain.use_cases.transfer_store import ExportStore

    return ExportStore(memory.store.contents, memory.registry())


def build_import_store(memory: "Memory") -> "ImportStore":
    """Build the import of a store's export."""
    from hardwon.domain.use_cases.transfer_store import ImportStore
    from hardwon.entrypoints.bootstrap import build_know_projects, identify

    contents = memory.store.contents
    return ImportStore(
        repository=memory.repository,
        contents=contents,
        know=build_know_projects(memory),
        identify=identify,
        clock=memory.clock,
    )
