"""Use cases that bring files of a project into an open store: knowledge banks, documents, sessions, older indexes."""

import os
from typing import TYPE_CHECKING

from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank, Warn, bank_root
from hardwon.domain.model.context import NOWHERE, Workplace
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_projects import build_know_projects, identify, name_of, registry_of

if TYPE_CHECKING:
    from hardwon.domain.model.settings import Settings
    from hardwon.domain.use_cases.bank_drift import FindDrift
    from hardwon.domain.use_cases.edit_file import EditFile
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, SyncBanks
    from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex, ImportOlderIndex, KeepVectors
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.domain.use_cases.index_one_file import IndexOneFile
    from hardwon.domain.use_cases.place_files import PlaceFiles
    from hardwon.domain.use_cases.save_session import SaveSession
    from hardwon.domain.use_cases.settle_versions import SettleVersions
    from hardwon.ports.documents import SourceFiles
    from hardwon.ports.repository import FileVersions


MAX_FILES_AT_ONCE = 50
"""How many files kept at home are settled while a user waits."""


def has_changed_banks(memory: Memory, project_root: str) -> bool:
    """Return whether a file of the knowledge banks changed since it was imported."""
    return any(changed_files(_bank(memory, project_root, NOWHERE), memory.store.ledger))


def build_versions(memory: Memory, *, asks_git: bool = True) -> "FileVersions":
    """Tell whose the versions of files are; a hook only reads git's files."""
    from hardwon.adapters.git.versions import CheckedOutVersions, GitVersions

    return GitVersions(memory.settings.trust) if asks_git else CheckedOutVersions()


def build_import_knowledge(
    memory: Memory, project_root: str, workplace: Workplace, versions: "FileVersions | None" = None
) -> "ImportKnowledge":
    """Import the project's knowledge bank and the user's own."""
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge

    return ImportKnowledge(
        bank=_bank(memory, project_root, workplace),
        repository=memory.repository,
        projects=memory.store.projects,
        workplace=workplace,
        ledger=memory.store.ledger,
        versions=versions or build_versions(memory),
        clock=memory.clock,
    )


def build_settle_versions(
    memory: Memory, project_root: str, workplace: Workplace, *, asks_git: bool = True
) -> "SettleVersions":
    """Settle what others' versions of the project's files brought."""
    from hardwon.domain.use_cases.settle_versions import ALL, SettleVersions

    versions, ledger = build_versions(memory, asks_git=asks_git), memory.store.ledger
    folders = {path: root for path in ledger.paths() if (root := bank_root(path))}
    registry = registry_of(memory)
    keys = {project.identity.key for project in registry.projects if project.id in workplace.own}
    own = {path: root for path, root in folders.items() if not os.path.exists(root) or identify(root).key in keys}
    roots = sorted({os.path.realpath(project_root), *filter(os.path.exists, own.values())})
    return SettleVersions(
        imports=[build_import_knowledge(memory, root, workplace, versions) for root in roots],
        bank_files=[*own],
        ledger=ledger,
        index_files=build_index_files(memory, project_root, workplace, versions),
        history=memory.store.history,
        projects=workplace.own,
        most_files=ALL if asks_git else MAX_FILES_AT_ONCE,
    )


def build_find_drift(memory: Memory, project_root: str, workplace: Workplace) -> "FindDrift":
    """Compare the knowledge banks with the store; the import reports files that can't be read."""
    from hardwon.domain.use_cases.bank_drift import FindDrift

    return FindDrift(
        bank=_bank(memory, project_root, workplace, lambda _: None),
        repository=memory.repository,
        ledger=memory.store.ledger,
        versions=build_versions(memory),
        workplace=workplace,
    )


def build_sync_banks(memory: Memory, project_root: str, workplace: Workplace) -> "SyncBanks":
    """Bring the store up to date with the knowledge banks before a retrospective counts."""
    from hardwon.domain.use_cases.import_knowledge import SyncBanks

    return SyncBanks(build_import_knowledge(memory, project_root, workplace), memory.repository)


