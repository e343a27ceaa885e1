"""What the type checker says of the fakes: each has the shape of its port."""

from hardwon.domain.model.filters import EVERYTHING
from hardwon.ports.activity import History, Influences, Receipts, UsageLog
from hardwon.ports.bank_files import BankFiles
from hardwon.ports.clock import Clock
from hardwon.ports.documents import ConversationFiles, SessionFiles, SourceFiles
from hardwon.ports.embedder import Embedder
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import Departures, Tombstones
from hardwon.ports.import_ledger import ImportLedger
from hardwon.ports.instructions import Instructions
from hardwon.ports.keyword_index import KeywordIndex, TriggerSource
from hardwon.ports.knowledge_bank import KnowledgeBank
from hardwon.ports.signals import ChangeProbe, FeatureProbe
from hardwon.ports.snapshots import Snapshots
from hardwon.ports.transcripts import CaptureJournal, Transcripts
from hardwon.ports.vectors import Matches, VectorIndex, VectorSource, VectorStore
from tests.fakes.bank_files import InMemoryBankFiles
from tests.fakes.banks import InMemoryImportLedger, InMemoryKnowledgeBank
from tests.fakes.clock import FixedClock
from tests.fakes.conversations import InMemoryConversationFiles
from tests.fakes.departures import InMemoryDepartures
from tests.fakes.embedders import HangingEmbedder, PlantedEmbedder, UnreliableEmbedder
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.files import InMemoryFiles, InMemorySessionFiles
from tests.fakes.history import InMemoryHistory
from tests.fakes.influences import InMemoryInfluences
from tests.fakes.instructions import InMemoryInstructions
from tests.fakes.journal import InMemoryCaptureJournal
from tests.fakes.probes import InMemoryChangeProbe, InMemoryFeatureProbe
from tests.fakes.receipts import InMemoryReceipts
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryMatches, InMemoryVectorIndex, InMemoryVectorMatches
from tests.fakes.snapshots import InMemorySnapshots
from tests.fakes.state import State
from tests.fakes.tombstones import InMemoryTombstones
from tests.fakes.transcripts import InMemoryTranscripts
from tests.fakes.triggers import InMemoryTriggerSource
from tests.fakes.usage import InMemoryUsageLog
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import QUERY_VECTOR


def test_every_fake_fits_its_port() -> None:
    state = State()
    store = InMemoryVectorStore(state)
    embedder = PlantedEmbedder()

    changes: ChangeProbe = InMemoryChangeProbe(["a.py"])
    clock: Clock = FixedClock()
    conversations: ConversationFiles = InMemoryConversationFiles()
    departures: Departures = InMemoryDepartures(state)
    embedders: list[Embedder] = [embedder, UnreliableEmbedder(embedder, failing=()), HangingEmbedder(embedder)]
    repository: EntryRepository = InMemoryEntryRepository(state)
    features: FeatureProbe = InMemoryFeatureProbe()
    ledger: ImportLedger = InMemoryImportLedger()
    instructions: Instructions = InMemoryInstructions()
    journal: CaptureJournal = InMemoryCaptureJournal()
    keywords: KeywordIndex = InMemoryKeywordIndex(state)
    bank: KnowledgeBank = InMemoryKnowledgeBank()
    bank_files: BankFiles = InMemoryBankFiles()
    found: list[Matches] = [InMemoryMatches(state, {}), InMemoryVectorMatches(store, QUERY_VECTOR, EVERYTHING)]
    history: History = InMemoryHistory(state)
    influences: Influences = InMemoryInfluences(state, InMemoryReceipts())
    index: VectorIndex = InMemoryVectorIndex(store)
    receipts: Receipts = InMemoryReceipts()
    sessions: SessionFiles = InMemorySessionFiles(InMemoryFiles())
    source: VectorSource = store
    sources: SourceFiles = InMemoryFiles()
    snapshots: Snapshots = InMemorySnapshots(state)
    tombstones: Tombstones = InMemoryTombstones(state)
    transcripts: Transcripts = InMemoryTranscripts()
    triggers: TriggerSource = InMemoryTriggerSource(state)
    usage: UsageLog = InMemoryUsageLog(state)
    vectors: VectorStore = store

    assert all((changes, clock, embedders, repository, features, ledger, keywords, bank, found, index, source, vectors))
    assert all((conversations, journal, bank_files, influences, instructions, receipts))
    assert all((sessions, sources, snapshots, usage, history, tombstones, departures, transcripts, triggers))
