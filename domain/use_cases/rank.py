"""Choose the best answers, and the lessons of a session start."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge
from itertools import chain, islice, product
from typing import NamedTuple

from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.adaptive import PresentWorkPolicy
from hardwon.domain.model.ranking.candidates import (
    Candidate,
    IndexHit,
    RankingFacts,
    RecallCandidate,
    RecallFacts,
)
from hardwon.domain.model.ranking.policy import (
    JudgedCandidate,
    Parts,
    RankingContext,
    RecallPolicy,
    RecallQuestion,
    judge,
)
from hardwon.domain.model.ranking.prominence import (
    RECALL_CAP,
    Maxima,
    RankingPolicy,
    ScoredCandidate,
    Signals,
    TrackRecord,
    track_record,
)
from hardwon.domain.model.ranking.selection import (
    CategoryBalancer,
    Head,
    Selection,
    first_exact,
    in_order,
)
from hardwon.domain.model.subjects import shared_subjects, subjects_of
from hardwon.domain.model.vocabulary import Category
from hardwon.domain.use_cases.retrieve import Closeness, Retrieval
from hardwon.ports.entries import RankingReads
from hardwon.ports.override import override
from hardwon.ports.vectors import Matches

RECALL_DEPTH = 32
"""The initial depth of both lists. Mostly enough."""

BATCH = 32
"""The number of candidates judged at first, at least as many as are wanted."""


class QuestionMatches(NamedTuple):
    """
    The results of both searches for one question.

    Attributes:
        context: The statistics of the matches, and the other inputs of policies.
        holding: The entries that hold all that a precise question asks for, or cite the file that
            it names; they are above the threshold.
        named: The only entry that holds the single word asked for; None without one.
    """

    retrieval: Retrieval
    context: RankingContext
    closeness: Closeness = Closeness()
    holding: tuple[Matches, ...] = ()
    named: int | None = None


class _Lists(NamedTuple):
    """The heads of both lists, read to the same depth."""

    depth: int
    by_vector: Sequence[IndexHit]
    by_keyword: Sequence[IndexHit]


class _Bounded(NamedTuple):
    """A candidate with unread facts, and the upper bound of its score."""

    number: int
    candidate: RecallCandidate
    upper_bound: float


class BestAnswers:
    """
    Choose the best answers by the threshold algorithm.

    It reads the facts of as few entries as possible, and terminates early twice: both lists are
    read no deeper than needed, and candidates are judged in the order of their upper bounds only
    while they may be among the best.
    """

    def __init__(
        self,
        repository: RankingReads,
        found: QuestionMatches,
        policy: RecallPolicy,
        wanted: RecallQuestion,
    ) -> None:
        self._repository = repository
        self._retrieval, self._context, self._closeness, self._holding, self._named = found
        self._policy = policy
        self._wanted = wanted
        self._best_facts = _best_possible(self._context)
        self._most_touched = len(self._context.workplace.touched_files)

    def best(self, depth: int) -> Sequence[JudgedCandidate]:
        """
        Return the best answers, exactly as if every entry were judged.

        The initial *depth* of both lists grows as needed.
        """
        selection = first_exact(self._heads(depth), self._select)[0]
        return (*selection.owed, *selection.by_score)

    def _heads(self, depth: int) -> Iterator[Head[JudgedCandidate]]:
        """
        Yield ever more judged candidates, the highest upper bounds first.

        Both lists are read further when an unread entry may have a higher one; only those above it
        are judged. Those that can't be chosen are left out.
        """
        judged, waiting, listed = list[JudgedCandidate](), list[_Bounded](), set[int]()
        unread, highest = list[float](), math.inf
        while True:
            if not waiting or waiting[0].upper_bound < highest:
                lists = _Lists(
                    depth,
                    self._retrieval.by_vector.top(depth),
                    self._retrieval.by_keyword.top(depth),
                )
                waiting = sorted((*waiting, *self._bounded(lists, listed)), key=self._order)
                self._read_ahead(waiting[: 2 * max(BATCH, self._wanted.limit)])
                unread = [
                    bounded.upper_bound
                    for bounded in self._admissible((0, best) for best in self._unseen(lists))
                ]
                highest, depth = max(unread, default=-math.inf), 2 * depth
            size = max(BATCH, self._wanted.limit, len(judged))
            batch = [known for known in waiting[:size] if self._is_ahead(known, highest)]
            judged = judge(self._policy, self._known(batch), judged)
            waiting = waiting[len(batch) :]
            others = [*unread, *(known.upper_bound for known in waiting[:1])]
            yield Head(judged, {None: max(others)} if others else {})

    def _is_ahead(self, known: _Bounded, unread: float) -> bool:
        """Return whether no *unread* entry, of that upper bound, has to be judged before."""
        return known.upper_bound >= unread or self._policy.is_named(known.candidate)

    def _order(self, known: _Bounded) -> tuple[bool, float, int]:
        return not self._policy.is_named(known.candidate), -known.upper_bound, known.number

    def _select(self, judged: Sequence[JudgedCandidate]) -> Selection[JudgedCandidate]:
        """
        Select from *judged*.

        The entry that the question names is owed its place, whatever its score.
        """
        chosen = tuple(islice(_admitted(judged, self._wanted), self._wanted.limit))
        owed = sum(self._policy.is_named(answer.candidate) for answer in chosen[:1])
        return Selection(chosen[:owed], chosen[owed:], self._wanted.limit)

    def _bounded(self, lists: _Lists, listed: set[int]) -> Iterator[_Bounded]:
        """
        Return the candidates of *lists*, and the named one, that may be admitted.

        Those *listed* before are left out: no policy looks at their further places.
        """
        vector_places = {hit.number: place for place, hit in enumerate(lists.by_vector, 1)}
        keyword_places = {hit.number: place for place, hit in enumerate(lists.by_keyword, 1)}
        numbers = vector_places.keys() | keyword_places.keys()
        if self._named is not None:
            numbers.add(self._named)
        numbers -= listed
        listed |= numbers
        vectors, keywords = (
            self._retrieval.by_vector.scores(numbers),
            self._retrieval.by_keyword.scores(numbers),
        )
        closeness = self._closeness.scores(vectors)
        holding = {number for held in self._holding for number in held.scores(numbers)}
        candidates = {
            number: RecallCandidate(
                self._best_facts,
                vector=vectors.get(number),
                keyword=keywords.get(number),
                vector_place=vector_places.get(number),
                keyword_place=keyword_places.get(number),
                touched=self._most_touched,
                closeness=closeness.get(number),
                is_named=number == self._named,
                holds_all=number in holding,
            )
            for number in numbers
        }
        return self._admissible(candidates.items())

    def _unseen(self, lists: _Lists) -> Iterator[RecallCandidate]:
        """
        Yield the best possible entries outside both heads.

        They are found by vector, by keyword, or by both.
        """
        place = lists.depth + 1
        vectors = (
            (None, lists.by_vector[-1].score) if len(lists.by_vector) == lists.depth else (None,)
        )
        keywords = (
            (None, lists.by_keyword[-1].score) if len(lists.by_keyword) == lists.depth else (None,)
        )
        for vector, keyword in product(vectors, keywords):
            if (vector, keyword) != (None, None):
                yield RecallCandidate(
                    self._best_facts,
                    vector=vector,
                    keyword=keyword,
                    vector_place=None if vector is None else place,
                    keyword_place=None if keyword is None else place,
                    touched=self._most_touched,
                    closeness=None if vector is None else self._closeness.upper_bound(vector),
                    holds_all=keyword is not None and any(held.count() for held in self._holding),
                )

    def _admissible(self, candidates: Iterable[tuple[int, RecallCandidate]]) -> Iterator[_Bounded]:
        minimum = self._wanted.minimum
        for number, candidate in candidates:
            upper_bound = self._policy.upper_bound(candidate)
            if upper_bound is None:
                continue
            if minimum is None or JudgedCandidate(
                candidate, upper_bound, self._policy.relevance(candidate)
            ).reaches(minimum):
                yield _Bounded(number, candidate, upper_bound)

    def _known(self, bounded: Sequence[_Bounded]) -> Iterator[RecallCandidate]:
        """Yield the candidates with their facts, if they are still stored."""
        if not bounded:
            return
        candidates = {known.number: known.candidate for known in bounded}
        files = {*self._context.workplace.touched_files}
        found, about = self._facts(candidates)
        for facts in found:
            number = facts.ranking.number
            touched = len(files & {*about.get(number, ())})
            yield candidates[number]._replace(facts=facts, touched=touched)

    def _read_ahead(self, bounded: Sequence[_Bounded]) -> None:
        if numbers := [known.number for known in bounded]:
            self._repository.prefetch(partial(self._first_reads, numbers))

    def _first_reads(self, numbers: Sequence[int]) -> None:
        """Read of candidates what is read of the best ones."""
        self._facts(numbers)
        if self._wanted.distinct:
            self._repository.outdated(numbers)

    def _facts(
        self, numbers: Iterable[int]
    ) -> tuple[Sequence[RecallFacts], Mapping[int, tuple[str, ...]]]:
        is_touched = self._context.workplace.touched_files
        about = self._repository.references(numbers) if is_touched else {}
        return self._repository.recall_facts(numbers), about


def _best_possible(context: RankingContext) -> RecallFacts:
    workplace = context.workplace
    return RecallFacts(
        ranking=RankingFacts(
            number=0,
            entry_id="",
            category=None,
            observation_count=context.most_observed,
            confidence="high",
            updated_at=context.now,
            recall_count=RECALL_CAP,
        ),
        kind="learning",
        project=workplace.project,
        workspace=workplace.workspace,
        branch=workplace.branch,
        permanent=True,
        content_hash="",
        words=0,
        tier="constitutional",
        importance_weight=1.0,
        created_at=context.now,
        anchor_id=" ".join(context.terms),
    )


def _admitted(
    judged: Sequence[JudgedCandidate], wanted: RecallQuestion
) -> Iterator[JudgedCandidate]:
    """
    Yield the answers that reach the minimum, without unwanted duplicates.

    A whole file duplicates its sections; sections of a file differ from one another.
    """
    hashes, files, sectioned = set[str](), set[str](), set[str]()
    for answer in judged:
        facts = answer.candidate.facts
        path = facts.file_path or ""
        repeats = facts.content_hash in hashes or path in (files if facts.anchor_id else sectioned)
        if (wanted.distinct and repeats) or not answer.reaches(wanted.minimum):
            continue
        hashes.add(facts.content_hash)
        if path:
            (sectioned if facts.anchor_id else files).add(path)
        yield answer


START_DEPTH = 80
"""
The first depth of both lists.

