"""Files and git of a project, with imports and exports."""

import os
import time
from typing import TYPE_CHECKING

from hardwon.adapters.git.identity import checked_out_branch, main_work_tree, top_of, work_tree_of
from hardwon.adapters.git.identity import identify as identify_folder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.entrypoints.bootstrap import identify, name_of

if TYPE_CHECKING:
    import datetime as dt
    import threading
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hardwon.adapters.feature_files import FeatureFiles
    from hardwon.adapters.git.probe import GitChangeProbe
    from hardwon.adapters.markdown.document_format import FrontValue, Markdown
    from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank
    from hardwon.domain.model.entry import PublicEntry
    from hardwon.domain.model.filters import Workplace
    from hardwon.domain.model.injection.markdown_block import SourcedEntry
    from hardwon.domain.model.legacy_index import IndexedMemory, OlderDocument
    from hardwon.domain.model.project import Project, Registry
    from hardwon.domain.model.settings import Settings
    from hardwon.domain.model.vocabulary import TrustMode
    from hardwon.domain.use_cases.check_citations import StoreCitations
    from hardwon.domain.use_cases.edit_lesson import EditFile
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge
    from hardwon.domain.use_cases.import_legacy import (
        ImportMemoryIndex,
        ImportOlderIndex,
    )
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.domain.use_cases.index_one_file import IndexOneFile
    from hardwon.domain.use_cases.place_files import PlaceFiles
    from hardwon.domain.use_cases.review_memory import FindDrift
    from hardwon.domain.use_cases.save_session import SaveSession
    from hardwon.domain.use_cases.settle_versions import SettleVersions
    from hardwon.entrypoints.bootstrap_retrieval import Memory
    from hardwon.ports.documents import SourceFiles
    from hardwon.ports.knowledge_bank import BankFiles
    from hardwon.ports.repository import FileVersions, GitExclusion
    from hardwon.ports.store import Warn

__all__ = ["checked_out_branch", "identify_folder", "top_of", "work_tree_of"]

MAX_FILES_AT_ONCE = 50
"""Most files with entries kept at home that are settled while a user waits."""


def folder_of_files(project_root: str) -> str:
    """
    Return the folder whose `memory` has the conversations of *project_root*.

    For a linked work tree it is in the main one.
    """
    real = os.path.realpath(project_root)
    top = top_of(real)
    if top is None or (main := main_work_tree(real)) == top:
        return real
    below = os.path.join(main, os.path.relpath(real, top))
    return os.path.normpath(below) if os.path.isdir(below) else main


def find_git(project_root: str) -> str:
    """Return the path of git for a project."""
    from hardwon.adapters.git.probe import find_git

    return find_git(project_root, os.environ.get("PATH", os.defpath))


def feature_probe(project_root: str, warn: "Warn") -> "FeatureFiles":
    """Return the reader of the project's feature files."""
    from hardwon.adapters.feature_files import FeatureFiles

    return FeatureFiles(project_root, warn)


def change_probe(project_root: str, warn: "Warn") -> "GitChangeProbe":
    """Return the reader of changed files."""
    from hardwon.adapters.git.probe import GitChangeProbe

    return GitChangeProbe(project_root, warn)


def build_git_exclusion() -> "GitExclusion":
    """Build the exclusion of files from git."""
    from hardwon.adapters.git.exclude import InfoExclude

    return InfoExclude()


def before_writing(store: str, project: "Project", project_root: str) -> "Callable[[], None]":
    """
    Return an action to run before conversation files are written.

    It records their folder for `hardwon forget`, and excludes private files from git.
    """
    from hardwon.adapters.folders.record import WrittenFolders

    def prepare() -> None:
        WrittenFolders(store).add(project_root, is_part=is_part_of_repository(project_root))
        if project.keeps_private_files:
            build_git_exclusion().exclude(project_root)

    return prepare


def is_part_of_repository(folder: str) -> bool:
    """Return whether *folder* is a subfolder or a linked work tree."""
    identity, real = identify(folder), os.path.realpath(folder)
    return identity.is_repository and (identity.root != real or not identity.key.startswith(real))


