"""The only place that chooses adapters. Nothing happens at import; what is slow is imported when it is chosen."""

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank
from hardwon.adapters.sqlite.database import BUSY_SECONDS, Database
from hardwon.adapters.sqlite.entry_repository import SqliteEntryRepository
from hardwon.adapters.sqlite.fts import FtsKeywordIndex, is_available
from hardwon.adapters.sqlite.history import SqliteHistory
from hardwon.adapters.sqlite.import_ledger import SqliteImportLedger
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.scan import ScanKeywordIndex
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.surfacing import SqliteTriggerSource
from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
from hardwon.adapters.sqlite.vector_store import SqliteVectorStore
from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.space import Space
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.domain.use_cases.inject import Inject
from hardwon.domain.use_cases.retrieve import Retrieve
from hardwon.entrypoints.providers import AUTO, choose_automatically
from hardwon.entrypoints.spaces import EmbeddingSpace, Warn, open_spaces
from hardwon.ports.clock import Clock

if TYPE_CHECKING:  # these bring attrs: three times Python's own start, which a session start can't spare
    from hardwon.domain.model.importance.decay import Decay
    from hardwon.domain.use_cases.change_entry import ChangeEntry
    from hardwon.domain.use_cases.checkpoints import Checkpoints
    from hardwon.domain.use_cases.embed_pending import EmbedPending
    from hardwon.domain.use_cases.forget import Forget
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge
    from hardwon.domain.use_cases.import_memory_index import ImportMemoryIndex
    from hardwon.domain.use_cases.import_older_index import ImportOlderIndex
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.domain.use_cases.keep_file import KeepFile
    from hardwon.domain.use_cases.keep_session import KeepSession
    from hardwon.domain.use_cases.load import Load
    from hardwon.domain.use_cases.match_triggers import MatchTriggers
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.domain.use_cases.recall_nearby import RecallNearby
    from hardwon.domain.use_cases.search import Search
    from hardwon.domain.use_cases.store_entry import StoreEntry
    from hardwon.domain.use_cases.validate_entry import ValidateEntry

ASKED_EMBED_SECONDS = 2.0
"""Who asks waits longer for the question's vector than a session start can (rule U-16)."""


