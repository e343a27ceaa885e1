"""From what the user is working on to the text the agent reads."""

from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.block.diagnostic_line import Diagnostics
from hardwon.domain.model.block.memory_block import MemoryBlock
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.importance.constitutional import ConstitutionalText, within_budget
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer
from hardwon.domain.model.ranking.ranking_policy import RankingPolicy, Scored
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.use_cases.retire import retire_expired
from hardwon.domain.use_cases.retrieve import Retrieval, Retrieve
from hardwon.domain.use_cases.select import Selected, select, whole_store_maxima
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.vector_store import VectorStore


class Injection(NamedTuple):
    """
    What is to be printed.

    Attributes:
        text: The block; empty when there is nothing to say.
        rules: The constitutional entries in it, which no search chose.
        printed: The other entries in it, best first.
        selected: How they were chosen, None when nothing was ranked.
        degradations: What was missing and why, one line each.

    """

    text: str = ""
    rules: tuple[ConstitutionalText, ...] = ()
    printed: tuple[Scored, ...] = ()
    selected: Selected | None = None
    degradations: tuple[str, ...] = ()

    @property
    def seqs(self) -> list[int]:
        """The numbers of all entries in it."""
        return [*(rule.seq for rule in self.rules), *(scored.facts.seq for scored in self.printed)]


class Inject(NamedTuple):
    """
    Find, rank, balance and print.

    Attributes:
        repository: The entries.
        retrieve: Search by meaning and by word.
        vectors: Knows how many entries wait for a vector; None without an embedder.
        clock: For recency.
        weights: What the signals count for.

    """

    repository: EntryRepository
    retrieve: Retrieve
    vectors: VectorStore | None
    clock: Clock
    weights: Weights

    def __call__(
        self, query: ContextQuery, *, limit: int, deadline: Deadline, project: str = "", framed: bool = False
    ) -> Injection:
        """
        Return the block of at most *limit* entries for *query*, below the constitutional ones of *project*.

        Args:
            query: What the user is working on.
            limit: How many entries; 0 and less print nothing. Constitutional ones don't count.
            deadline: When searching must be over.
            project: The name of the user's project; without one only what holds everywhere is constitutional.
            framed: Mark the block's beginning and end for the host.

        Raises:
            StorageError: the store can't be read.

        """
        if limit <= 0:
            return Injection()
        now = self.clock.now()
        troubles = retire_expired(self.repository, now)
        with self.repository.snapshot():
            rules = within_budget(self.repository.constitutional(project))
            retrieval = self.retrieve(query.compose(), deadline)
            policy = RankingPolicy(weights=self.weights, maxima=whole_store_maxima(retrieval, self.repository), now=now)
            selected = self._select(retrieval, policy, limit, rules)
            injection = self._block(retrieval, selected, rules, framed=framed)
        return injection._replace(degradations=(*troubles, *injection.degradations))

    def _select(
        self, retrieval: Retrieval, policy: RankingPolicy, limit: int, rules: Sequence[ConstitutionalText]
    ) -> Selected:
        """Choose *limit* entries, and as many more as are printed as *rules* already."""
        seqs, repeated = {rule.seq for rule in rules}, 0
        while True:
            selected = select(retrieval, self.repository, policy, CategoryBalancer(limit + repeated))
            ranked = tuple(scored for scored in selected.ranked if scored.facts.seq not in seqs)
            if len(selected.ranked) - len(ranked) <= repeated:
                return selected._replace(ranked=ranked)
            repeated = len(selected.ranked) - len(ranked)

    def _block(
        self, retrieval: Retrieval, selected: Selected, rules: Sequence[ConstitutionalText], *, framed: bool
    ) -> Injection:
        sizes = self.repository.sizes()
        total = sum(sizes.values()) + sum(rule.kind != "learning" for rule in rules)
        block = MemoryBlock(
            diagnostic=self._diagnostics(retrieval, total).line, sizes=sizes, framed=framed, rules=rules
        )
        kept = block.fit(self.repository.printed([scored.facts.seq for scored in selected.ranked]))
        seqs = {entry.seq for entry in kept}
        return Injection(
            text=block.render(kept),
            rules=tuple(rules),
            printed=tuple(scored for scored in selected.ranked if scored.facts.seq in seqs),
            selected=selected,
            degradations=retrieval.degradations,
        )

    def _diagnostics(self, retrieval: Retrieval, total: int) -> Diagnostics:
        return Diagnostics(
            total=total,
            vector=retrieval.by_vector.count(),
            keyword=retrieval.by_keyword.count(),
            pending=self.vectors.count_pending(LEARNINGS) if self.vectors else 0,
            query=retrieval.query,
            model=retrieval.embedded_by,
            numpy_missing=retrieval.numpy_missing,
        )
