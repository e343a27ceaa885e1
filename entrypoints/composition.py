"""The only place that chooses adapters. Nothing happens at import; what is slow is imported when it is chosen."""

from collections.abc import Callable

import attrs

from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.adapters.sqlite.database import BUSY_SECONDS, Database
from hardwon.adapters.sqlite.entry_repository import SqliteEntryRepository
from hardwon.adapters.sqlite.fts import FtsKeywordIndex
from hardwon.adapters.sqlite.import_ledger import SqliteImportLedger
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.vector_store import SqliteVectorStore
from hardwon.adapters.system_clock import SystemClock
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embed_pending import EmbedPending
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge
from hardwon.domain.use_cases.inject import Inject
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from hardwon.domain.use_cases.store_entry import StoreEntry
from hardwon.ports.clock import Clock
from hardwon.ports.embedder import Embedder

Warn = Callable[[str], None]

LOCAL_PROVIDERS = ("auto", "local")


def build_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder that is configured, None when there is none."""
    if settings.embedding_provider in LOCAL_PROVIDERS:
        from hardwon.adapters.minilm.embedder import MiniLmEmbedder

        return MiniLmEmbedder()
    return None


@attrs.frozen(kw_only=True)
class Memory:
    """
    One open store with all that works on it.

    Attributes:
        settings: What the user set.
        database: The open store.
        repository: Its entries.
        clock: The time.
        embedder: None when search is by word only.
        vectors: The embedder's vectors in the store.
        warn: Told of trouble in one line.

    """

    settings: Settings
    database: Database
    repository: SqliteEntryRepository
    clock: Clock
    embedder: Embedder | None
    vectors: SqliteVectorStore | None
    warn: Warn

    @property
    def inject(self) -> Inject:
        """The use case behind the session-start hook."""
        settings = self.settings
        return Inject(
            repository=self.repository,
            retrieve=self.retrieve,
            vectors=self.vectors,
            clock=self.clock,
            weights=Weights(settings.vector_weight, settings.keyword_weight, settings.prominence_weight),
        )

    @property
    def retrieve(self) -> Retrieve:
        """Search by meaning and by word."""
        semantic = None
        if self.embedder and self.vectors:
            index = NumpyVectorIndex(self.vectors)
            semantic = SemanticSearch(embedder=self.embedder, store=self.vectors, index=index)
        return Retrieve(
            semantic=semantic, keywords=FtsKeywordIndex(self.database, enabled=self.settings.keyword_search)
        )

    @property
    def store_entry(self) -> StoreEntry:
        """Keep a lesson."""
        return StoreEntry(self.repository)

    @property
    def embed_pending(self) -> EmbedPending | None:
        """Give entries their missing vectors; None without an embedder."""
        return EmbedPending(self.embedder, self.vectors) if self.embedder and self.vectors else None

    def import_knowledge(self, project_root: str) -> ImportKnowledge:
        """Return the import of the project's knowledge bank and of the user's own."""
        return ImportKnowledge(
            bank=MarkdownKnowledgeBank(project_root, self.settings.global_store, self.warn),
            repository=self.repository,
            ledger=SqliteImportLedger(self.database),
            clock=self.clock,
        )


def open_memory(
    settings: Settings, warn: Warn, *, busy_seconds: float = BUSY_SECONDS, repair_index: bool = True
) -> Memory:
    """
    Open the store that *settings* names.

    Args:
        settings: What the user set.
        warn: Told of trouble in one line.
        busy_seconds: How long to wait for other writers.
        repair_index: Rebuild a keyword index that does not fit the entries.

    Raises:
        StorageError: the store can't be opened.

    """
    database = open_store(settings.global_store, busy_seconds=busy_seconds, repair_index=repair_index)
    embedder = build_embedder(settings)
    return Memory(
        settings=settings,
        database=database,
        repository=SqliteEntryRepository(database),
        clock=SystemClock(),
        embedder=embedder,
        vectors=SqliteVectorStore(database, embedder.space, warn) if embedder else None,
        warn=warn,
    )
