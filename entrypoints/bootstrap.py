"""
The only place that chooses adapters. Nothing happens at import; what is slow is imported when it is chosen.

What finds and reads in an open store. What is slow is imported when it is chosen.

What keeps conversations beside an open store. What is slow is imported when it is chosen.

What brings files into an open store. What is slow is imported when it is chosen.

What changes entries of an open store. What is slow is imported when it is chosen.

An open store, and the spaces it is searched in.
"""

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.markdown.knowledge_bank import MarkdownKnowledgeBank
from hardwon.adapters.sqlite.activity import SqliteReceipts, SqliteUsageLog
from hardwon.adapters.sqlite.database import BUSY_SECONDS, COUNT_BUSY_SECONDS, Database, SqliteMetadata
from hardwon.adapters.sqlite.entries import SqliteEntryRepository, SqliteTriggerSource
from hardwon.adapters.sqlite.import_ledger import SqliteImportLedger
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex, is_available
from hardwon.adapters.sqlite.store import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.domain.model.context import Workplace
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.filters import CONVERSATIONS, EntryFilter, scope_of
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.bank_changes import changed_files
from hardwon.domain.use_cases.inject_at_start import Inject
from hardwon.domain.use_cases.retrieve import Retrieve
from hardwon.entrypoints.bootstrap_models import AUTO, EmbeddingSpace, Warn, choose_automatically, open_spaces
from hardwon.ports.clock import Clock

if TYPE_CHECKING:
    from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
    from hardwon.adapters.sqlite.activity import SqliteHistory, SqliteInfluences
    from hardwon.adapters.transcripts.reader import JsonlTranscripts
    from hardwon.domain.model.ranking.decay import Decay
    from hardwon.domain.use_cases.capture import Capture
    from hardwon.domain.use_cases.checkpoints import Checkpoints
    from hardwon.domain.use_cases.edit_entries import ChangeEntry, Forget, ValidateEntry
    from hardwon.domain.use_cases.embed_pending import EmbedPending
    from hardwon.domain.use_cases.explain_injections import ExplainInjections
    from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, TakeInBank
    from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex, ImportOlderIndex, KeepVectors
    from hardwon.domain.use_cases.index_files import IndexFiles
    from hardwon.domain.use_cases.index_one_file import KeepFile
    from hardwon.domain.use_cases.inject_at_start import RecordInjection
    from hardwon.domain.use_cases.inject_beside_prompt import SpeakUp
    from hardwon.domain.use_cases.match_triggers import MatchTriggers
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.domain.use_cases.related_conversations import RecallNearby, Relate
    from hardwon.domain.use_cases.retro import LookAgain
    from hardwon.domain.use_cases.save_session import KeepSession
    from hardwon.domain.use_cases.search import Load, Search
    from hardwon.domain.use_cases.similarity import Likeness
    from hardwon.domain.use_cases.store_entry import StoreEntry
    from hardwon.domain.use_cases.track_usage import TellUse
    from hardwon.ports.instructions import Instructions


class OpenStore(NamedTuple):
    """
    One open store.

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

    def spaces_in_use(self, only: EntryFilter) -> list[EmbeddingSpace]:
        """
        Return the spaces of the chosen provider that hold or await vectors of *only*.

        There are several only where collections have models of their own. The
        first that could serve *only* is returned where there are no such entries.
        """
        active = [space for space in self.spaces if self.is_of_active_provider(space.embedder.space)]
        serving = [space for space in active if space.served(only).kinds]
        return [space for space in serving if self.repository.count(space.served(only))] or serving[:1]

    def count_embedded(self, only: EntryFilter) -> int:
        """Return how many entries of *only* have a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count(space.served(only)) for space in self.spaces_in_use(only))

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many entries of *only* wait for a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count_pending(only) for space in self.spaces_in_use(only))

    def settle_provider(self, *, anew: bool = False) -> None:
        """Remember what `auto` means for this store: the first who embeds decides, unless it is decided *anew*."""
        if self.settings.embedding_provider == AUTO and self.spaces:
            SqliteMetadata(self.database).decide_provider(self.spaces[0].embedder.space.provider, force=anew)