def has_changed_banks(memory: "Memory", project_root: str) -> bool:
    """Return whether a knowledge bank file changed since its import."""
    from hardwon.domain.model.filters import NOWHERE
    from hardwon.domain.model.knowledge_bank import changed_files

    files = _bank(memory, project_root, NOWHERE).files()
    return any(changed_files(files, memory.store.ledger.fingerprint))


def state_of_files(project_root: str, store: str) -> tuple[object, ...]:
    """
    Return what differs after each change of a file that a session start reads.

    Files of git, features, knowledge banks and pauses count; no file is read whole.
    """
    from hardwon.adapters.feature_files import FeatureFiles
    from hardwon.adapters.folder import state_of
    from hardwon.adapters.git.default_branch import checked_out_state
    from hardwon.domain.model.knowledge_bank import BANK_FILES, BANK_FOLDER
    from hardwon.entrypoints.bootstrap import open_pauses

    real = os.path.realpath(project_root)
    banks = (
        os.path.join(folder, f"{name}.md")
        for folder in (os.path.join(real, BANK_FOLDER), store)
        for name in BANK_FILES
    )
    return (
        checked_out_state(real),
        FeatureFiles(real, lambda _: None).state(),
        *map(state_of, (*banks, open_pauses(store).path)),
    )


def read_bank_entries(project_root: str, store: str, warn: "Warn") -> "Iterator[SourcedEntry]":
    """Yield knowledge bank entries, the project's before the store's."""
    from hardwon.adapters.markdown.knowledge_bank import parse_bank, read_banks
    from hardwon.domain.model.injection.markdown_block import SourcedEntry

    for bank in read_banks(project_root, store, warn):
        yield from (
            SourcedEntry(entry, bank.source) for entry in parse_bank(bank.text, bank.category)
        )


def record_injection(
    store: str,
    project_root: str,
    selected: "Sequence[SourcedEntry]",
    now: "dt.datetime",
    warn: "Warn",
) -> None:
    """Write `.last-injection.json` in the store atomically."""
    from hardwon.adapters.markdown.knowledge_bank import record_injection

    record_injection(store, project_root, selected=selected, now=now, warn=warn)


def bank_files(project_root: str, settings: "Settings") -> "BankFiles":
    """Return the writable knowledge banks of project and user."""
    from hardwon.adapters.markdown.bank_files import MarkdownBankFiles

    return MarkdownBankFiles(project_root, settings.global_store)


def build_versions(trust: "TrustMode", *, asks_git: bool = True) -> "FileVersions":
    """
    Build the check whose version a file is.

    With *asks_git* false, as in hooks, it only reads git's files.
    """
    from hardwon.adapters.git.versions import CheckedOutVersions, GitVersions

    return GitVersions(trust) if asks_git else CheckedOutVersions()


CITATION_SECONDS = 1.0
"""Time limit for reading the files that a new lesson cites."""


def with_citations(entry: "PublicEntry", project_root: str) -> "PublicEntry":
    """Return *entry* with the state of the files that it cites in a project."""
    if not entry.references:
        return entry
    from hardwon.adapters.git.work_tree import GitWorkTree
    from hardwon.domain.use_cases.check_citations import CheckCitations

    deadline = Deadline.after(CITATION_SECONDS, time.monotonic)
    return CheckCitations(GitWorkTree(identify(project_root).root, deadline)).checked(entry)


def build_store_citations(memory: "Memory", deadline: "Deadline") -> "StoreCitations":
    """Build the check of citations against working copies, until *deadline*."""
    from functools import cache

    from hardwon.adapters.git.work_tree import GitWorkTree
    from hardwon.domain.use_cases.check_citations import StoreCitations
    from hardwon.entrypoints.bootstrap import build_know_projects

    know = build_know_projects(memory)
    registry = know.registry()

    @cache
    def files_of(project_id: str) -> GitWorkTree | None:
        project = registry.with_id(project_id)
        if project is None or project.is_elsewhere or know.is_gone(project):
            return None
        return GitWorkTree(project.identity.root, deadline)

    return StoreCitations(memory.repository, files_of)


