"""
From what the user is working on to the text the agent reads.

What the injection at a session's start leaves behind.

Keep what an injection leaves behind. Made of tuples, for the hook.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import HardwonError, StorageError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.injection.block import Diagnostics, MemoryBlock, in_order_of_text
from hardwon.domain.model.injection.entry_text import PrintedEntry, piece_text
from hardwon.domain.model.injection.receipt import (
    MAX_MISSED,
    NO_ROOM,
    OWED,
    TOO_LOW,
    Form,
    NearMiss,
    Receipt,
    Shown,
    framed_by,
    text_digest,
)
from hardwon.domain.model.injection.rules import ConstitutionalText, within_budget
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer
from hardwon.domain.model.ranking.prominence import RankingPolicy, Scored, Weights
from hardwon.domain.model.settings import Occasion
from hardwon.domain.use_cases.rank import Selected, select, whole_store_maxima
from hardwon.domain.use_cases.retrieve import Retrieval, Retrieve, retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads
from hardwon.ports.vectors import VectorStore

if TYPE_CHECKING:
    from hardwon.domain.use_cases.related_conversations import Relate, Related
    from hardwon.ports.activity import Receipts, UsageLog


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

    repository: RankingReads
    retrieve: Retrieve
    vectors: VectorStore | None
    clock: Clock
    weights: Weights
    relate: "Relate | None" = None

    def block_for(
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
            retrieval = self.retrieve.find(query.public, deadline, query.keyword_text)
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


class _Piece(NamedTuple):
    """A part of the text with what is known of it."""

    text: str
    shown: Shown


def receipt_of_start(injection: Injection, *, session_id: str, project: str, at: dt.datetime) -> Receipt:
    """
    Return the receipt of *injection*, which printed a text.

    Args:
        injection: What was printed.
        session_id: The session, as the host names it; may be empty.
        project: The name of the user's project.
        at: When it was printed.

    """
    pieces = [*_rules(injection), *_lessons(injection), *_conversations(injection)]
    retrieval, selected = injection.retrieval, injection.selected
    return Receipt(
        session_id=session_id,
        event="start",
        at=at,
        project=project,
        query=retrieval.query if retrieval else None,
        keyword_text=retrieval.keyword_text if retrieval else None,
        space=retrieval.embedded_by if retrieval else None,
        policy=selected.policy.name if selected else "none",
        digest=text_digest(injection.text),
        frame=framed_by(injection.text, [piece.text for piece in pieces]),
        shown=tuple(piece.shown for piece in pieces),
        missed=_missed(injection, selected) if selected else (),
    )


def _rules(injection: Injection) -> Iterator[_Piece]:
    for rule in injection.rules:
        yield _piece(rule.entry_id, "note", rule.text)


def _lessons(injection: Injection) -> Iterator[_Piece]:
    scored = {each.facts.seq: each for each in injection.printed}
    for lesson in in_order_of_text(injection.lessons):
        piece = _piece(scored[lesson.seq].facts.entry_id, "lesson", piece_text("lesson", lesson))
        yield _scored(piece, scored[lesson.seq], injection)


def _scored(piece: _Piece, scored: Scored, injection: Injection) -> _Piece:
    parts = injection.selected.policy.parts(scored.signals) if injection.selected else {}
    return piece._replace(shown=piece.shown._replace(score=scored.score, parts=parts))


def _conversations(injection: Injection) -> Iterator[_Piece]:
    if injection.related is None:
        return
    rated = {each.seq: each for each in injection.related.nearby.best}
    for line in injection.related.section.lines:
        piece = _piece(line.conversation.entry_id, "conversation", line.text, line.room)
        if found := rated.get(line.conversation.seq):
            piece = piece._replace(shown=piece.shown._replace(score=found.score, parts=found.parts))
        yield piece


def _piece(entry_id: str, form: Form, text: str, room: int = 0) -> _Piece:
    return _Piece(text, Shown(entry_id, form, text_digest(text), room=room))


def _missed(injection: Injection, selected: Selected) -> tuple[NearMiss, ...]:
    """Return the best lessons that were ranked and are not in the text."""
    known = {*(rule.seq for rule in injection.rules), *(each.facts.seq for each in injection.printed)}
    others = (scored for scored in selected.seen if scored.facts.seq not in known)
    return tuple(NearMiss(each.facts.entry_id, each.score, _why(each, selected)) for each in islice(others, MAX_MISSED))


def _why(missed: Scored, selected: Selected) -> str:
    if missed in selected.ranked:
        return NO_ROOM
    last = selected.ranked[-1].score if selected.ranked else 0.0
    return OWED if missed.score > last else TOO_LOW


class RecordInjection(NamedTuple):
    """
    Count what was injected and keep the receipt of it, together or not at all.

    Attributes:
        usage: Counts it.
        receipts: Keep the receipt.
        transaction: A context in which all changes happen together; raises StorageError, soon, when the store is busy.

    """

    usage: "UsageLog"
    receipts: "Receipts"
    transaction: Callable[[], AbstractContextManager[None]]

    def record(self, receipt: "Receipt", seqs: Sequence[int]) -> tuple[str, ...]:
        """
        Record *receipt* and that the entries of the numbers *seqs* were injected.

        Returns:
            What was lost and why, one line each: a store that can't be written now never costs the session's time.

        """
        try:
            with self.transaction():
                self.usage.record_recall(seqs, receipt.at)
                self.receipts.record(receipt)
        except StorageError as error:
            return (f"recall not counted, no receipt kept: {error}",)
        return ()
