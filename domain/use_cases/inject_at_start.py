"""Inject memory at a session start."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import LEARNINGS, NOWHERE, RecallOccasion, Workplace, seen_from
from hardwon.domain.model.injection.block import Diagnostics, MemoryBlock, in_order_of_text
from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.model.injection.entry_text import (
    ConstitutionalText,
    Length,
    PrintedEntry,
    lesson_text,
    units,
    within_budget,
)
from hardwon.domain.model.injection.receipt import (
    MAX_MISSED,
    NO_ROOM,
    NOT_NEW,
    NOT_RELEVANT,
    NOTHING,
    OWED,
    SHOWN_ALREADY,
    TOO_LOW,
    Form,
    HeldMemory,
    NearMiss,
    Receipt,
    ReceiptEntry,
    framed_by,
    text_digest,
)
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.ranking.prominence import RankingPolicy, ScoredCandidate, SignalWeights
from hardwon.domain.model.ranking.selection import CategoryBalancer
from hardwon.domain.model.subjects import words_of_subject
from hardwon.domain.use_cases.rank import (
    CANDIDATES,
    DEPTH_A_PLACE,
    SelectionOutcome,
    maxima_of,
    rank_for_work,
    select,
    select_relevant,
)
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.retrieve import Retrieval, Retrieve, retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads
from hardwon.ports.vectors import VectorStore

if TYPE_CHECKING:
    from hardwon.domain.use_cases.related_conversations import (
        RelateConversations,
        RelatedConversations,
    )
    from hardwon.ports.activity import Receipts


FEW = 5
"""The maximum number of lessons that a host gets by track record alone."""


class StartInjection(NamedTuple):
    """
    The block to print, and how it was chosen.

    Attributes:
        printed: The scores of the other lessons in it, best first.
        related: The conversations in it; None if they were not searched for.
        degradations: The missing parts with their reasons, one line each.
        held: The memory that the agent had before.
    """

    text: str = ""
    rules: tuple[ConstitutionalText, ...] = ()
    printed: tuple[ScoredCandidate, ...] = ()
    lessons: tuple[PrintedEntry, ...] = ()
    retrieval: Retrieval | None = None
    selected: SelectionOutcome | None = None
    related: "RelatedConversations | None" = None
    degradations: tuple[str, ...] = ()
    pending: int = 0
    held: HeldMemory = NOTHING

    @property
    def numbers(self) -> list[int]:
        """The numbers of all entries in it."""
        conversations = self.related.section.numbers if self.related else ()
        return [
            *(rule.number for rule in self.rules),
            *(scored.facts.number for scored in self.printed),
            *conversations,
        ]


class _Found(NamedTuple):
    """
    The result of the searches, and the selection from it.

    Attributes:
        limit: The maximum number of lessons.
    """

    retrieval: Retrieval
    select: Callable[[CategoryBalancer], SelectionOutcome]
    limit: int


class InjectAtStart(NamedTuple):
    """
    Find, rank and balance lessons, and render the block.

    Attributes:
        vectors: Counts entries without a vector; None without an embedder.
        notice: A line about this project for the block; may be empty.
        refused: The settings that files of the project may not give, for the diagnostic line of a
            host.
        held: The memory that the agent has already. If it holds a block, only new rules and lessons
            are added.
        length: How the host counts the length of the block.
        receipts: Have the outcomes that show which entries did harm; None for no such check.
    """

    repository: RankingReads
    retrieve: Retrieve
    vectors: VectorStore | None
    clock: Clock
    weights: SignalWeights
    relate: "RelateConversations | None" = None
    notice: str = ""
    refused: Sequence[str] = ()
    held: HeldMemory = NOTHING
    length: Length = units
    receipts: "Receipts | None" = None

    def block_for(
        self,
        query: ContextQuery,
        *,
        limit: int,
        deadline: Deadline,
        workplace: Workplace = NOWHERE,
        framed: bool = False,
        occasion: RecallOccasion | None = None,
    ) -> StartInjection:
        """
        Return the block of at most *limit* entries for *query*.

        Conversations come last; a failure to find them affects nothing else.

        Args:
            query: The user's current work.
            limit: The maximum number of entries, not counting constitutional ones; below 1 nothing
                is printed.
            deadline: The end of the time for searching.
            workplace: Where the user works; decides which entries may be shown.
            framed: For a host: with the block's beginning and end marked, and only lessons that
                matter to the present work. If none does, a few of this project or the user's
                own.
            occasion: The reason to recall conversations; None for no conversations.
        """
        if limit <= 0:
            return StartInjection()
        problems = retire_expired(self.repository, self.clock.now())
        with self.repository.snapshot():
            self.repository.prefetch(
                lambda: self._first_reads(query, workplace, limit, deadline=deadline, framed=framed)
            )
            rules = within_budget(
                map(workplace.labelled, self.repository.constitutional(seen_from(workplace)))
            )
            rules = [rule for rule in rules if rule.entry_id not in self.held.entries]
            if not framed:
                rules = [rule._replace(citations=()) for rule in rules]
            search = self._relevant if framed else self._scored
            found = search(query, workplace, limit, deadline=deadline)
            selected = self._select(found, rules=rules, distinct=framed)
            related, missing = self._related(query, occasion, deadline=deadline, rules=rules)
            injection = self._block(
                found.retrieval,
                selected,
                rules=rules,
                related=related,
                workplace=workplace,
                framed=framed,
            )
        noted = dict.fromkeys((*problems, *found.retrieval.degradations, *missing))
        return injection._replace(degradations=tuple(noted))

    def _related(
        self,
        query: ContextQuery,
        occasion: RecallOccasion | None,
        deadline: Deadline,
        rules: Sequence[ConstitutionalText],
    ) -> "tuple[RelatedConversations | None, tuple[str, ...]]":
        if self.relate is None or occasion is None or self.held.has_block:
            return None, ()
        try:
            related = self.relate.section_in_snapshot(
                query, occasion, deadline, except_for=tuple(rule.number for rule in rules)
            )
        except HardwonError as error:
            return None, (f"no related conversations: {error}",)
        return related, related.degradations

    def _relevant(
        self, query: ContextQuery, workplace: Workplace, limit: int, *, deadline: Deadline
    ) -> _Found:
        """Search for lessons on the present work, else a few by track record."""
        retrieval = Retrieval(query=None)
        if query.public:
            question = self._question(query, workplace, limit=CANDIDATES + limit)
            found = self._recall(question).search(question, deadline)
            retrieval = found.retrieval
            choose = partial(select_relevant, rank_for_work(found, self.repository, question))
            if choose(CategoryBalancer(limit)).ranked:
                return _Found(retrieval, choose, limit)
        own = _as_own(workplace)
        by_record = self._scored(ContextQuery(), own, min(limit, FEW), deadline=deadline)
        return by_record._replace(retrieval=retrieval)

    def _first_reads(
        self,
        query: ContextQuery,
        workplace: Workplace,
        limit: int,
        *,
        deadline: Deadline,
        framed: bool,
    ) -> None:
        """Read what a start reads, whatever is found."""
        self.repository.constitutional(seen_from(workplace))
        self.repository.sizes(workplace.visibility)
        self._count_pending(workplace.visibility)
        if framed:
            self._harmful()
            if query.public:
                question = self._question(query, workplace, limit=CANDIDATES + limit)
                self._recall(question).first_reads(question, deadline)
            else:
                self.repository.sizes(_as_own(workplace).visibility)

    def _recall(self, question: RecallQuestion) -> Recall:
        return Recall(
            self.repository,
            self.retrieve,
            self.clock,
            weights=self.weights,
            first_depth=DEPTH_A_PLACE * question.limit,
        )

    def _question(self, query: ContextQuery, workplace: Workplace, *, limit: int) -> RecallQuestion:
        text = query.public or ""
        return RecallQuestion(
            text=text,
            only=self.retrieve.only._replace(visible_in=workplace.visibility),
            policy="adaptive",
            limit=limit,
            minimum=None,
            workplace=workplace,
            distinct=False,
            keyword_text=f"{query.keyword_text} {words_of_subject(text)}".rstrip(),
            in_any_spelling=False,
        )

    def _scored(
        self, query: ContextQuery, workplace: Workplace, limit: int, *, deadline: Deadline
    ) -> _Found:
        """Search for lessons by *query*, to be ranked by the weighted signals."""
        seen = workplace.visibility
        retrieve = self.retrieve._replace(only=self.retrieve.only._replace(visible_in=seen))
        retrieval = retrieve.search(query.public, deadline, query.keyword_text)
        policy = RankingPolicy(
            weights=self.weights,
            maxima=maxima_of(retrieval, self.repository, seen),
            now=self.clock.now(),
            own=workplace.own,
        )

        def choose(balancer: CategoryBalancer) -> SelectionOutcome:
            return select(
                retrieval, self.repository, policy=policy, balancer=balancer, visible_in=seen
            )

        return _Found(retrieval, choose, limit)

    def _select(
        self, found: _Found, rules: Sequence[ConstitutionalText], *, distinct: bool
    ) -> SelectionOutcome:
        """
        Choose new entries that are not among *rules*.

        With *distinct*, entries are left out that another one probably replaces, or that did harm.
        Entries whose cited files are all gone come last.
        """
        harmful = self._harmful() if distinct else frozenset()
        rule_numbers, dropped = {rule.number for rule in rules}, 0
        while True:
            selected = found.select(CategoryBalancer(found.limit + dropped))
            numbers = [scored.facts.number for scored in selected.ranked]
            self.repository.prefetch(partial(self._last_reads, numbers))
            left_out = (
                rule_numbers | self.repository.outdated(numbers) if distinct else rule_numbers
            )
            ranked = [
                scored
                for scored in selected.ranked
                if scored.facts.number not in left_out
                and scored.facts.entry_id not in {*self.held.entries, *harmful}
            ]
            present = [scored for scored in ranked if not (distinct and scored.facts.is_gone)]
            if len(selected.ranked) - len(present) <= dropped:
                gone = [scored for scored in ranked if scored not in present]
                chosen = (*present, *gone)[: found.limit]
                return selected._replace(ranked=tuple(filter(self._is_new, chosen)))
            dropped = len(selected.ranked) - len(present)

    def _last_reads(self, numbers: Sequence[int]) -> None:
        """Read what the block prints of the chosen ones."""
        self.repository.outdated(numbers)
        self.repository.printed(numbers)

    def _harmful(self) -> frozenset[str]:
        return Credits.of(self.receipts.outcomes()).harmful if self.receipts else frozenset()

    def _is_new(self, scored: ScoredCandidate) -> bool:
        return self.held.is_new(scored.facts.entry_id, scored.facts.number)

    def _block(
        self,
        retrieval: Retrieval,
        selected: SelectionOutcome,
        rules: Sequence[ConstitutionalText],
        related: "RelatedConversations | None",
        workplace: Workplace,
        *,
        framed: bool,
    ) -> StartInjection:
        sizes = self.repository.sizes(workplace.visibility)
        total = sum(sizes.values()) + sum(rule.kind != "learning" for rule in rules)
        diagnostics = self._diagnostics(retrieval, total, workplace.visibility)
        diagnostics = diagnostics._replace(refused=self.refused if framed else ())
        block = MemoryBlock(
            diagnostic=diagnostics.line,
            sizes=sizes,
            framed=framed,
            rules=rules,
            related=related.section.text if related else "",
            notice=self.notice,
            length=self.length,
        )
        ranked = self.repository.printed([scored.facts.number for scored in selected.ranked])
        if not framed:
            ranked = [entry._replace(citations=()) for entry in ranked]
        kept = block.fit([*map(workplace.labelled, ranked)])
        numbers = {entry.number for entry in kept}
        return StartInjection(
            text=block.render(kept),
            rules=tuple(rules),
            printed=tuple(scored for scored in selected.ranked if scored.facts.number in numbers),
            lessons=tuple(kept),
            retrieval=retrieval,
            selected=selected,
            related=related,
            pending=diagnostics.pending,
            held=self.held,
        )

    def _diagnostics(self, retrieval: Retrieval, total: int, visible_in: Visibility) -> Diagnostics:
        return Diagnostics(
            total=total,
            vector=retrieval.by_vector.count(),
            keyword=retrieval.by_keyword.count(),
            pending=self._count_pending(visible_in),
            query=retrieval.query,
            model=retrieval.embedded_by,
            numpy_missing=retrieval.numpy_missing,
        )

    def _count_pending(self, visible_in: Visibility) -> int:
        if not self.vectors:
            return 0
        return self.vectors.count_pending(LEARNINGS._replace(visible_in=visible_in))


def _as_own(workplace: Workplace) -> Workplace:
    """Return *workplace* with the user's own entries only."""
    return workplace._replace(visibility=workplace.visibility._replace(is_foreign=True))


