"""
The best of what was found, read no further than it takes to be sure.

Choose the entries that matter, looking at no more of the store than it takes to be sure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, islice, product
from typing import NamedTuple

from hardwon.domain.model.ranking.bounds import NOTHING_UNSEEN, Tails, bound, is_exact
from hardwon.domain.model.ranking.candidates import Candidate, Hit, RankingFacts, RecallCandidate, RecallFacts
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer, Selection
from hardwon.domain.model.ranking.policy import Evidence, Judged, RecallPolicy, judge
from hardwon.domain.model.ranking.prominence import RECALL_CAP, Maxima, RankingPolicy, Scored, track_record
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.vocabulary import Category
from hardwon.domain.use_cases.closeness import Closeness
from hardwon.domain.use_cases.retrieve import Retrieval
from hardwon.ports.entries import RankingReads

RECALL_DEPTH = 32
"""How deep both lists are read at first; most often enough."""

BATCH = 32
"""How many candidates are judged at first."""


class Found(NamedTuple):
    """
    What both searches found for one question.

    Attributes:
        retrieval: The matches.
        evidence: How they are spread, and what else policies go by.
        closeness: How close entries are to the question by meaning.

    """

    retrieval: Retrieval
    evidence: Evidence
    closeness: Closeness = Closeness()


class _Lists(NamedTuple):
    """The heads of both lists, read to the same depth."""

    depth: int
    by_vector: Sequence[Hit]
    by_keyword: Sequence[Hit]

    @property
    def ended(self) -> bool:
        """Whether both lists were read to their end."""
        return max(len(self.by_vector), len(self.by_keyword)) < self.depth


class _Hopeful(NamedTuple):
    """A candidate that is known by its number only, and the highest score it can have."""

    seq: int
    candidate: RecallCandidate
    hope: float


class BestAnswers:
    """Judges no more than it takes to be sure of the best."""

    def __init__(self, repository: RankingReads, found: Found, policy: RecallPolicy) -> None:
        self._repository = repository
        self._retrieval, self._evidence, self._closeness = found
        self._policy = policy
        self._favoured = _most_favoured(self._evidence)
        self._most_touched = len(self._evidence.workplace.touched_files)

    def best(self, wanted: Question, depth: int) -> list[Judged]:
        """Return the best that are *wanted*, exactly as judging every entry found would."""
        while True:
            lists = _Lists(depth, self._retrieval.by_vector.top(depth), self._retrieval.by_keyword.top(depth))
            best = self._best_of(self._hopefuls(lists, wanted.minimum), wanted)
            if lists.ended or _is_settled(best, wanted, self._hope_beyond(lists, wanted.minimum)):
                return best
            depth *= 4

    def _best_of(self, hopefuls: Sequence[_Hopeful], wanted: Question) -> list[Judged]:
        """Return the best of *hopefuls*, which stand in the order of their hopes, and are judged as long as one is left."""
        best, candidates = list[Judged](), list[RecallCandidate]()
        begin, end = 0, BATCH
        while begin < len(hopefuls):
            candidates += self._known(hopefuls[begin:end])
            best = list(islice(_admitted(judge(self._policy, candidates), wanted), wanted.limit))
            if end < len(hopefuls) and _is_settled(best, wanted, hopefuls[end].hope):
                break
            begin, end = end, 2 * end
        return best

    def _hopefuls(self, lists: _Lists, minimum: float | None) -> list[_Hopeful]:
        """Return the candidates of *lists* that may reach *minimum*, in the order of the highest score they can have."""
        vector_places = {hit.seq: place for place, hit in enumerate(lists.by_vector, 1)}
        keyword_places = {hit.seq: place for place, hit in enumerate(lists.by_keyword, 1)}
        seqs = vector_places.keys() | keyword_places.keys()
        vectors, keywords = self._retrieval.by_vector.scores(seqs), self._retrieval.by_keyword.scores(seqs)
        closeness = self._closeness.scores(vectors)
        candidates = {
            seq: RecallCandidate(
                self._favoured,
                vectors.get(seq),
                keywords.get(seq),
                vector_places.get(seq),
                keyword_places.get(seq),
                self._most_touched,
                closeness.get(seq),
            )
            for seq in seqs
        }
        hopes = ((seq, candidate, self._policy.upper_bound(candidate)) for seq, candidate in candidates.items())
        hopefuls = [
            _Hopeful(seq, candidate, hope)
            for seq, candidate, hope in hopes
            if hope is not None and self._may_reach(minimum, candidate, hope)
        ]
        return sorted(hopefuls, key=lambda each: (-each.hope, each.seq))

    def _may_reach(self, minimum: float | None, candidate: RecallCandidate, hope: float) -> bool:
        return Judged(candidate, hope, self._policy.relevance(candidate)).reaches(minimum)

    def _known(self, hopefuls: Sequence[_Hopeful]) -> Iterator[RecallCandidate]:
        """Yield the candidates with their true facts."""
        found = {each.seq: each.candidate for each in hopefuls}
        touched = self._touched(found)
        for facts in self._repository.recall_facts(found):
            seq = facts.ranking.seq
            yield found[seq]._replace(facts=facts, touched=touched.get(seq, 0))

    def _touched(self, seqs: Iterable[int]) -> Mapping[int, int]:
        """Return how many of the files touched of late each of *seqs* is about."""
        files = set(self._evidence.workplace.touched_files)
        if not files:
            return {}
        return {seq: len(files & set(about)) for seq, about in self._repository.references(seqs).items()}

    def _hope_beyond(self, lists: _Lists, minimum: float | None) -> float | None:
        """Return the highest score that an answer in neither head can have, None when there can't be one."""
        place = lists.depth + 1
        vectors = (None, lists.by_vector[-1].score) if len(lists.by_vector) == lists.depth else (None,)
        keywords = (None, lists.by_keyword[-1].score) if len(lists.by_keyword) == lists.depth else (None,)
        candidates = [
            RecallCandidate(
                self._favoured,
                vector,
                keyword,
                None if vector is None else place,
                None if keyword is None else place,
                self._most_touched,
                None if vector is None else self._closeness.most(vector),
            )
            for vector, keyword in product(vectors, keywords)
            if (vector, keyword) != (None, None)
        ]
        hopes = [(candidate, self._policy.upper_bound(candidate)) for candidate in candidates]
        return max(
            (hope for candidate, hope in hopes if hope is not None and self._may_reach(minimum, candidate, hope)),
            default=None,
        )