ASKED_EMBED_SECONDS = 2.0
"""Who asks waits longer for the question's vector than a session start can (rule U-16)."""


class Asking(OpenStore):
    """Finds and reads."""

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

    def inject_at(self, workplace: Workplace) -> Inject:
        """Return the same with the conversations of *workplace*, if there are any; the query is embedded once for both."""
        scope = scope_of("workspace", workplace)
        if not self.repository.count(CONVERSATIONS._replace(scope=scope)):
            return self.inject
        from hardwon.domain.use_cases.retrieve import AskedOnce

        spaces = [space._replace(embedder=AskedOnce(space.embedder)) for space in self.spaces]
        memory = self._replace(spaces=spaces)
        return memory.inject._replace(relate=memory.relate)

    @property
    def receipts(self) -> SqliteReceipts:
        """What was injected, when and why."""
        return SqliteReceipts(self.database)

    def speak_up(self, instructions: "Instructions", embed_seconds: float) -> "SpeakUp":
        """Return what puts entries beside a prompt; who embeds the prompt may take so many seconds."""
        from hardwon.domain.use_cases.inject_beside_prompt import SpeakUp

        recall = self.recall
        recall = recall._replace(retrieve=recall.retrieve._replace(embed_seconds=embed_seconds))
        return SpeakUp(recall, self.receipts, instructions)

    @property
    def influences(self) -> "SqliteInfluences":
        """Which of it was of use."""
        from hardwon.adapters.sqlite.activity import SqliteInfluences

        return SqliteInfluences(self.database)

    @property
    def explain_injections(self) -> "ExplainInjections":
        """Find what was injected, with the entries as they are today."""
        from hardwon.domain.use_cases.explain_injections import ExplainInjections

        return ExplainInjections(self.receipts, self.repository, self.influences)

    @property
    def tell_use(self) -> "TellUse":
        """Count what was of use."""
        from hardwon.domain.use_cases.track_usage import TellUse

        return TellUse(self.influences, self.repository)

    @property
    def record_injection(self) -> "RecordInjection":
        """Count what was injected and keep the receipt of it; a busy store is not waited for."""
        from hardwon.domain.use_cases.inject_at_start import RecordInjection

        return RecordInjection(
            SqliteUsageLog(self.database),
            self.receipts,
            lambda: self.database.transaction(busy_seconds=COUNT_BUSY_SECONDS),
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
            from hardwon.adapters.sqlite.scan import ScanKeywordIndex

            retrieve = retrieve._replace(keywords=ScanKeywordIndex(self.database))
        return Recall(
            repository=self.repository, retrieve=retrieve, clock=self.clock, weights=self._weights, decay=self.decay
        )

    @property
    def decay(self) -> "Decay":
        """How age tells on a document."""
        from hardwon.domain.model.ranking.decay import Decay

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
        from hardwon.domain.use_cases.search import Load

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
        from hardwon.domain.use_cases.related_conversations import RecallNearby

        return RecallNearby(self.recall)

    @property
    def relate(self) -> "Relate":
        """Tell what bears on the user's work, each conversation on one line."""
        from hardwon.domain.use_cases.related_conversations import Relate

        return Relate(repository=self.repository, nearby=self.recall_nearby, clock=self.clock)

    @property
    def _weights(self) -> Weights:
        settings = self.settings
        return Weights(settings.vector_weight, settings.keyword_weight, settings.prominence_weight)


class Keeping(Asking):
    """Keeps, changes and forgets entries too."""

    @property
    def store_entry(self) -> "StoreEntry":
        """Keep a lesson."""
        from hardwon.domain.use_cases.store_entry import StoreEntry

        return StoreEntry(self.repository)

    @property
    def change_entry(self) -> "ChangeEntry":
        """Change what is known about an entry."""
        from hardwon.domain.use_cases.edit_entries import ChangeEntry

        return ChangeEntry(repository=self.repository, history=self.history, clock=self.clock)

    @property
    def validate_entry(self) -> "ValidateEntry":
        """Count whether an entry was of use."""
        from hardwon.domain.use_cases.edit_entries import ValidateEntry

        usage = SqliteUsageLog(self.database)
        return ValidateEntry(
            repository=self.repository,
            usage=usage,
            history=self.history,
            receipts=self.receipts,
            influences=self.influences,
            clock=self.clock,
        )

    @property
    def history(self) -> "SqliteHistory":
        """The changes of entries."""
        from hardwon.adapters.sqlite.activity import SqliteHistory

        return SqliteHistory(self.database)

    @property
    def embed_pending(self) -> "Sequence[EmbedPending]":
        """Give entries their missing vectors, one use case for each space."""
        from hardwon.domain.use_cases.embed_pending import EmbedPending

        return [EmbedPending(space.embedder, space.vectors, self.warn) for space in self.spaces]

    @property
    def forget(self) -> "Forget":
        """Delete entries."""
        from hardwon.adapters.sqlite.file_state import SqliteAbsences, SqliteTombstones
        from hardwon.domain.use_cases.edit_entries import Forget

        return Forget(
            repository=self.repository,
            tombstones=SqliteTombstones(self.database),
            absences=SqliteAbsences(self.database),
            history=self.history,
            clock=self.clock,
        )

    @property
    def checkpoints(self) -> "Checkpoints":
        """Put the state of the store aside, and bring it back."""
        from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
        from hardwon.domain.use_cases.checkpoints import Checkpoints

        return Checkpoints(snapshots=SqliteSnapshots(self.database), clock=self.clock)


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
        from hardwon.domain.use_cases.import_knowledge import ImportKnowledge

        return ImportKnowledge(
            bank=self._bank(project_root),
            repository=self.repository,
            ledger=SqliteImportLedger(self.database),
            clock=self.clock,
        )

    def take_in_bank(self, project_root: str) -> "TakeInBank":
        """Return what lets the store know the knowledge banks before a retrospective counts."""
        from hardwon.domain.use_cases.import_knowledge import TakeInBank

        return TakeInBank(self.import_knowledge(project_root), self.repository)

    def look_again(self, project_root: str) -> "LookAgain":
        """Return what a retrospective does with what was known before."""
        from hardwon.domain.use_cases.retro import LookAgain

        bank = bank_files(project_root, self.settings)
        return LookAgain(bank=bank, take_in=self.take_in_bank(project_root), clock=self.clock)

    def index_files(self, project_root: str, workplace: Workplace) -> "IndexFiles":
        """Return the indexing of the project's files, and of those in the roots that are set."""
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.index_files import IndexFiles

        return IndexFiles(
            sources=MarkdownFiles(project_root, self.settings.document_roots),
            repository=self.repository,
            project_root=os.path.realpath(project_root),
            keep_file=self._keep_file(workplace),
            forget=self.forget,
        )

    def index_host_memory(self, folder: str, project_root: str, workplace: Workplace) -> "IndexFiles":
        """Return the indexing of what Claude Code remembers of the project in *folder*."""
        from hardwon.adapters.markdown.host_memory import HostMemoryFiles
        from hardwon.domain.use_cases.index_files import IndexFiles

        return IndexFiles(
            sources=HostMemoryFiles(folder),
            repository=self.repository,
            project_root=os.path.realpath(project_root),
            keep_file=self._keep_file(workplace),
            forget=self.forget,
        )

    def document_folders(self, project_root: str) -> list[str]:
        """Return the folders whose documents are the project's: its own and the roots that are set, links resolved."""
        return [os.path.realpath(folder) for folder in (project_root, *self.settings.document_roots)]

    def _keep_file(self, workplace: Workplace) -> "KeepFile":
        from hardwon.adapters.sqlite.activity import SqliteUsageLog
        from hardwon.adapters.sqlite.file_state import SqliteAbsences, SqliteTombstones
        from hardwon.domain.model.file_entry import Defaults
        from hardwon.domain.use_cases.index_one_file import KeepFile

        return KeepFile(
            repository=self.repository,
            tombstones=SqliteTombstones(self.database),
            absences=SqliteAbsences(self.database),
            usage=SqliteUsageLog(self.database),
            history=self.history,
            workplace=workplace,
            defaults=Defaults(self.settings.default_tier, self.settings.default_context_type),
            clock=self.clock,
        )

    def keep_session(self, project_root: str, workplace: Workplace) -> "KeepSession":
        """Return the keeping of the project's sessions."""
        from hardwon.adapters.markdown.conversation_files import MarkdownSessionFiles
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.save_session import KeepSession

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
        from hardwon.domain.use_cases.import_legacy import ImportMemoryIndex

        return ImportMemoryIndex(sources=MarkdownFiles(project_root), repository=self.repository, clock=self.clock)

    @property
    def keep_vectors(self) -> "list[KeepVectors]":
        """Keep the vectors that a `memory-index.json` brings, one use case for each space of sessions."""
        from hardwon.domain.use_cases.import_legacy import KeepVectors

        return [
            KeepVectors(repository=self.repository, embedder=space.embedder, store=space.vectors)
            for space in self.spaces
            if "session" in space.vectors.kinds
        ]

    def import_older_index(self, project_root: str, workplace: Workplace) -> "ImportOlderIndex":
        """Return the import of an older program's `memory-index.sqlite`."""
        from hardwon.adapters.markdown.source_files import MarkdownFiles
        from hardwon.domain.use_cases.import_legacy import ImportOlderIndex

        return ImportOlderIndex(
            sources=MarkdownFiles(project_root, self.settings.document_roots),
            repository=self.repository,
            keep_file=self._keep_file(workplace),
            usage=SqliteUsageLog(self.database),
            ledger=SqliteImportLedger(self.database),
            clock=self.clock,
        )

    def _bank(self, project_root: str) -> MarkdownKnowledgeBank:
        return MarkdownKnowledgeBank(project_root, self.settings.global_store, self.warn)


class Conversing(Filing):
    """Keeps what is said too."""

    def capture(self, project_root: str, workplace: Workplace) -> "Capture":
        """Return the keeping of the project's conversations."""
        from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
        from hardwon.adapters.sqlite.capture_journal import SqliteCaptureJournal
        from hardwon.domain.model.conversation.chunker import Chunker
        from hardwon.domain.use_cases.capture import Capture

        return Capture(
            chunker=Chunker(self.settings.capture_boundaries, self._likeness),
            files=MarkdownConversationFiles(project_root),
            journal=SqliteCaptureJournal(self.settings.global_store),
            workplace=workplace,
        )

    def transcripts(self, project_root: str) -> "JsonlTranscripts":
        """Return what hosts write down of sessions in the project."""
        from hardwon.adapters.transcripts.reader import JsonlTranscripts
        from hardwon.entrypoints.host_session import cleaning_for

        return JsonlTranscripts(cleaning_for(project_root), self.settings.capture_boundaries)

    @property
    def _likeness(self) -> "Likeness | None":
        """What compares conversations by meaning, in the first space that is for them."""
        from hardwon.domain.use_cases.similarity import Likeness

        embedders = (space.embedder for space in self.spaces if "conversation" in space.vectors.kinds)
        embedder = next(embedders, None)
        return Likeness(embedder, time.monotonic) if embedder else None


__all__ = ["ASKED_EMBED_SECONDS", "Memory", "open_memory"]


class Memory(Conversing):
    """
    One open store with all that works on it.

    Each module of this package adds to the one before: store, asking, keeping, filing, conversing.
    """

    def with_provider(self, provider: str) -> "Memory":
        """Return the same store with `auto` meaning *provider*; nothing is remembered yet."""
        return self._replace(spaces=open_spaces(self.settings, provider, self.database, self.warn))


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