class _Piece(NamedTuple):
    """A part of the text and its line in the receipt."""

    text: str
    shown: ReceiptEntry


def receipt_of_start(
    injection: StartInjection, *, session_id: str, project: str, at: dt.datetime
) -> Receipt:
    """Return the receipt of *injection*, whose text is not empty."""
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
        policy=selected.policy if selected else "none",
        digest=text_digest(injection.text),
        frame=framed_by(injection.text, [piece.text for piece in pieces]),
        shown=tuple(piece.shown for piece in pieces),
        missed=_missed(injection, selected) if selected else (),
    )


def _rules(injection: StartInjection) -> Iterator[_Piece]:
    for rule in injection.rules:
        yield _labelled(_piece(rule.entry_id, "note", rule.text), rule)


def _lessons(injection: StartInjection) -> Iterator[_Piece]:
    scored = {lesson.facts.number: lesson for lesson in injection.printed}
    for lesson in in_order_of_text(injection.lessons):
        facts = scored[lesson.number].facts
        piece = _labelled(_piece(facts.entry_id, "lesson", lesson_text(lesson)), lesson)
        yield _scored(piece, scored[lesson.number], injection)


def _labelled(piece: _Piece, entry: PrintedEntry | ConstitutionalText) -> _Piece:
    return piece._replace(shown=piece.shown._replace(origin=entry.origin, warning=entry.warning))