def build_index_files(
    memory: Memory, project_root: str, workplace: Workplace, versions: "FileVersions | None" = None
) -> "IndexFiles":
    """Index the project's files, and those in the document roots."""
    from hardwon.adapters.markdown.source_files import MarkdownFiles

    roots, is_foreign = memory.settings.document_roots, workplace.visibility.is_foreign
    sources = MarkdownFiles(project_root, roots, is_foreign=is_foreign)
    return _index_files(memory, sources, project_root, workplace, versions)


def build_index_host_memory(memory: Memory, folder: str, project_root: str, workplace: Workplace) -> "IndexFiles":
    """Index Claude Code's own memory of the project, which is in *folder*."""
    from hardwon.adapters.markdown.source_files import HostMemoryFiles

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
    from hardwon.domain.model.project import Project
    from hardwon.domain.use_cases.save_session import SaveSession
    from hardwon.entrypoints.bootstrap_project import folder_of_files
    from hardwon.entrypoints.bootstrap_projects import before_writing

    root, identity = folder_of_files(project_root), identify(project_root)
    project = registry_of(memory).with_key(identity.key) or Project("", workplace.label, identity)
    return SaveSession(
        sources=MarkdownFiles(root, is_foreign=workplace.visibility.is_foreign),
        sessions=MarkdownSessionFiles(root, before_writing(memory.settings.global_store, project, root)),
        repository=memory.repository,
        history=memory.store.history,
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
        history=memory.store.history,
        clock=memory.clock,
        place=build_place_files(memory),
    )


def build_place_files(memory: Memory) -> "PlaceFiles":
    """Give entries the project that holds their file."""
    from hardwon.domain.use_cases.place_files import PlaceFiles

    return PlaceFiles(
        know=build_know_projects(memory),
        identify=identify,
        label_of=name_of,
        home=os.path.realpath(os.path.expanduser("~")),
        workspace=memory.settings.workspace,
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
        usage=memory.store.usage,
        history=memory.store.history,
        ledger=memory.store.ledger,
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


def _index_files(
    memory: Memory,
    sources: "SourceFiles",
    project_root: str,
    workplace: Workplace,
    versions: "FileVersions | None" = None,
) -> "IndexFiles":
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.entrypoints.bootstrap_entries import build_forget

    return IndexFiles(
        sources=sources,
        repository=memory.repository,
        project_root=os.path.realpath(project_root),
        private=_private_folders(memory, os.path.realpath(project_root)),
        index_one_file=_keep_file(memory, workplace, versions),
        forget=build_forget(memory),
    )


def _private_folders(memory: Memory, root: str) -> tuple[str, ...]:
    from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY

    project = registry_of(memory).with_key(identify(root).key)
    if project is None or not project.keeps_private_files:
        return ()
    return tuple(os.path.join(root, MEMORY, name, "") for name in CONVERSATION_FOLDERS)


def _keep_file(memory: Memory, workplace: Workplace, versions: "FileVersions | None" = None) -> "IndexOneFile":
    from hardwon.domain.model.file_entry import Defaults
    from hardwon.domain.use_cases.index_one_file import IndexOneFile

    return IndexOneFile(
        repository=memory.repository,
        versions=versions or build_versions(memory),
        tombstones=memory.store.tombstones,
        absences=memory.store.absences,
        usage=memory.store.usage,
        history=memory.store.history,
        workplace=workplace,
        defaults=Defaults(memory.settings.default_tier, memory.settings.default_context_type),
        clock=memory.clock,
    )


def _bank(memory: Memory, project_root: str, workplace: Workplace, warn: Warn | None = None) -> MarkdownKnowledgeBank:
    store, is_foreign = memory.settings.global_store, workplace.visibility.is_foreign
    return MarkdownKnowledgeBank(project_root, store, warn or memory.warn, is_foreign=is_foreign)
