"""What finds and reads in an open store. What is slow is imported when it is chosen."""

import time
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import COUNT_BUSY_SECONDS
from hardwon.adapters.sqlite.fts import FtsKeywordIndex, is_available
from hardwon.adapters.sqlite.receipts import SqliteReceipts
from hardwon.adapters.sqlite.scan import ScanKeywordIndex
from hardwon.adapters.sqlite.surfacing import SqliteTriggerSource
from hardwon.adapters.sqlite.usage_log import SqliteUsageLog
from hardwon.domain.model.entry_filter import CONVERSATIONS
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.collection import scope_of
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.use_cases.injecting.inject import Inject
from hardwon.domain.use_cases.retrieving.retrieve import Retrieve
from hardwon.entrypoints.composition.store import OpenStore

if TYPE_CHECKING:  # these bring attrs: three times Python's own start, which a session start can't spare
    from hardwon.adapters.sqlite.influences import SqliteInfluences
    from hardwon.domain.model.importance.decay import Decay
    from hardwon.domain.use_cases.asking.load import Load
    from hardwon.domain.use_cases.asking.match_triggers import MatchTriggers
    from hardwon.domain.use_cases.asking.recall import Recall
    from hardwon.domain.use_cases.asking.recall_nearby import RecallNearby
    from hardwon.domain.use_cases.asking.search import Search
    from hardwon.domain.use_cases.explaining.explain_injections import ExplainInjections
    from hardwon.domain.use_cases.explaining.tell_use import TellUse
    from hardwon.domain.use_cases.injecting.record_injection import RecordInjection
    from hardwon.domain.use_cases.injecting.relate import Relate
    from hardwon.domain.use_cases.injecting.speak_up import SpeakUp
    from hardwon.ports.instructions import Instructions

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
        from hardwon.domain.use_cases.retrieving.asked_once import AskedOnce

        spaces = [space._replace(embedder=AskedOnce(space.embedder)) for space in self.spaces]
        memory = self._replace(spaces=spaces)
        return memory.inject._replace(relate=memory.relate)

    @property
    def receipts(self) -> SqliteReceipts:
        """What was injected, when and why."""
        return SqliteReceipts(self.database)

    def speak_up(self, instructions: "Instructions", embed_seconds: float) -> "SpeakUp":
        """Return what puts entries beside a prompt; who embeds the prompt may take so many seconds."""
        from hardwon.domain.use_cases.injecting.speak_up import SpeakUp

        recall = self.recall
        recall = recall._replace(retrieve=recall.retrieve._replace(embed_seconds=embed_seconds))
        return SpeakUp(recall, self.receipts, instructions)

    @property
    def influences(self) -> "SqliteInfluences":
        """Which of it was of use."""
        from hardwon.adapters.sqlite.influences import SqliteInfluences

        return SqliteInfluences(self.database)

    @property
    def explain_injections(self) -> "ExplainInjections":
        """Find what was injected, with the entries as they are today."""
        from hardwon.domain.use_cases.explaining.explain_injections import ExplainInjections

        return ExplainInjections(self.receipts, self.repository, self.influences)

    @property
    def tell_use(self) -> "TellUse":
        """Count what was of use."""
        from hardwon.domain.use_cases.explaining.tell_use import TellUse

        return TellUse(self.influences, self.repository)

    @property
    def record_injection(self) -> "RecordInjection":
        """Count what was injected and keep the receipt of it; a busy store is not waited for."""
        from hardwon.domain.use_cases.injecting.record_injection import RecordInjection

        return RecordInjection(
            self.repository, self.receipts, lambda: self.database.transaction(busy_seconds=COUNT_BUSY_SECONDS)
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
        from hardwon.domain.use_cases.asking.recall import Recall

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
        from hardwon.domain.use_cases.asking.search import Search

        return Search(self.recall, SqliteUsageLog(self.database))

    @property
    def load(self) -> "Load":
        """Read entries whole."""
        from hardwon.domain.use_cases.asking.load import Load

        return Load(self.repository, SqliteUsageLog(self.database), self.clock)

    def match_triggers(self, project: str) -> "MatchTriggers":
        """Return what brings up memories by phrases; worth keeping, as it keeps all phrases."""
        from hardwon.domain.use_cases.asking.match_triggers import MatchTriggers

        source, commands = SqliteTriggerSource(self.database), self.settings.trigger_phrases
        return MatchTriggers(
            source, self.repository, self.clock, monotonic=time.monotonic, commands=commands, project=project
        )

    @property
    def recall_nearby(self) -> "RecallNearby":
        """Recall what bears on the user's work, near by first."""
        from hardwon.domain.use_cases.asking.recall_nearby import RecallNearby

        return RecallNearby(self.recall)

    @property
    def relate(self) -> "Relate":
        """Tell what bears on the user's work, each conversation on one line."""
        from hardwon.domain.use_cases.injecting.relate import Relate

        return Relate(repository=self.repository, nearby=self.recall_nearby, clock=self.clock)

    @property
    def _weights(self) -> Weights:
        settings = self.settings
        return Weights(settings.vector_weight, settings.keyword_weight, settings.prominence_weight)
