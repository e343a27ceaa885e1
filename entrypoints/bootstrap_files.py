"""Use cases that bring files of a project into an open store: knowledge banks, documents, sessions, older indexes."""

import os
from typing import TYPE_CHECKING

from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank, Warn
from hardwon.domain.model.context import NOWHERE, Workplace
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_projects import identify, registry_of

if TYPE_CHECKING:
    from hardwon.domain.model.settings import Settings
    from hardwon.domain.use_cases.bank_drift import FindDrift
    from hardwon.domain.use_cases.edit_file import EditFile
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, SyncBanks
    from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex, ImportOlderIndex, KeepVectors
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.domain.use_cases.index_one_file import IndexOneFile
    from hardwon.domain.use_cases.save_session import SaveSession
    from hardwon.ports.documents import SourceFiles


def has_changed_banks(memory: Memory, project_root: str) -> bool:
    """Return whether a file of the knowledge banks changed since it was imported."""
    return any(changed_files(_bank(memory, project_root, NOWHERE), memory.engine.ledger()))


def build_import_knowledge(memory: Memory, project_root: str, workplace: Workplace) -> "ImportKnowledge":
    """Import the project's knowledge bank and the user's own."""
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge

    return ImportKnowledge(
        bank=_bank(memory, project_root, workplace),
        repository=memory.repository,
        projects=memory.engine.projects(),
        workplace=workplace,
        ledger=memory.engine.ledger(),
        clock=memory.clock,
    )


def build_find_drift(memory: Memory, project_root: str, workplace: Workplace) -> "FindDrift":
    """Compare the knowledge banks with the store; the import reports files that can't be read."""
    from hardwon.domain.use_cases.bank_drift import FindDrift

    return FindDrift(
        bank=_bank(memory, project_root, workplace, lambda _: None),
        repository=memory.repository,
        ledger=memory.engine.ledger(),
        workplace=workplace,
    )


def build_sync_banks(memory: Memory, project_root: str, workplace: Workplace) -> "SyncBanks":
    """Bring the store up to date with the knowledge banks before a retrospective counts."""
    from hardwon.domain.use_cases.import_knowledge import SyncBanks

    return SyncBanks(build_import_knowledge(memory, project_root, workplace), memory.repository)


def build_index_files(memory: Memory, project_root: str, workplace: Workplace) -> "IndexFiles":
    """Index the project's files, and those in the document roots."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles

    roots, is_foreign = memory.settings.document_roots, workplace.visibility.is_foreign
    return _index_files(memory, MarkdownFiles(project_root, roots, is_foreign=is_foreign), project_root, workplace)


def build_index_host_memory(memory: Memory, folder: str, project_root: str, workplace: Workplace) -> "IndexFiles":
    """Index Claude Code's own memory of the project, which is in *folder*."""
    from hardwon.adapters.markdown.host_memory import HostMemoryFiles

    return _index_files(memory, HostMemoryFiles(folder), project_root, workplace)


def build_edit_file(memory: Memory, project_root: str, workplace: Workplace) -> "EditFile":
    """Change texts in the project's memory files."""
    from hardwon.adapters.markdown.own_texts import MarkdownOwnTexts
    from hardwon.domain.use_cases.edit_file import EditFile

    return EditFile(MarkdownOwnTexts(project_root), build_index_files(memory, project_root, workplace))


def build_save_session(memory: Memory, project_root: str, workplace: Workplace) -> "SaveSession":
    """Save sessions of the project."""
    from hardwon.adapters.markdown.conversation_files import MarkdownSessionFiles
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.use_cases.save_session import SaveSession
    from hardwon.entrypoints.bootstrap_capture import folder_of_files
    from hardwon.entrypoints.bootstrap_projects import keep_from_git
    from hardwon.entrypoints.context import read_place

    root = folder_of_files(project_root)
    return SaveSession(
        sources=MarkdownFiles(root, is_foreign=workplace.visibility.is_foreign),
        sessions=MarkdownSessionFiles(root, keep_from_git(read_place(memory, project_root).project, root)),
        repository=memory.repository,
        history=memory.engine.history(),
        workplace=workplace,
        clock=memory.clock,
    )