Measured with 10,000 entries: 64 often has to be doubled, at three times the cost. A greater
depth reads needlessly.
"""


class SelectionOutcome(NamedTuple):
    """
    The outcome of one selection.

    Attributes:
        policy: The name of the policy.
        parts: The parts of the scores of the chosen ones, by number.
        seen: All ranked entries, best first, chosen or not.
    """

    ranked: tuple[ScoredCandidate, ...]
    policy: str
    parts: Mapping[int, Parts]
    seen: Sequence[ScoredCandidate] = ()


class _CategoryHead(NamedTuple):
    """The heads of one category's three lists, read to the same depth."""

    by_vector: Sequence[IndexHit]
    by_keyword: Sequence[IndexHit]
    prominent: Sequence[RankingFacts]

    @property
    def numbers(self) -> set[int]:
        return {hit.number for hit in (*self.by_vector, *self.by_keyword)} | {
            known.number for known in self.prominent
        }


def maxima_of(
    retrieval: Retrieval, repository: RankingReads, visible_in: Visibility | None = None
) -> Maxima:
    """
    Return the maximum of each signal over all visible learnings.

    Scores are normalised by it.
    """
    return Maxima(
        vector=_best(retrieval.by_vector.top(1)),
        keyword=_best(retrieval.by_keyword.top(1)),
        observations=repository.most_observed(visible_in),
    )