class Memory(NamedTuple):
    """
    One open store with all that works on it.

    Attributes:
        settings: What the user set.
        database: The open store.
        repository: Its entries.
        clock: The time.
        spaces: The spaces to search and to keep up to date, the active one first; none when search is by word only.
        warn: Told of trouble in one line.

    """

    settings: Settings
    database: Database
    repository: SqliteEntryRepository
    clock: Clock
    spaces: Sequence[EmbeddingSpace]
    warn: Warn

    @property
    def vectors(self) -> SqliteVectorStore | None:
        """The vectors of the active space."""
        return self.spaces[0].vectors if self.spaces else None

    def vectors_for(self, kind: Kind) -> SqliteVectorStore | None:
        """Return the vectors of the entries of *kind*, in the first space that is for them."""
        return next((space.vectors for space in self.spaces if kind in space.vectors.kinds), None)

    def is_of_active_provider(self, space: Space) -> bool:
        """Tell whether *space* is one that the chosen provider fills, not the fallback's."""
        return bool(self.spaces) and space.provider == self.spaces[0].embedder.space.provider

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many entries of *only* wait for a vector of the chosen provider."""
        stores = [space.vectors for space in self.spaces if self.is_of_active_provider(space.embedder.space)]
        return sum(store.count_pending(only) for store in stores)

    @property
    def inject(self) -> Inject:
        """The use case behind the session-start hook."""
        return Inject(
            repository=self.repository,
            retrieve=self.retrieve,
            vectors=self.vectors,
            clock=self.clock,
            weights=self._weights,
        )

    @property
    def retrieve(self) -> Retrieve:
        """Search by meaning and by word."""
        return Retrieve(
            semantic=[space.search for space in self.spaces],
            keywords=FtsKeywordIndex(self.database, enabled=self.settings.keyword_search),
        )

    @property
    def recall(self) -> "Recall":
        """Answer questions from all that is remembered; worth keeping, as it keeps the vectors it has loaded."""
        from hardwon.domain.use_cases.recall import Recall

        retrieve = self.retrieve._replace(embed_seconds=ASKED_EMBED_SECONDS)
        if not (self.settings.keyword_search and is_available()):
            retrieve = retrieve._replace(keywords=ScanKeywordIndex(self.database))
        return Recall(
            repository=self.repository, retrieve=retrieve, clock=self.clock, weights=self._weights, decay=self.decay
        )

    @property
    def decay(self) -> "Decay":
        """How age tells on a document."""
        from hardwon.domain.model.importance.decay import Decay

        settings = self.settings
        return Decay(
            enabled=settings.decay_enabled,
            mode=settings.decay_mode,
            floor=settings.decay_floor,
            exempt_tiers=frozenset(settings.decay_exempt_tiers),
        )

    @property
    def search(self) -> "Search":
        """Search for a model; worth keeping, as `recall` is."""
        from hardwon.domain.use_cases.search import Search

        return Search(self.recall, SqliteUsageLog(self.database))

    @property
    def load(self) -> "Load":
        """Read entries whole."""
        from hardwon.domain.use_cases.load import Load

        return Load(self.repository, SqliteUsageLog(self.database), self.clock)

    def match_triggers(self, project: str) -> "MatchTriggers":
        """Return what brings up memories by phrases; worth keeping, as it keeps all phrases."""
        from hardwon.domain.use_cases.match_triggers import MatchTriggers

        source, commands = SqliteTriggerSource(self.database), self.settings.trigger_phrases
        return MatchTriggers(
            source, self.repository, self.clock, monotonic=time.monotonic, commands=commands, project=project
        )

    @property
    def recall_nearby(self) -> "RecallNearby":
        """Recall what bears on the user's work, near by first."""
        from hardwon.domain.use_cases.recall_nearby import RecallNearby

        return RecallNearby(self.recall)

    @property
    def _weights(self) -> Weights:
        settings = self.settings
        return Weights(settings.vector_weight, settings.keyword_weight, settings.prominence_weight)

    @property
    def store_entry(self) -> "StoreEntry":
        """Keep a lesson."""
        from hardwon.domain.use_cases.store_entry import StoreEntry

        return StoreEntry(self.repository)

    @property
    def change_entry(self) -> "ChangeEntry":
        """Change what is known about an entry."""
        from hardwon.domain.use_cases.change_entry import ChangeEntry

        return ChangeEntry(repository=self.repository, history=self.history, clock=self.clock)

    @property
    def validate_entry(self) -> "ValidateEntry":
        """Count whether an entry was of use."""
        from hardwon.domain.use_cases.validate_entry import ValidateEntry

        usage = SqliteUsageLog(self.database)
        return ValidateEntry(repository=self.repository, usage=usage, history=self.history, clock=self.clock)

    @property
    def history(self) -> SqliteHistory:
        """What became of entries."""
        return SqliteHistory(self.database)

    @property
    def embed_pending(self) -> "Sequence[EmbedPending]":
        """Give entries their missing vectors, one use case for each space."""
        from hardwon.domain.use_cases.embed_pending import EmbedPending

        return [EmbedPending(space.embedder, space.vectors, self.warn) for space in self.spaces]

    def settle_provider(self, *, anew: bool = False) -> None:
        """Remember what `auto` means for this store: the first who embeds decides, unless it is decided *anew*."""
        if self.settings.embedding_provider == AUTO and self.spaces:
            SqliteMetadata(self.database).decide_provider(self.spaces[0].embedder.space.provider, anew=anew)

    def with_provider(self, provider: str) -> "Memory":
        """Return the same store with `auto` meaning *provider*; nothing is remembered yet."""
        return self._replace(spaces=open_spaces(self.settings, provider, self.database, self.warn))

    def has_changed_banks(self, project_root: str) -> bool:
        """Tell whether a file of the knowledge banks changed since it was imported."""
        return any(changed_files(self._bank(project_root), SqliteImportLedger(self.database)))

    def import_knowledge(self, project_root: str) -> "ImportKnowledge":
        """Return the import of the project's knowledge bank and of the user's own."""
        from hardwon.domain.use_cases.import_knowledge import ImportKnowledge

        return ImportKnowledge(
            bank=self._bank(project_root),
            repository=self.repository,
            ledger=SqliteImportLedger(self.database),
            clock=self.clock,
        )

    def index_files(self, project_root: str, workplace: Workplace) -> "IndexFiles":
        """Return the indexing of the project's files, and of those in the roots that are set."""
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.index_files import IndexFiles

        return IndexFiles(
            sources=MarkdownFiles(project_root, self.settings.document_roots),
            repository=self.repository,
            project_root=os.path.realpath(project_root),
            keep_file=self._keep_file(project_root, workplace),
            forget=self.forget,
        )

    @property
    def forget(self) -> "Forget":
        """Delete entries."""
        from hardwon.adapters.sqlite.departures import SqliteDepartures
        from hardwon.adapters.sqlite.history import SqliteHistory
        from hardwon.adapters.sqlite.tombstones import SqliteTombstones
        from hardwon.domain.use_cases.forget import Forget

        return Forget(
            repository=self.repository,
            tombstones=SqliteTombstones(self.database),
            departures=SqliteDepartures(self.database),
            history=SqliteHistory(self.database),
            clock=self.clock,
        )

    def document_folders(self, project_root: str) -> list[str]:
        """Return the folders whose documents are the project's: its own and the roots that are set, links resolved."""
        return [os.path.realpath(folder) for folder in (project_root, *self.settings.document_roots)]

    def _keep_file(self, project_root: str, workplace: Workplace) -> "KeepFile":
        from hardwon.adapters.sqlite.departures import SqliteDepartures
        from hardwon.adapters.sqlite.history import SqliteHistory
        from hardwon.adapters.sqlite.tombstones import SqliteTombstones
        from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
        from hardwon.domain.model.files.file_entry import Defaults
        from hardwon.domain.use_cases.keep_file import KeepFile

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
        from hardwon.domain.use_cases.keep_session import KeepSession

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
        from hardwon.domain.use_cases.import_memory_index import ImportMemoryIndex

        return ImportMemoryIndex(sources=MarkdownFiles(project_root), repository=self.repository, clock=self.clock)

    @property
    def checkpoints(self) -> "Checkpoints":
        """Put the state of the store aside, and bring it back."""
        from hardwon.adapters.sqlite.snapshots.snapshots import SqliteSnapshots
        from hardwon.domain.use_cases.checkpoints import Checkpoints

        return Checkpoints(snapshots=SqliteSnapshots(self.database), clock=self.clock)

    def import_older_index(self, project_root: str, workplace: Workplace) -> "ImportOlderIndex":
        """Return the import of an older program's `memory-index.sqlite`."""
        from hardwon.adapters.markdown.front_matter import read_markdown
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
        from hardwon.domain.use_cases.import_older_index import ImportOlderIndex

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


def open_memory(
    settings: Settings,
    warn: Warn,
    *,
    busy_seconds: float = BUSY_SECONDS,
    repair_index: bool = True,
    create: bool = True,
) -> Memory:
    """
    Open the store that *settings* names.

    Args:
        settings: What the user set.
        warn: Told of trouble in one line.
        busy_seconds: How long to wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.
        create: False gives an empty store that leaves no trace where there is none.

    Raises:
        StorageError: the store can't be opened.

    """
    database = open_store(settings.global_store, busy_seconds=busy_seconds, repair_index=repair_index, create=create)
    automatic = SqliteMetadata(database).automatic_provider or choose_automatically(os.environ)
    return Memory(
        settings=settings,
        database=database,
        repository=SqliteEntryRepository(database),
        clock=SystemClock(),
        spaces=open_spaces(settings, automatic, database, warn),
        warn=warn,
    )