def build_import_memory_index(memory: Memory, project_root: str) -> "ImportMemoryIndex":
    """Import a `memory-index.json`."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex

    return ImportMemoryIndex(
        sources=MarkdownFiles(project_root),
        repository=memory.repository,
        history=memory.engine.history(),
        clock=memory.clock,
        registry=registry_of(memory),
    )


def build_keep_vectors(memory: Memory) -> "list[KeepVectors]":
    """Keep the vectors that a `memory-index.json` brings, one use case for each space of sessions."""
    from hardwon.domain.use_cases.import_legacy import KeepVectors

    return [
        KeepVectors(repository=memory.repository, embedder=space.embedder, store=space.vectors)
        for space in memory.spaces
        if "session" in space.vectors.kinds
    ]


def build_import_older_index(memory: Memory, project_root: str, workplace: Workplace) -> "ImportOlderIndex":
    """Import an older program's `memory-index.sqlite`."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles
    from hardwon.domain.use_cases.import_legacy import ImportOlderIndex

    return ImportOlderIndex(
        sources=MarkdownFiles(project_root, memory.settings.document_roots, is_foreign=workplace.visibility.is_foreign),
        repository=memory.repository,
        index_one_file=_keep_file(memory, workplace),
        usage=memory.engine.usage(),
        history=memory.engine.history(),
        ledger=memory.engine.ledger(),
        clock=memory.clock,
    )


def unreadable_files(settings: "Settings", project_root: str) -> list[str]:
    """Return one line for each file of the knowledge banks and the project's memory that is left out as conflicted, or as it can't be read now."""
    import errno

    from hardwon.adapters.markdown.conflict import CONFLICTED
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


def document_folders(memory: Memory, project_root: str) -> list[str]:
    """Return the folders whose documents are the project's: its own and the roots that are set, links resolved."""
    return [os.path.realpath(folder) for folder in (project_root, *memory.settings.document_roots)]


def _index_files(memory: Memory, sources: "SourceFiles", project_root: str, workplace: Workplace) -> "IndexFiles":
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.entrypoints.bootstrap_entries import build_forget

    return IndexFiles(
        sources=sources,
        repository=memory.repository,
        project_root=os.path.realpath(project_root),
        private=_private_folders(memory, os.path.realpath(project_root)),
        index_one_file=_keep_file(memory, workplace),
        forget=build_forget(memory),
    )


def _private_folders(memory: Memory, root: str) -> tuple[str, ...]:
    from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY

    project = registry_of(memory).with_key(identify(root).key)
    if project is None or not project.keeps_private_files:
        return ()
    return tuple(os.path.join(root, MEMORY, name, "") for name in CONVERSATION_FOLDERS)


def _keep_file(memory: Memory, workplace: Workplace) -> "IndexOneFile":
    from hardwon.domain.model.file_entry import Defaults
    from hardwon.domain.use_cases.index_one_file import IndexOneFile

    return IndexOneFile(
        repository=memory.repository,
        tombstones=memory.engine.tombstones(),
        absences=memory.engine.absences(),
        usage=memory.engine.usage(),
        history=memory.engine.history(),
        workplace=workplace,
        defaults=Defaults(memory.settings.default_tier, memory.settings.default_context_type),
        clock=memory.clock,
    )


def _bank(memory: Memory, project_root: str, workplace: Workplace, warn: Warn | None = None) -> MarkdownKnowledgeBank:
    store, is_foreign = memory.settings.global_store, workplace.visibility.is_foreign
    return MarkdownKnowledgeBank(project_root, store, warn or memory.warn, is_foreign=is_foreign)