def build_import_knowledge(
    memory: "Memory",
    project_root: str,
    workplace: "Workplace",
    versions: "FileVersions | None" = None,
) -> "ImportKnowledge":
    """Build the import of the project's and the user's knowledge banks."""
    from hardwon.adapters.markdown.knowledge_bank import same_files
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge

    return ImportKnowledge(
        bank=_bank(memory, project_root, workplace),
        repository=memory.repository,
        projects=memory.store.projects,
        workplace=workplace,
        ledger=memory.store.ledger,
        versions=versions or build_versions(memory.settings.trust),
        clock=memory.clock,
        elsewhere=lambda path: same_files(
            path,
            memory.store.ledger.paths(),
            keys=memory.registry().keys_of(workplace.own),
            identify=identify,
        ),
    )


def build_settle_versions(
    memory: "Memory", project_root: str, workplace: "Workplace", *, asks_git: bool = True
) -> "SettleVersions":
    """Build the settling of others' versions of the project's files."""
    from hardwon.adapters.markdown.knowledge_bank import imported_files
    from hardwon.domain.use_cases.settle_versions import ALL, SettleVersions

    versions, ledger = build_versions(memory.settings.trust, asks_git=asks_git), memory.store.ledger
    own = imported_files(ledger.paths(), memory.registry().keys_of(workplace.own), identify)
    roots = sorted({os.path.realpath(project_root), *filter(os.path.exists, own.values())})
    return SettleVersions(
        imports=[
            build_import_knowledge(memory, root, workplace=workplace, versions=versions)
            for root in roots
        ],
        bank_files=[*own],
        ledger=ledger,
        index_files=build_index_files(memory, project_root, workplace=workplace, versions=versions),
        history=memory.store.history,
        projects=workplace.own,
        most_files=ALL if asks_git else MAX_FILES_AT_ONCE,
    )


def build_find_drift(memory: "Memory", project_root: str, workplace: "Workplace") -> "FindDrift":
    """
    Build the comparison of knowledge banks with the store.

    It skips files that can't be read: the import reports them.
    """
    from hardwon.domain.use_cases.review_memory import FindDrift

    return FindDrift(
        bank=_bank(memory, project_root, workplace=workplace, warn=lambda _: None),
        repository=memory.repository,
        ledger=memory.store.ledger,
        versions=build_versions(memory.settings.trust),
        workplace=workplace,
    )


def build_index_files(
    memory: "Memory",
    project_root: str,
    workplace: "Workplace",
    versions: "FileVersions | None" = None,
) -> "IndexFiles":
    """Build the indexing of the project's files and document roots."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles

    roots, is_foreign = memory.settings.document_roots, workplace.visibility.is_foreign
    sources = MarkdownFiles(project_root, roots, is_foreign=is_foreign)
    return _index_files(
        memory, sources, project_root=project_root, workplace=workplace, versions=versions
    )


def build_index_host_memory(
    memory: "Memory", folder: str, project_root: str, workplace: "Workplace"
) -> "IndexFiles":
    """Build the indexing of Claude Code's own memory, in *folder*."""
    from hardwon.adapters.markdown.source_files import HostMemoryFiles

    return _index_files(
        memory, HostMemoryFiles(folder), project_root=project_root, workplace=workplace
    )


def build_edit_file(memory: "Memory", project_root: str, workplace: "Workplace") -> "EditFile":
    """Build the change of texts in the project's memory files."""
    from hardwon.adapters.markdown.own_texts import MarkdownOwnTexts
    from hardwon.domain.use_cases.edit_lesson import EditFile

    return EditFile(
        MarkdownOwnTexts(project_root), build_index_files(memory, project_root, workplace)
    )


