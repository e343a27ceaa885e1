"""Answer a question from what is remembered."""

from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.keywords import search_terms, without_frame
from hardwon.domain.model.ranking.collections import PolicyMaker, build_policy
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.policy import Judged, Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import Weights
from hardwon.domain.model.ranking.question import Answer, Question
from hardwon.domain.use_cases.closeness import Closeness
from hardwon.domain.use_cases.rank import RECALL_DEPTH, BestAnswers, Found
from hardwon.domain.use_cases.retrieve import Retrieve, retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

NO_DECAY = Decay(enabled=False)


class Recollection(NamedTuple):
    """
    All that came of a question.

    Attributes:
        answers: Best first.
        query: The text that was searched for, None when nothing was.
        searched: How many entries there were to search.
        found_by_meaning: How many of them have a vector that was compared; 0 when meaning could not be searched.
        found_by_word: How many of them hold a word of the question.
        embedded_by: The model that embedded the question, None when none did.
        numpy_missing: The installation is incomplete: vectors can't be compared.
        degradations: What was missing and why, one line each.

    """

    answers: tuple[Answer, ...] = ()
    query: str | None = None
    searched: int = 0
    found_by_meaning: int = 0
    found_by_word: int = 0
    embedded_by: str | None = None
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class Rated(NamedTuple):
    """
    An entry that answers, by its number alone.

    Attributes:
        seq: The store's number of it.
        score: How well it answers, as the policy measures it.
        parts: What the score is made of.
        vector: Its score by meaning, None when it has none.
        keyword: Its keyword score, None when no word matches.
        relevance: How likely it answers, `[0, 1]`; None where the policy is not calibrated.

    """

    seq: int
    score: float
    parts: Parts
    vector: float | None = None
    keyword: float | None = None
    relevance: float | None = None


class Recall(NamedTuple):
    """
    Find, judge, and leave out what says the same twice.

    Attributes:
        repository: The entries.
        retrieve: Search by meaning and by word.
        clock: For recency.
        weights: What the signals of `hybrid` count for.
        decay: How age tells on an entry, where the policy goes by it.
        first_depth: How deep both lists are read at first.

    """

    repository: RankingReads
    retrieve: Retrieve
    clock: Clock
    weights: Weights
    decay: Decay = Decay()
    first_depth: int = RECALL_DEPTH

    def answer(self, question: Question, deadline: Deadline) -> Recollection:
        """
        Return the best answers to *question*; without words, none.

        Raises:
            StorageError: the store can't be read.
        """
        if not question.text.strip() or question.limit <= 0:
            return Recollection()
        troubles = retire_expired(self.repository, self.clock.now())
        with self.repository.snapshot():
            recollection = self.answer_from(question, self.search(question, deadline))
        return recollection._replace(degradations=(*troubles, *recollection.degradations))

    def search(self, question: Question, deadline: Deadline) -> Found:
        """Return what both searches find; questions that differ in policy may share it if both go `by_passage`, or none."""
        retrieve = self.retrieve._replace(only=question.only, by_passage=question.by_passage)
        retrieval = retrieve.find(without_frame(question.text), deadline, question.keyword_text)
        closeness = Closeness.of(retrieval.spaces)
        context = RankingContext(
            size=self.repository.count(question.only._replace(ranked=True)),
            vectors=retrieval.by_vector.statistics(),
            closest=closeness.closest(),
            background=closeness.background(),
            standardised=retrieval.standardised,
            keywords=retrieval.by_keyword.statistics(),
            window=retrieval.window,
            most_observed=self.repository.most_observed(),
            workplace=question.workplace,
            now=self.clock.now(),
            limit=question.limit,
            terms=search_terms(retrieval.keyword_text or ""),
            decay=self.decay if question.decays else NO_DECAY,
        )
        return Found(retrieval, context, closeness)

    def answer_from(self, question: Question, found: Found, baseline: PolicyMaker | None = None) -> Recollection:
        """
        Return the best answers to *question* of what was found.

        Raises:
            StorageError: the store can't be read.
        """
        rated = self.rank(question, found, baseline)
        entries = self.repository.hydrate([answer.seq for answer in rated])
        return searched(found)._replace(answers=tuple(map(answer_of, entries, rated)))

    def rank(self, question: Question, found: Found, baseline: PolicyMaker | None = None) -> list[Rated]:
        """
        Return the best answers to *question* of what was found, without reading them.

        Args:
            question: What is asked.
            found: What was found for it.
            baseline: Ranks instead of the question's policy.

        Raises:
            StorageError: the store can't be read.

        """
        policy = baseline(found.context) if baseline else build_policy(question.policy, found.context, self.weights)
        depth = max(self.first_depth, question.limit, policy.places)
        best = BestAnswers(self.repository, found, policy, question).best(depth)
        rated, cap = list[Rated](), 1.0
        for judged in best:
            rated.append(_rated(judged, policy, cap))
            cap = cap if judged.relevance is None else min(cap, judged.relevance)
        return rated


def _rated(judged: Judged, policy: RecallPolicy, cap: float) -> Rated:
    """Return *judged* by its number; its relevance is at most *cap*, that of the answers before it."""
    candidate, relevance, parts = judged.candidate, judged.relevance, policy.parts(judged.candidate)
    if relevance is not None:
        relevance, parts = min(cap, relevance), {**parts, "cap": cap}
    return Rated(
        seq=candidate.facts.ranking.seq,
        score=judged.score,
        parts=parts,
        vector=candidate.vector,
        keyword=candidate.keyword,
        relevance=relevance,
    )


def answer_of(entry: "Entry", rated: Rated) -> Answer:
    """Return the answer that *entry* is, as it was *rated*."""
    return Answer(entry, *rated[1:])


def searched(found: Found) -> Recollection:
    """Return how a search went, without an answer."""
    return Recollection(
        query=found.retrieval.query,
        searched=found.context.size,
        found_by_meaning=found.context.vectors.found,
        found_by_word=found.context.keywords.found,
        embedded_by=found.retrieval.embedded_by,
        numpy_missing=found.retrieval.numpy_missing,
        degradations=found.retrieval.degradations,
    )
