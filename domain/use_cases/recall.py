"""Answer a question from the store: retrieve, rank, and leave out duplicates."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.citations import citations_of, tokens_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import COLLECTIONS, EntryFilter
from hardwon.domain.model.keywords import LONGEST_PROMPT, search_terms, without_frame
from hardwon.domain.model.prompt_terms import decisive_terms, identifiers
from hardwon.domain.model.ranking.collections import PolicyMaker, build_policy
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.policy import (
    JudgedCandidate,
    Parts,
    RankingContext,
    RecallAnswer,
    RecallPolicy,
    RecallQuestion,
)
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from hardwon.domain.use_cases.rank import RECALL_DEPTH, BestAnswers, QuestionMatches
from hardwon.domain.use_cases.retrieve import (
    WORD_SECONDS,
    Closeness,
    NoMatches,
    Retrieve,
    retire_expired,
)
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

NO_DECAY = Decay(enabled=False)

MAX_ELSEWHERE = 100
"""The number of answers examined to count those elsewhere."""

PER_SOURCE = 2
"""
The number of answers ranked for each one returned.

A conversation and a decision in it are one source.
"""


class RecallAnswers(NamedTuple):
    """
    The answers to a question, with diagnostics.

    Attributes:
        query: The search text, None without a search.
        found_by_meaning: The number of them with a compared vector; 0 without a semantic search.
        found_by_word: The number of them that contain a word of the question.
        embedded_by: The model that embedded the question, None without one.
        degradations: The missing parts with their reasons, one line each.
    """

    answers: tuple[RecallAnswer, ...] = ()
    query: str | None = None
    searched: int = 0
    found_by_meaning: int = 0
    found_by_word: int = 0
    embedded_by: str | None = None
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class AnswerRating(NamedTuple):
    """
    The rating of an entry as an answer.

    Attributes:
        vector: Its semantic score, None without one.
        keyword: Its keyword score, None without a matching word.
        relevance: The estimated probability of relevance, `[0, 1]`; None if the policy is not
            calibrated.
    """

    number: int
    score: float
    parts: Parts
    vector: float | None = None
    keyword: float | None = None
    relevance: float | None = None


class Recall(NamedTuple):
    """
    Retrieve, rank, and leave out duplicates.

    Attributes:
        first_depth: The initial depth of both lists.
    """

    repository: RankingReads
    retrieve: Retrieve
    clock: Clock
    weights: SignalWeights
    decay: Decay = Decay()
    first_depth: int = RECALL_DEPTH

    def answer(self, question: RecallQuestion, deadline: Deadline) -> RecallAnswers:
        """Return the best answers to *question*, none for an empty text."""
        if not question.text.strip() or question.limit <= 0:
            return RecallAnswers()
        problems = retire_expired(self.repository, self.clock.now())
        with self.repository.snapshot():
            recollection = self.answer_in_snapshot(question, deadline)
        return recollection._replace(degradations=(*problems, *recollection.degradations))

    def answer_in_snapshot(self, question: RecallQuestion, deadline: Deadline) -> RecallAnswers:
        """Answer within a snapshot, after what has expired was retired."""
        return self.answer_from(question, self.search(question, deadline))

    def relevant_elsewhere(
        self, question: RecallQuestion, everywhere: EntryFilter, deadline: Deadline
    ) -> int:
        """
        Return how many relevant answers *everywhere* are outside the question's scope.

        The threshold of relevance is the question's minimum, or that of `recall` over everything
        where it has none.
        """
        if not question.text.strip():
            return 0
        counted = (everywhere, question.only)
        self.repository.prefetch(lambda: [*map(self.repository.count, counted)])
        if self.repository.count(everywhere) <= self.repository.count(question.only):
            return 0
        wanted = question if question.minimum else calibrated(question)
        wanted = wanted._replace(only=everywhere, limit=MAX_ELSEWHERE)
        with self.repository.snapshot():
            found = tuple(
                rated.number for rated in self.rank(wanted, self.search(wanted, deadline))
            )
            return len(found) - self.repository.count(question.only._replace(among=found))

    def search(self, question: RecallQuestion, deadline: Deadline) -> QuestionMatches:
        """
        Run both searches.

        Questions with other policies may share the result if `by_passage` is equal.
        """
        self.repository.prefetch(lambda: self.first_reads(question, deadline))
        retrieval = self._retrieve(question).search(
            without_frame(question.text), deadline, question.keyword_text
        )
        closeness = Closeness.of(retrieval.spaces)
        context = RankingContext(
            size=self._size(question),
            vectors=retrieval.by_vector.statistics(),
            closest=closeness.closest(),
            background=closeness.background(),
            standardised=retrieval.standardised,
            keywords=retrieval.by_keyword.statistics(),
            window=retrieval.window,
            most_observed=self.repository.most_observed(question.only.visible_in),
            workplace=question.workplace,
            now=self.clock.now(),
            limit=question.limit,
            terms=search_terms(retrieval.keyword_text or ""),
            decay=self.decay if question.decays else NO_DECAY,
        )
        return self._held(question, QuestionMatches(retrieval, context, closeness), deadline)

    def first_reads(self, question: RecallQuestion, deadline: Deadline) -> None:
        """Read what `search` reads, whatever is found."""
        self._size(question)
        self.repository.most_observed(question.only.visible_in)
        self._retrieve(question).first_reads(
            without_frame(question.text), deadline, question.keyword_text
        )

    def _size(self, question: RecallQuestion) -> int:
        return self.repository.count(question.only._replace(ranked=True))

    def _retrieve(self, question: RecallQuestion) -> Retrieve:
        return self.retrieve._replace(
            only=question.only,
            by_passage=question.by_passage,
            in_any_spelling=question.in_any_spelling,
            depth=self.first_depth,
        )

    def _held(
        self, question: RecallQuestion, found: QuestionMatches, deadline: Deadline
    ) -> QuestionMatches:
        """Return *found* with the entries that hold all that a precise question asks for."""
        retrieval, has_minimum = found.retrieval, question.minimum is not None
        text, by_keyword = retrieval.keyword_text or "", retrieval.by_keyword
        is_word = len(text.split()) == 1
        wanted = retrieval.terms if is_word else decisive_terms(text, retrieval.terms)
        if not wanted or not (is_word or has_minimum):
            return found
        match = partial(
            self.retrieve.keywords.match,
            only=question.only,
            deadline=deadline.within(WORD_SECONDS),
        )
        try:
            citing = match(_terms_that_cite(text), "any") if has_minimum else NoMatches()
            if len(wanted) > 1:
                by_keyword = match(wanted, "all")
        except KeywordIndexUnavailableError:
            return found
        if len(wanted) == 1 and by_keyword.count() > 1 and not identifiers(text):
            return found._replace(holding=(citing,))
        named = by_keyword.top(1)[0].number if is_word and by_keyword.count() == 1 else None
        return found._replace(named=named, holding=(by_keyword, citing) if has_minimum else ())

    def answer_from(
        self, question: RecallQuestion, found: QuestionMatches, baseline: PolicyMaker | None = None
    ) -> RecallAnswers:
        """Return the best answers to *question* among those *found*."""
        wanted = (
            question._replace(limit=PER_SOURCE * question.limit) if question.distinct else question
        )
        rated = self.rank(wanted, found, baseline)
        return searched(found)._replace(answers=self._first(rated, question))

    def _first(
        self, rated: Sequence[AnswerRating], question: RecallQuestion
    ) -> "tuple[RecallAnswer, ...]":
        """Return the answers among *rated*, without reading more entries than needed."""
        answers = tuple[RecallAnswer, ...]()
        while rated and len(answers) < question.limit:
            some, rated = rated[: question.limit], rated[question.limit :]
            read = self.repository.hydrate([answer.number for answer in some])
            entries = {entry.number: entry for entry in read}
            answers += tuple(
                answer_of(entries[answer.number], answer)
                for answer in some
                if answer.number in entries
            )
            answers = one_a_source(answers) if question.distinct else answers
        return answers[: question.limit]

    def rank(
        self, question: RecallQuestion, found: QuestionMatches, baseline: PolicyMaker | None = None
    ) -> list[AnswerRating]:
        """
        Return the ratings of the best answers to *question* among those *found*.

        A *baseline* replaces the question's policy.
        """
        policy = (
            baseline(found.context)
            if baseline
            else build_policy(question.policy, found.context, self.weights)
        )
        depth = max(self.first_depth, question.limit, policy.places)
        best = sorted(self._best(question, found, policy=policy, depth=depth), key=_is_outdated)
        rated, cap = list[AnswerRating](), 1.0
        for judged in best:
            rated.append(_rated(judged, policy, cap))
            cap = cap if judged.relevance is None else min(cap, judged.relevance)
        return rated

    def _best(
        self, question: RecallQuestion, found: QuestionMatches, policy: RecallPolicy, depth: int
    ) -> Sequence[JudgedCandidate]:
        """
        Return the best answers.

        Unless duplicates are wanted, those that another answer probably replaces are left out.
        """
        wanted = question
        while True:
            best = BestAnswers(self.repository, found, policy=policy, wanted=wanted).best(depth)
            outdated = (
                self.repository.outdated([judged.number for judged in best])
                if question.distinct
                else frozenset[int]()
            )
            kept = [
                judged
                for judged in best
                if judged.number not in outdated or policy.is_named(judged.candidate)
            ]
            if len(kept) >= question.limit or len(best) < wanted.limit:
                return kept[: question.limit]
            wanted = wanted._replace(limit=wanted.limit + len(outdated))


def _terms_that_cite(question: str) -> tuple[str, ...]:
    """
    Return the terms of entries that cite a file which *question* names.

    A question of one identifier may be the name without its ending.
    """
    files = (cited for cited in citations_of((question[:LONGEST_PROMPT],)) if cited.kind == "file")
    names = identifiers(question) if len(question.split()) == 1 else ()
    return (*tokens_of(files), *map("".join, names))


def _is_outdated(judged: JudgedCandidate) -> bool:
    return judged.candidate.facts.ranking.is_outdated


def _rated(judged: JudgedCandidate, policy: RecallPolicy, cap: float) -> AnswerRating:
    """
    Return the rating of *judged*.

    Its relevance is capped at *cap*, that of the answers before it.
    """
    candidate, relevance, parts = judged.candidate, judged.relevance, policy.parts(judged.candidate)
    if relevance is not None:
        relevance, parts = min(cap, relevance), {**parts, "cap": cap}
    if policy.is_named(candidate):
        parts = {**parts, "named": 1.0}
    return AnswerRating(
        number=judged.number,
        score=judged.score,
        parts=parts,
        vector=candidate.vector,
        keyword=candidate.keyword,
        relevance=relevance,
    )


def one_a_source(answers: "tuple[RecallAnswer, ...]") -> "tuple[RecallAnswer, ...]":
    """
    Return *answers* with only the best of each source.

    A conversation and what was taken from it are one source.
    """
    kept = list[RecallAnswer]()
    for answer in answers:
        if not any(_are_of_one_source(answer.entry, better.entry) for better in kept):
            kept.append(answer)
    return tuple(kept)


def _are_of_one_source(one: "Entry", other: "Entry") -> bool:
    if (one.kind == "conversation") == (other.kind == "conversation") or (
        one.session_id,
        one.project,
    ) != (
        other.session_id,
        other.project,
    ):
        return False
    talk, part = (one, other) if one.kind == "conversation" else (other, one)
    return (
        part.kind in CONVERSATION_KINDS and part.description.partition("\n")[0] in talk.description
    )


def calibrated(question: RecallQuestion) -> RecallQuestion:
    """Return *question* with the calibrated policy and minimum of all collections."""
    everything = COLLECTIONS["all"]
    return question._replace(policy=everything.policy, minimum=everything.minimum)


def answer_of(entry: "Entry", rated: AnswerRating) -> RecallAnswer:
    """Return *entry* as an answer with its rating."""
    return RecallAnswer(entry, *rated[1:])


def searched(found: QuestionMatches) -> RecallAnswers:
    """Return the diagnostics of a search, without answers."""
    return RecallAnswers(
        query=found.retrieval.query,
        searched=found.context.size,
        found_by_meaning=found.context.vectors.found,
        found_by_word=found.context.keywords.found,
        embedded_by=found.retrieval.embedded_by,
        numpy_missing=found.retrieval.numpy_missing,
        degradations=found.retrieval.degradations,
    )