def _most_favoured(evidence: Evidence) -> RecallFacts:
    """Return the facts of an entry that has everything in its favour."""
    workplace = evidence.workplace
    return RecallFacts(
        ranking=RankingFacts(0, "", None, evidence.most_observed, "high", evidence.now, RECALL_CAP),
        kind="learning",
        project=workplace.project,
        workspace=workplace.workspace,
        branch=workplace.branch,
        permanent=True,
        content_hash="",
        words=0,
        tier="constitutional",
        importance_weight=1.0,
        created_at=evidence.now,
        anchor_id=" ".join(evidence.terms),
    )


def _is_settled(best: Sequence[Judged], wanted: Question, hope: float | None) -> bool:
    """Tell whether nothing that scores at most *hope* can join *best*."""
    if hope is None:
        return True
    return len(best) == wanted.limit and best[-1].score > hope


def _admitted(judged: Sequence[Judged], wanted: Question) -> Iterator[Judged]:
    """
    Yield those of at least the minimum, of several that say the same only the best unless all are wanted.

    A whole file says what each of its sections does; its sections differ from one another.
    """
    said, files, sectioned = set[str](), set[str](), set[str]()
    for each in judged:
        facts = each.candidate.facts
        path = facts.file_path or ""
        repeats = facts.content_hash in said or path in (files if facts.anchor_id else sectioned)
        if (wanted.distinct and repeats) or not each.reaches(wanted.minimum):
            continue
        said.add(facts.content_hash)
        if path:
            (sectioned if facts.anchor_id else files).add(path)
        yield each


START_DEPTH = 80
"""Measured at 10,000 entries: 64 often has to be doubled, at three times the cost; more is read in vain."""


