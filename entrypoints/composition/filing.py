"""What brings files into an open store. What is slow is imported when it is chosen."""

import os
from typing import TYPE_CHECKING

from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank
from hardwon.adapters.sqlite.history import SqliteHistory
from hardwon.adapters.sqlite.import_ledger import SqliteImportLedger
from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.use_cases.filing.bank_changes import changed_files
from hardwon.entrypoints.composition.keeping import Keeping

if TYPE_CHECKING:  # these bring attrs: three times Python's own start, which a session start can't spare
    from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
    from hardwon.domain.model.settings import Settings
    from hardwon.domain.use_cases.filing.import_knowledge import ImportKnowledge
    from hardwon.domain.use_cases.filing.import_memory_index import ImportMemoryIndex
    from hardwon.domain.use_cases.filing.import_older_index import ImportOlderIndex
    from hardwon.domain.use_cases.filing.index_files import IndexFiles
    from hardwon.domain.use_cases.filing.keep_file import KeepFile
    from hardwon.domain.use_cases.filing.keep_session import KeepSession
    from hardwon.domain.use_cases.filing.keep_vectors import KeepVectors
    from hardwon.domain.use_cases.retro.look_again import LookAgain
    from hardwon.domain.use_cases.retro.take_in_bank import TakeInBank


def bank_files(project_root: str, settings: "Settings") -> "MarkdownBankFiles":
    """Return the knowledge banks to write to, of the project and of the user; no store is needed."""
    from hardwon.adapters.markdown.bank_files import MarkdownBankFiles

    return MarkdownBankFiles(project_root, settings.global_store)


class Filing(Keeping):
    """Lets the store say what files say too."""

    def has_changed_banks(self, project_root: str) -> bool:
        """Tell whether a file of the knowledge banks changed since it was imported."""
        return any(changed_files(self._bank(project_root), SqliteImportLedger(self.database)))

    def import_knowledge(self, project_root: str) -> "ImportKnowledge":
        """Return the import of the project's knowledge bank and of the user's own."""
        from hardwon.domain.use_cases.filing.import_knowledge import ImportKnowledge

        return ImportKnowledge(
            bank=self._bank(project_root),
            repository=self.repository,
            ledger=SqliteImportLedger(self.database),
            clock=self.clock,
        )

    def take_in_bank(self, project_root: str) -> "TakeInBank":
        """Return what lets the store know the knowledge banks before a retrospective counts."""
        from hardwon.domain.use_cases.retro.take_in_bank import TakeInBank

        return TakeInBank(self.import_knowledge(project_root), self.repository)

    def look_again(self, project_root: str) -> "LookAgain":
        """Return what a retrospective does with what was known before."""
        from hardwon.domain.use_cases.retro.look_again import LookAgain

        bank = bank_files(project_root, self.settings)
        return LookAgain(bank=bank, take_in=self.take_in_bank(project_root), clock=self.clock)

    def index_files(self, project_root: str, workplace: Workplace) -> "IndexFiles":
        """Return the indexing of the project's files, and of those in the roots that are set."""
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.filing.index_files import IndexFiles

        return IndexFiles(
            sources=MarkdownFiles(project_root, self.settings.document_roots),
            repository=self.repository,
            project_root=os.path.realpath(project_root),
            keep_file=self._keep_file(project_root, workplace),
            forget=self.forget,
        )

    def index_host_memory(self, folder: str, project_root: str, workplace: Workplace) -> "IndexFiles":
        """Return the indexing of what Claude Code remembers of the project in *folder*."""
        from hardwon.adapters.markdown.host_memory import HostMemoryFiles
        from hardwon.domain.use_cases.filing.index_files import IndexFiles

        return IndexFiles(
            sources=HostMemoryFiles(folder),
            repository=self.repository,
            project_root=os.path.realpath(project_root),
            keep_file=self._keep_file(project_root, workplace),
            forget=self.forget,
        )

    def document_folders(self, project_root: str) -> list[str]:
        """Return the folders whose documents are the project's: its own and the roots that are set, links resolved."""
        return [os.path.realpath(folder) for folder in (project_root, *self.settings.document_roots)]

    def _keep_file(self, project_root: str, workplace: Workplace) -> "KeepFile":
        from hardwon.adapters.sqlite.departures import SqliteDepartures
        from hardwon.adapters.sqlite.tombstones import SqliteTombstones
        from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
        from hardwon.domain.model.files.file_entry import Defaults
        from hardwon.domain.use_cases.filing.keep_file import KeepFile

        return KeepFile(
            repository=self.repository,
            tombstones=SqliteTombstones(self.database),
            departures=SqliteDepartures(self.database),
            usage=SqliteUsageLog(self.database),
            history=SqliteHistory(self.database),
            workplace=workplace,
            project_root=os.path.realpath(project_root),
            defaults=Defaults(self.settings.default_tier, self.settings.default_context_type),
            clock=self.clock,
        )

    def keep_session(self, project_root: str, workplace: Workplace) -> "KeepSession":
        """Return the keeping of the project's sessions."""
        from hardwon.adapters.markdown.session_files import MarkdownSessionFiles
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.filing.keep_session import KeepSession

        return KeepSession(
            sources=MarkdownFiles(project_root),
            sessions=MarkdownSessionFiles(project_root),
            repository=self.repository,
            workplace=workplace,
            clock=self.clock,
        )

    def import_memory_index(self, project_root: str) -> "ImportMemoryIndex":
        """Return the import of a `memory-index.json`."""
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.filing.import_memory_index import ImportMemoryIndex

        return ImportMemoryIndex(sources=MarkdownFiles(project_root), repository=self.repository, clock=self.clock)

    @property
    def keep_vectors(self) -> "list[KeepVectors]":
        """Keep the vectors that a `memory-index.json` brings, one use case for each space of sessions."""
        from hardwon.domain.use_cases.filing.keep_vectors import KeepVectors

        return [
            KeepVectors(repository=self.repository, embedder=space.embedder, store=space.vectors)
            for space in self.spaces
            if "session" in space.vectors.kinds
        ]

    def import_older_index(self, project_root: str, workplace: Workplace) -> "ImportOlderIndex":
        """Return the import of an older program's `memory-index.sqlite`."""
        from hardwon.adapters.markdown.front_matter import read_markdown
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.filing.import_older_index import ImportOlderIndex

        return ImportOlderIndex(
            sources=MarkdownFiles(project_root, self.settings.document_roots),
            repository=self.repository,
            keep_file=self._keep_file(project_root, workplace),
            usage=SqliteUsageLog(self.database),
            ledger=SqliteImportLedger(self.database),
            parse=read_markdown,
            clock=self.clock,
        )

    def _bank(self, project_root: str) -> MarkdownKnowledgeBank:
        return MarkdownKnowledgeBank(project_root, self.settings.global_store, self.warn)