def build_save_session(
    memory: "Memory", project_root: str, workplace: "Workplace"
) -> "SaveSession":
    """Build the saving of the project's sessions."""
    from hardwon.adapters.markdown.conversation_files import MarkdownSessionFiles
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.model.project import Project
    from hardwon.domain.use_cases.save_session import SaveSession

    root, identity = folder_of_files(project_root), identify(project_root)
    project = memory.registry().with_key(identity.key) or Project("", workplace.label, identity)
    return SaveSession(
        sources=MarkdownFiles(root, is_foreign=workplace.visibility.is_foreign),
        sessions=MarkdownSessionFiles(
            root, before_writing(memory.settings.global_store, project, root)
        ),
        repository=memory.repository,
        history=memory.store.history,
        workplace=workplace,
        clock=memory.clock,
    )


def build_import_memory_index(memory: "Memory", project_root: str) -> "ImportMemoryIndex":
    """Build the import of a `memory-index.json`."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex

    return ImportMemoryIndex(
        sources=MarkdownFiles(project_root),
        repository=memory.repository,
        history=memory.store.history,
        clock=memory.clock,
        place=build_place_files(memory),
    )


def build_place_files(memory: "Memory") -> "PlaceFiles":
    """Build the assignment of entries to their files' projects."""
    from hardwon.domain.use_cases.place_files import PlaceFiles
    from hardwon.entrypoints.bootstrap import build_know_projects

    return PlaceFiles(
        know=build_know_projects(memory),
        identify=identify,
        label_of=name_of,
        home=os.path.realpath(os.path.expanduser("~")),
        workspace=memory.settings.workspace,
    )


