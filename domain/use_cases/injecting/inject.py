"""From what the user is working on to the text the agent reads."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.block.diagnostic_line import Diagnostics
from hardwon.domain.model.block.memory_block import MemoryBlock
from hardwon.domain.model.block.printable import PrintedEntry
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.importance.constitutional import ConstitutionalText, within_budget
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer
from hardwon.domain.model.ranking.ranking_policy import RankingPolicy, Scored
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.occasion import Occasion
from hardwon.domain.use_cases.injecting.select import Selected, select, whole_store_maxima
from hardwon.domain.use_cases.keeping.retire import retire_expired
from hardwon.domain.use_cases.retrieving.retrieve import Retrieval, Retrieve
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.vector_store import VectorStore

if TYPE_CHECKING:
    from hardwon.domain.use_cases.injecting.relate import (  # all the policies: a store may have no conversation
        Relate,
        Related,
    )


class Injection(NamedTuple):
    """
    What is to be printed.

    Attributes:
        text: The block; empty when there is nothing to say.
        rules: The constitutional entries in it, which no search chose.
        printed: The other lessons in it, best first.
        lessons: The same as they are printed.
        retrieval: What was searched with, and what it found; None when nothing was.
        selected: How they were chosen, None when nothing was ranked.
        related: The conversations in it, None when none were looked for.
        degradations: What was missing and why, one line each.
        pending: How many lessons wait for a vector.

    """

    text: str = ""
    rules: tuple[ConstitutionalText, ...] = ()
    printed: tuple[Scored, ...] = ()
    lessons: tuple[PrintedEntry, ...] = ()
    retrieval: Retrieval | None = None
    selected: Selected | None = None
    related: "Related | None" = None
    degradations: tuple[str, ...] = ()
    pending: int = 0

    @property
    def seqs(self) -> list[int]:
        """The numbers of all entries in it."""
        told = self.related.section.seqs if self.related else ()
        return [*(rule.seq for rule in self.rules), *(scored.facts.seq for scored in self.printed), *told]


class Inject(NamedTuple):
    """
    Find, rank, balance and print.

    Attributes:
        repository: The entries.
        retrieve: Search by meaning and by word.
        vectors: Knows how many entries wait for a vector; None without an embedder.
        clock: For recency.
        weights: What the signals count for.
        relate: Finds conversations; None where there are none.

    """

    repository: EntryRepository
    retrieve: Retrieve
    vectors: VectorStore | None
    clock: Clock
    weights: Weights
    relate: "Relate | None" = None

    def __call__(
        self,
        query: ContextQuery,
        *,
        limit: int,
        deadline: Deadline,
        project: str = "",
        framed: bool = False,
        occasion: Occasion | None = None,
    ) -> Injection:
        """
        Return the block of at most *limit* entries for *query*, below the constitutional ones of *project*.

        Conversations stand last; no trouble with them costs anything else.

        Args:
            query: What the user is working on.
            limit: How many entries; 0 and less print nothing. Constitutional ones don't count.
            deadline: When searching must be over.
            project: The name of the user's project; without one only what holds everywhere is constitutional.
            framed: Mark the block's beginning and end for the host.
            occasion: What conversations are recalled for; None for no conversations.

        Raises:
            StorageError: the store can't be read.

        """
        if limit <= 0:
            return Injection()
        now = self.clock.now()
        troubles = retire_expired(self.repository, now)
        with self.repository.snapshot():
            rules = within_budget(self.repository.constitutional(project))
            retrieval = self.retrieve(query.public, deadline, query.keyword_text)
            policy = RankingPolicy(weights=self.weights, maxima=whole_store_maxima(retrieval, self.repository), now=now)
            selected = self._select(retrieval, policy, limit, rules)
            related, trouble = self._related(query, occasion, deadline, rules)
            injection = self._block(retrieval, selected, rules, related, framed=framed)
        noted = dict.fromkeys((*troubles, *retrieval.degradations, *trouble))
        return injection._replace(degradations=tuple(noted))

    def _related(
        self,
        query: ContextQuery,
        occasion: Occasion | None,
        deadline: Deadline,
        rules: Sequence[ConstitutionalText],
    ) -> "tuple[Related | None, tuple[str, ...]]":
        """Return the conversations that are no *rules*, and what was missing."""
        if self.relate is None or occasion is None:
            return None, ()
        try:
            related = self.relate.find(query, occasion, deadline, known=tuple(rule.seq for rule in rules))
        except HardwonError as error:
            return None, (f"no related conversations: {error}",)
        return related, related.degradations

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
        self,
        retrieval: Retrieval,
        selected: Selected,
        rules: Sequence[ConstitutionalText],
        related: "Related | None",
        *,
        framed: bool,
    ) -> Injection:
        sizes = self.repository.sizes()
        total = sum(sizes.values()) + sum(rule.kind != "learning" for rule in rules)
        diagnostics = self._diagnostics(retrieval, total)
        block = MemoryBlock(
            diagnostic=diagnostics.line,
            sizes=sizes,
            framed=framed,
            rules=rules,
            related=related.section.text if related else "",
        )
        kept = block.fit(self.repository.printed([scored.facts.seq for scored in selected.ranked]))
        seqs = {entry.seq for entry in kept}
        return Injection(
            text=block.render(kept),
            rules=tuple(rules),
            printed=tuple(scored for scored in selected.ranked if scored.facts.seq in seqs),
            lessons=tuple(kept),
            retrieval=retrieval,
            selected=selected,
            related=related,
            pending=diagnostics.pending,
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