def select(
    retrieval: Retrieval,
    repository: RankingReads,
    policy: RankingPolicy,
    balancer: CategoryBalancer,
    visible_in: Visibility | None = None,
) -> SelectionOutcome:
    """
    Choose as if every visible learning were ranked and balanced.

    Reads three sorted lists for each category, twice as deep each time, until their bounds prove
    the choice.
    """
    selection, head = first_exact(
        _heads(retrieval, repository, policy=policy, limit=balancer.limit, visible_in=visible_in),
        balancer.select,
    )
    ranked = tuple(in_order(selection))
    parts = {scored.facts.number: policy.parts(scored.signals) for scored in ranked}
    return SelectionOutcome(ranked, policy.name, parts=parts, seen=head.ranked)


CANDIDATES = 100
"""The candidates of a session start among which places are dealt."""

DEPTH_A_PLACE = 4
"""
The first depth of both lists, for each candidate.

With less, both are mostly read twice.
"""


class _AnswersForWork(BestAnswers):
    """Answers of which the texts are read, and which ones are outdated."""

    @override
    def _first_reads(self, numbers: Sequence[int]) -> None:
        super()._first_reads(numbers)
        self._repository.printed(numbers)
        self._repository.outdated(numbers)


def rank_for_work(
    found: QuestionMatches, repository: RankingReads, work: RecallQuestion
) -> SelectionOutcome:
    """
    Rank lessons by how much they matter to the present *work*, without a choice.

    The texts of the best answers only are read for their subjects.
    """
    policy = PresentWorkPolicy(found.context)
    best = _AnswersForWork(repository, found, policy=policy, wanted=work)
    answers = best.best(DEPTH_A_PLACE * work.limit)
    read = repository.printed([answer.number for answer in answers])
    shared = shared_subjects(
        subjects_of(work.text),
        {entry.number: subjects_of(f"{entry.name} {entry.description}") for entry in read},
    )
    judged = judge(
        policy,
        (answer.candidate._replace(subjects=shared[answer.number]) for answer in answers),
    )
    seen = [_scored(answer, found.context.workplace.own) for answer in judged]
    parts = {answer.number: policy.parts(answer.candidate) for answer in judged}
    return SelectionOutcome((), "adaptive", parts=parts, seen=seen)