def build_import_older_index(
    memory: "Memory", project_root: str, workplace: "Workplace"
) -> "ImportOlderIndex":
    """Build the import of an older program's `memory-index.sqlite`."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.use_cases.import_legacy import ImportOlderIndex

    return ImportOlderIndex(
        sources=MarkdownFiles(
            project_root, memory.settings.document_roots, is_foreign=workplace.visibility.is_foreign
        ),
        repository=memory.repository,
        index_one_file=_keep_file(memory, workplace),
        usage=memory.store.usage,
        history=memory.store.history,
        ledger=memory.store.ledger,
        clock=memory.clock,
    )


def unreadable_files(settings: "Settings", project_root: str) -> list[str]:
    """Return a line for each unreadable or conflicted memory file."""
    import errno

    from hardwon.adapters.markdown.file_text import CONFLICTED
    from hardwon.adapters.markdown.knowledge_bank import read_banks
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.model.errors import UnreadableFileError

    problems = list[str]()
    for _ in read_banks(os.path.realpath(project_root), settings.global_store, problems.append):
        pass
    sources = MarkdownFiles(project_root, settings.document_roots)
    for path in sources.of_project().files:
        try:
            sources.read(path)
        except UnreadableFileError as error:
            problems.append(str(error))
    reasons = (CONFLICTED, os.strerror(errno.EACCES), os.strerror(errno.EIO))
    return [line for line in problems if line.endswith(reasons)]


def document_folders(settings: "Settings", project_root: str) -> list[str]:
    """Return the real paths of the project and the document roots."""
    return [os.path.realpath(folder) for folder in (project_root, *settings.document_roots)]


def _index_files(
    memory: "Memory",
    sources: "SourceFiles",
    project_root: str,
    workplace: "Workplace",
    versions: "FileVersions | None" = None,
) -> "IndexFiles":
    from hardwon.domain.use_cases.edit_entries import DeleteEntries
    from hardwon.domain.use_cases.index_files import IndexFiles

    return IndexFiles(
        sources=sources,
        repository=memory.repository,
        project_root=os.path.realpath(project_root),
        private=_private_folders(memory.registry(), os.path.realpath(project_root)),
        index_one_file=_keep_file(memory, workplace, versions),
        forget=DeleteEntries.on(memory.store, memory.clock),
    )


def _private_folders(registry: "Registry", root: str) -> tuple[str, ...]:
    from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY

    project, memory = registry.with_key(identify(root).key), os.path.realpath(f"{root}/{MEMORY}")
    if project is None or not project.keeps_private_files:
        return ()
    return tuple(os.path.join(memory, name, "") for name in CONVERSATION_FOLDERS)


def _keep_file(
    memory: "Memory", workplace: "Workplace", versions: "FileVersions | None" = None
) -> "IndexOneFile":
    from hardwon.domain.model.file_entry import Defaults
    from hardwon.domain.use_cases.index_one_file import IndexOneFile

    return IndexOneFile(
        repository=memory.repository,
        versions=versions or build_versions(memory.settings.trust),
        tombstones=memory.store.tombstones,
        absences=memory.store.absences,
        usage=memory.store.usage,
        history=memory.store.history,
        workplace=workplace,
        defaults=Defaults(memory.settings.default_tier, memory.settings.default_context_type),
        clock=memory.clock,
    )


def _bank(
    memory: "Memory", project_root: str, workplace: "Workplace", warn: "Warn | None" = None
) -> "MarkdownKnowledgeBank":
    from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank

    store, is_foreign = memory.settings.global_store, workplace.visibility.is_foreign
    return MarkdownKnowledgeBank(project_root, store, warn or memory.warn, is_foreign=is_foreign)


def read_text(path: str, what: str) -> str:
    """Return the text of a file, named *what* in messages."""
    from hardwon.adapters.markdown.whole_files import read_regular_file, reason
    from hardwon.entrypoints.streams import LARGEST_TEXT, decoded

    try:
        data = read_regular_file(path, LARGEST_TEXT).data
    except (OSError, ValueError) as error:
        raise InvalidEntryError(f"{what} {path!r}: {reason(error)}") from error
    return decoded(data, f"{what} {path!r}")


def read_markdown(text: str, *, is_draft: bool = False) -> "Markdown":
    """Return the front matter and the body of *text*."""
    from hardwon.adapters.markdown.front_matter import read_markdown

    return read_markdown(text, is_draft=is_draft)


def write_markdown(fields: "Mapping[str, FrontValue]", body: str) -> str:
    """Return *body* below *fields* as front matter."""
    from hardwon.adapters.markdown.front_matter import write_markdown

    return write_markdown(fields, body)


def put_section(path: str, target: str, text: str) -> bool:
    """
    Replace a file's marked section and return whether it changed.

    Links in the section lead to *target*.
    """
    from hardwon.adapters.markdown.marked_section import MarkedFile

    return MarkedFile(path, target).put(text)


def watch_files(
    project_root: str, roots: "Sequence[str]", leaving: "threading.Event"
) -> "Iterator[None]":
    """Yield once files are watched, then after possible changes."""
    from hardwon.adapters.markdown.watcher import MarkdownWatcher  # brings a compiled library

    return MarkdownWatcher(project_root, roots).changes(leaving)


def older_index_path(project_root: str, warn: "Callable[[str], None]") -> str | None:
    """
    Return the older program's index that the project's `config.jsonc` names.

    None unless it is a file inside the project; *warn* gets one line about one elsewhere.
    """
    from hardwon.adapters.config.reader import older_index_path

    return older_index_path(project_root, warn)


def read_older_index(path: str, project_root: str) -> "list[OlderDocument]":
    """Return the documents of a `memory-index.sqlite`."""
    from hardwon.adapters.sqlite.older_index import read_older_index

    return read_older_index(path, project_root)


def read_index(path: str) -> "list[IndexedMemory] | None":
    """Return the memories of a `memory-index.json`, None for a database."""
    from hardwon.adapters.legacy_index import LARGEST_FILE, read_memory_index
    from hardwon.adapters.markdown.whole_files import read_regular_file, reason
    from hardwon.adapters.sqlite.older_index import is_sqlite

    try:
        data = read_regular_file(path, LARGEST_FILE).data  # a byte too many of one that is too long
    except (OSError, ValueError) as error:
        raise UnreadableFileError(reason(error)) from error
    return None if is_sqlite(data) else read_memory_index(data)
