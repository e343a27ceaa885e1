"""A session whose use cases search a store in memory."""

from collections.abc import Mapping

import attrs

from hardwon.adapters.threads import Threads
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.moment import Moment
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.model.trial import Trial
from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment
from hardwon.domain.use_cases.inject_at_start import InjectAtStart
from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt, Prompt
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.related_conversations import RecallNearby, RelateConversations
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from hardwon.domain.use_cases.weigh_entries import Actor, Injection, WeighEntries
from hardwon.ports.models import Embedder
from hardwon.ports.vectors import VectorIndex
from tests.fakes.activity import InMemoryContextWindows, InMemoryReceipts, InMemoryUsageLog
from tests.fakes.clock import FixedClock
from tests.fakes.documents import InMemoryInstructions
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import working_in
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryVectorIndex
from tests.fakes.state import State
from tests.fakes.vectors import InMemoryVectorStore
from tests.strategies import lesson


@attrs.define
class InMemorySession:
    """
    A session in the project `here`, whose receipts are kept.

    Attributes:
        state: The store's content.
        embedder: None for a search by word alone.
        index: The index of vectors; None for one that is never broken.
        keyword_search: Whether words can be searched.
        files: The instruction files that the agent gets, by their paths.
        trial: The trial that runs; None for none.

    """

    state: State = attrs.field(factory=State)
    embedder: Embedder | None = attrs.field(default=None, kw_only=True)
    index: VectorIndex | None = attrs.field(default=None, kw_only=True)
    keyword_search: bool = attrs.field(default=True, kw_only=True)
    files: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    trial: Trial | None = attrs.field(default=None, kw_only=True)
    clock: FixedClock = attrs.field(factory=FixedClock, init=False)
    receipts: InMemoryReceipts = attrs.field(factory=InMemoryReceipts, init=False)
    repository: InMemoryEntryRepository = attrs.field(init=False)
    vectors: InMemoryVectorStore = attrs.field(init=False)
    keywords: InMemoryKeywordIndex = attrs.field(init=False)
    usage: InMemoryUsageLog = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.repository = InMemoryEntryRepository(self.state)
        self.vectors = InMemoryVectorStore(self.state)
        self.keywords = InMemoryKeywordIndex(self.state, available=self.keyword_search)
        self.usage = InMemoryUsageLog(self.state)

    @property
    def windows(self) -> InMemoryContextWindows:
        """The context windows of the session's agents."""
        return InMemoryContextWindows(self.receipts)

    def add(self, entry: Entry, vector: Vector | None = None) -> int:
        """Store an entry, with its vector; return its number."""
        self.repository.put(entry)
        number = self.state.number_of(entry.entry_id)
        assert number is not None
        if vector is not None:
            pending = self.vectors.pending(1_000)
            self.vectors.put((text, vector) for text in pending if text.number == number)
        return number

    @property
    def retrieve(self) -> Retrieve:
        """Search by word, and by meaning if there is an embedder."""
        index = self.index or InMemoryVectorIndex(self.vectors)
        semantic = [SemanticSearch(self.embedder, self.vectors, index)] if self.embedder else []
        return Retrieve(semantic, self.keywords, Threads())

    @property
    def recall(self) -> Recall:
        """Answers to questions."""
        return Recall(self.repository, self.retrieve, self.clock, SignalWeights())

    @property
    def relate(self) -> RelateConversations:
        """Lines about related conversations."""
        return RelateConversations(self.repository, RecallNearby(self.recall), self.clock)

    @property
    def inject_at_start(self) -> InjectAtStart:
        """The block of a session start."""
        return InjectAtStart(
            repository=self.repository,
            retrieve=self.retrieve,
            vectors=self.vectors if self.embedder else None,
            clock=self.clock,
            weights=SignalWeights(),
            relate=self.relate,
        )

    @property
    def weigh(self) -> WeighEntries:
        """The choice of entries that clearly help."""
        return WeighEntries(
            self.recall,
            self.windows,
            lambda: InMemoryInstructions(self.files),
            running_trial=lambda: self.trial,
        )

    def ask(self, prompt: str, session_id: str = "one") -> Injection:
        """Return what is printed beside a prompt."""
        asked = Prompt(prompt, session_id, working_in("here"))
        return self._recorded(InjectBesidePrompt(self.weigh).text_for(asked, self.clock.deadline()))

    def actor(self, agent: str = "", session_id: str = "one") -> Actor:
        """Return who acts: the session's own agent, or a subagent."""
        return Actor(ContextWindow(session_id, agent), working_in("here"))

    def at(self, moment: Moment, agent: str = "", session_id: str = "one") -> Injection:
        """Return what is printed at a moment of action."""
        actor = self.actor(agent, session_id)
        return self._recorded(
            InjectAtMoment(self.weigh).text_for(moment, actor, self.clock.deadline())
        )

    def _recorded(self, injection: Injection) -> Injection:
        for receipt in filter(None, (injection.receipt, injection.withheld)):
            self.receipts.record(receipt)
        return injection


FILLERS = [lesson(f"filler number {number}") for number in range(150)]


def store(*entries: Entry) -> State:
    """Return a store of 150 lessons about nothing, and *entries*."""
    state = State()
    repository = InMemoryEntryRepository(state)
    for entry in (*FILLERS, *entries):
        repository.put(entry)
    return state