class Selected(NamedTuple):
    """
    The outcome of one selection.

    Attributes:
        ranked: The chosen entries, best first.
        selection: The same, by why they were chosen.
        policy: What scored them.
        depth: How deep the lists were read.
        seen: All that was ranked, best first, whether it was chosen or not.

    """

    ranked: tuple[Scored, ...]
    selection: Selection
    policy: RankingPolicy
    depth: int
    seen: Sequence[Scored] = ()


class _Head(NamedTuple):
    """The head of one category's three lists: the entries in it, and where each list ended."""

    facts: Mapping[int, RankingFacts]
    tails: Tails


def whole_store_maxima(retrieval: Retrieval, repository: RankingReads) -> Maxima:
    """Return what scores are divided by: the best of each signal over all learnings."""
    return Maxima(
        vector=_best(retrieval.by_vector.top(1)),
        keyword=_best(retrieval.by_keyword.top(1)),
        observations=repository.most_observed(),
    )


def select(
    retrieval: Retrieval, repository: RankingReads, policy: RankingPolicy, balancer: CategoryBalancer
) -> Selected:
    """
    Return exactly what ranking and balancing every learning would choose.

    The lists are read ever deeper until the entries seen prove that no
    other can change the choice (`pruning`).
    """
    sizes = repository.sizes()
    depth = max(START_DEPTH, balancer.limit)
    while True:
        prominent = _most_prominent(depth, repository, policy)
        heads = {name: _head(name, depth, retrieval, repository, policy, prominent=prominent[name]) for name in sizes}
        bounds = {
            name: NOTHING_UNSEEN if len(head.facts) == sizes[name] else bound(policy, head.tails)
            for name, head in heads.items()
        }
        ranked = policy.rank(_candidates(heads.values(), retrieval))
        selection = balancer.select(ranked)
        if is_exact(selection, ranked, balancer, sizes, bounds):
            return Selected(tuple(selection.in_order(ranked)), selection, policy, depth, ranked)
        depth *= 2


def _most_prominent(
    depth: int, repository: RankingReads, policy: RankingPolicy
) -> dict[Category | None, list[RankingFacts]]:
    """
    Return the *depth* most prominent of each category.

    A quarter as deep into each track record is nearly always enough: where the last entry that
    was read of one is not among the most prominent, those after it aren't either.
    """
    heads: dict[Category | None, list[RankingFacts]] = {}
    for width in (depth // 4, depth // 2, depth):
        newest: dict[Category | None, list[RankingFacts]] = {}
        for facts in repository.newest_by_track_record(width):
            newest.setdefault(facts.category, []).append(facts)
        heads = {name: nsmallest(depth, group, key=policy.prominence_order) for name, group in newest.items()}
        if max(Counter(map(track_record, chain.from_iterable(heads.values()))).values(), default=0) < width:
            break
    return heads


def _head(
    category: Category,
    depth: int,
    retrieval: Retrieval,
    repository: RankingReads,
    policy: RankingPolicy,
    *,
    prominent: Sequence[RankingFacts],
) -> _Head:
    by_vector = retrieval.by_vector.top(depth, category)
    by_keyword = retrieval.by_keyword.top(depth, category)
    facts = {each.seq: each for each in prominent}
    found = {hit.seq for hit in (*by_vector, *by_keyword)}
    facts.update((each.seq, each) for each in repository.facts(found - facts.keys()))
    return _Head(
        facts=facts,
        tails=Tails(
            vector=_tail(by_vector, depth),
            keyword=_tail(by_keyword, depth),
            prominence=policy.prominence(prominent[-1]) if len(prominent) == depth else 0.0,
        ),
    )


def _candidates(heads: Iterable[_Head], retrieval: Retrieval) -> list[Candidate]:
    facts = {seq: each for head in heads for seq, each in head.facts.items()}
    vector = retrieval.by_vector.scores(facts)
    keyword = retrieval.by_keyword.scores(facts)
    return [Candidate(each, vector.get(seq), keyword.get(seq)) for seq, each in facts.items()]


def _best(hits: Sequence[Hit]) -> float:
    return hits[0].score if hits else 0.0


def _tail(hits: Sequence[Hit], depth: int) -> float:
    return hits[-1].score if len(hits) == depth else 0.0