def select_relevant(ranked: SelectionOutcome, balancer: CategoryBalancer) -> SelectionOutcome:
    """Choose of the *ranked* lessons those that probably matter."""
    relevant = balancer.select([scored for scored in ranked.seen if scored.is_relevant])
    return ranked._replace(ranked=tuple(in_order(relevant)))


def _scored(answer: JudgedCandidate, own: Sequence[str]) -> ScoredCandidate:
    facts, vector, keyword = answer.candidate[:3]
    candidate = Candidate(facts.ranking, vector, keyword)
    return ScoredCandidate(
        candidate,
        Signals(),
        score=answer.score,
        is_own=facts.project in own,
        relevance=answer.relevance,
    )


def _heads(
    retrieval: Retrieval,
    repository: RankingReads,
    policy: RankingPolicy,
    limit: int,
    visible_in: Visibility | None,
) -> Iterator[Head[ScoredCandidate]]:
    sizes = repository.sizes(visible_in)
    depth = max(START_DEPTH, limit)
    while True:
        prominent = _most_prominent(depth, repository, policy=policy, visible_in=visible_in)
        heads = {
            name: _CategoryHead(
                retrieval.by_vector.top(depth, name),
                retrieval.by_keyword.top(depth, name),
                prominent.get(name, ()),
            )
            for name in sizes
        }
        others: dict[Category | None, float] = {
            name: _upper_bound(head, depth, policy)
            for name, head in heads.items()
            if len(head.numbers) < sizes[name] > depth
        }
        facts = _facts(heads.values(), repository)
        yield Head(policy.rank(_candidates(facts, retrieval)), others)
        depth *= 2


def _most_prominent(
    depth: int, repository: RankingReads, policy: RankingPolicy, visible_in: Visibility | None
) -> dict[Category | None, list[RankingFacts]]:
    """
    Return the *depth* most prominent of each category.

    A quarter of the depth of a track record is mostly enough: if the last entry read is not among
    the most prominent, those after it aren't either. The other records are read to the whole depth.
    """
    width = max(1, depth // 4)
    newest = repository.newest_by_track_record(width, visible_in)
    heads = _heads_of(newest, depth, policy)
    counts = Counter(map(track_record, chain.from_iterable(heads.values())))
    if not (further := {record for record, count in counts.items() if count >= width}):
        return heads
    return _heads_of(
        {**newest, **repository.newest_by_track_record(depth, visible_in, further)}, depth, policy
    )


def _heads_of(
    newest: Mapping[TrackRecord, Iterable[RankingFacts]], depth: int, policy: RankingPolicy
) -> dict[Category | None, list[RankingFacts]]:
    groups: dict[Category | None, list[Iterable[RankingFacts]]] = {}
    for (category, *_), of_record in newest.items():
        groups.setdefault(category, []).append(of_record)
    return {
        category: [*islice(merge(*of_category, key=policy.prominence_order), depth)]
        for category, of_category in groups.items()
    }


def _facts(heads: Iterable[_CategoryHead], repository: RankingReads) -> dict[int, RankingFacts]:
    numbers, facts = set[int](), dict[int, RankingFacts]()
    for head in heads:
        numbers |= head.numbers
        facts.update((known.number, known) for known in head.prominent)
    facts.update((known.number, known) for known in repository.facts(numbers - facts.keys()))
    return facts


def _upper_bound(head: _CategoryHead, depth: int, policy: RankingPolicy) -> float:
    """Return the upper bound of all entries of a category outside its head."""
    by_vector, by_keyword, prominent = head
    prominence = policy.prominence(prominent[-1]) if len(prominent) == depth else 0.0
    return policy.score(
        policy.signals(_tail(by_vector, depth), _tail(by_keyword, depth), prominence)
    )


def _candidates(facts: Mapping[int, RankingFacts], retrieval: Retrieval) -> list[Candidate]:
    vector = retrieval.by_vector.scores(facts)
    keyword = retrieval.by_keyword.scores(facts)
    return [
        Candidate(known, vector.get(number), keyword.get(number)) for number, known in facts.items()
    ]


def _best(hits: Sequence[IndexHit]) -> float:
    return hits[0].score if hits else 0.0


def _tail(hits: Sequence[IndexHit], depth: int) -> float:
    return hits[-1].score if len(hits) == depth else 0.0