def _scored(piece: _Piece, scored: ScoredCandidate, injection: StartInjection) -> _Piece:
    parts = injection.selected.parts[scored.facts.number] if injection.selected else {}
    if scored.relevance is not None:
        parts = {**parts, "relevance": scored.relevance}
    return piece._replace(shown=piece.shown._replace(score=scored.score, parts=parts))


def _conversations(injection: StartInjection) -> Iterator[_Piece]:
    if injection.related is None:
        return
    rated = {answer.number: answer for answer in injection.related.nearby.best}
    for line in injection.related.section.lines:
        piece = _piece(line.conversation.entry_id, "conversation", line.text, room=line.room)
        if found := rated.get(line.conversation.number):
            piece = piece._replace(shown=piece.shown._replace(score=found.score, parts=found.parts))
        yield piece


def _piece(entry_id: str, form: Form, text: str, *, room: int = 0) -> _Piece:
    return _Piece(text, ReceiptEntry(entry_id, form, text_digest(text), room=room))


def _missed(injection: StartInjection, selected: SelectionOutcome) -> tuple[NearMiss, ...]:
    known = {
        *(rule.number for rule in injection.rules),
        *(scored.facts.number for scored in injection.printed),
    }
    others = (scored for scored in selected.seen if scored.facts.number not in known)
    nearest = islice(others, MAX_MISSED)
    return tuple(
        NearMiss(missed.facts.entry_id, missed.score, _why(missed, selected, injection.held))
        for missed in nearest
    )


def _why(missed: ScoredCandidate, selected: SelectionOutcome, held: HeldMemory) -> str:
    if missed.facts.entry_id in held.entries:
        return SHOWN_ALREADY
    if not held.is_new(missed.facts.entry_id, missed.facts.number):
        return NOT_NEW
    if missed in selected.ranked:
        return NO_ROOM
    if not missed.is_relevant:
        return NOT_RELEVANT
    last = selected.ranked[-1].score if selected.ranked else 0.0
    return OWED if missed.score > last else TOO_LOW
