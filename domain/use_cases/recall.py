"""Answer a question from what is remembered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.ranking.prominence import RECALL_CAP
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.evidence import Evidence
from hardwon.domain.model.recall.policies import build_policy
from hardwon.domain.model.recall.policy import Judged, RecallPolicy, judge
from hardwon.domain.model.recall.question import Question
from hardwon.domain.use_cases.retrieve import Retrieval, Retrieve
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository

FIRST_DEPTH = 32
"""How deep both lists are read at first; most often enough."""

BATCH = 32
"""How many candidates are judged at a time."""


class Recollection(NamedTuple):
    """
    All that came of a question.

    Attributes:
        answers: Best first.
        searched: How many entries there were to search.
        found_by_meaning: How many of them have a vector that was compared; 0 when meaning could not be searched.
        found_by_word: How many of them hold a word of the question.
        embedded_by: The model that embedded the question, None when none did.
        numpy_missing: The installation is incomplete: vectors can't be compared.
        degradations: What was missing and why, one line each.

    """

    answers: tuple[Answer, ...] = ()
    searched: int = 0
    found_by_meaning: int = 0
    found_by_word: int = 0
    embedded_by: str | None = None
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class Found(NamedTuple):
    """
    What both searches found for one question.

    Attributes:
        retrieval: The matches.
        evidence: How they are spread, and what else policies go by.

    """

    retrieval: Retrieval
    evidence: Evidence


class Recall(NamedTuple):
    """
    Find, judge, and leave out what says the same twice.

    Attributes:
        repository: The entries.
        retrieve: Search by meaning and by word.
        clock: For recency.
        weights: What the signals of `hybrid` count for.
        first_depth: How deep both lists are read at first.

    """

    repository: EntryRepository
    retrieve: Retrieve
    clock: Clock
    weights: Weights
    first_depth: int = FIRST_DEPTH

    def __call__(self, question: Question, deadline: Deadline) -> Recollection:
        """
        Return the best answers to *question*; without words, none.

        Raises:
            StorageError: the store can't be read.
        """
        if not question.text.strip() or question.limit <= 0:
            return Recollection()
        with self.repository.snapshot():
            return self.answer(question, self.search(question, deadline))

    def search(self, question: Question, deadline: Deadline) -> Found:
        """Return what both searches find; questions that differ in policy may share it if both go `by_passage`, or none."""
        retrieve = self.retrieve._replace(only=question.only, by_passage=question.by_passage)
        retrieval = retrieve(question.text, deadline)
        evidence = Evidence(
            size=self.repository.count(question.only),
            vectors=retrieval.by_vector.spread(),
            keywords=retrieval.by_keyword.spread(),
            window=retrieval.window,
            most_observed=self.repository.most_observed(),
            workplace=question.workplace,
            now=self.clock.now(),
        )
        return Found(retrieval, evidence)

    def answer(self, question: Question, found: Found) -> Recollection:
        """
        Return the best answers to *question* of what was found.

        Raises:
            StorageError: the store can't be read.
        """
        policy = build_policy(question.policy, found.evidence, self.weights)
        depth = max(self.first_depth, question.limit, policy.places)
        best = _Search(self.repository, found, policy).best(question.limit, question.minimum, depth)
        entries = self.repository.hydrate([each.candidate.facts.ranking.seq for each in best])
        return Recollection(
            answers=tuple(
                Answer(entry, each.score, policy.parts(each.candidate))
                for entry, each in zip(entries, best, strict=True)
            ),
            searched=found.evidence.size,
            found_by_meaning=found.evidence.vectors.found,
            found_by_word=found.evidence.keywords.found,
            embedded_by=found.retrieval.embedded_by,
            numpy_missing=found.retrieval.numpy_missing,
            degradations=found.retrieval.degradations,
        )


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


class _Search:
    """Judges no more than it takes to be sure of the best."""

    def __init__(self, repository: EntryRepository, found: Found, policy: RecallPolicy) -> None:
        self._repository = repository
        self._retrieval, self._evidence = found
        self._policy = policy
        self._favoured = _most_favoured(self._evidence)
        self._mean_cosine = self._evidence.vectors.mean(self._evidence.vectors.found)

    def best(self, limit: int, minimum: float | None, depth: int) -> list[Judged]:
        """Return the *limit* best of at least *minimum*, exactly as judging every entry found would."""
        while True:
            lists = _Lists(depth, self._retrieval.by_vector.top(depth), self._retrieval.by_keyword.top(depth))
            best = self._best_of(self._hopefuls(lists), limit, minimum)
            if lists.ended or _is_settled(best, limit, minimum, self._hope_beyond(lists)):
                return best
            depth *= 4

    def _best_of(self, hopefuls: Sequence[_Hopeful], limit: int, minimum: float | None) -> list[Judged]:
        """Return the best of *hopefuls*, which stand in the order of their hopes, and are judged as long as one is left."""
        best, candidates = list[Judged](), list[RecallCandidate]()
        for start in range(0, len(hopefuls), BATCH):
            candidates += self._known(hopefuls[start : start + BATCH])
            best = list(islice(_distinct(judge(self._policy, candidates), minimum), limit))
            rest = hopefuls[start + BATCH :]
            if rest and _is_settled(best, limit, minimum, rest[0].hope):
                break
        return best

    def _hopefuls(self, lists: _Lists) -> list[_Hopeful]:
        vector_places = {hit.seq: place for place, hit in enumerate(lists.by_vector, 1)}
        keyword_places = {hit.seq: place for place, hit in enumerate(lists.by_keyword, 1)}
        seqs = vector_places.keys() | keyword_places.keys()
        vectors, keywords = self._retrieval.by_vector.scores(seqs), self._retrieval.by_keyword.scores(seqs)
        candidates = {
            seq: RecallCandidate(
                self._favoured, vectors.get(seq), keywords.get(seq), vector_places.get(seq), keyword_places.get(seq)
            )
            for seq in seqs
        }
        hopes = ((seq, candidate, self._hope(candidate)) for seq, candidate in candidates.items())
        hopefuls = [_Hopeful(seq, candidate, hope) for seq, candidate, hope in hopes if hope is not None]
        return sorted(hopefuls, key=lambda each: (-each.hope, each.seq))

    def _hope(self, candidate: RecallCandidate) -> float | None:
        """Return the highest score *candidate* can have: a cosine below the mean may be worse than none."""
        score = self._policy.score(candidate)
        if candidate.vector is None or candidate.vector >= self._mean_cosine:
            return score
        without = self._policy.score(candidate._replace(vector=None))
        return max((each for each in (score, without) if each is not None), default=None)

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

    def _hope_beyond(self, lists: _Lists) -> float | None:
        """Return the highest score that an entry in neither head can have, None when there can't be one."""
        place = lists.depth + 1
        vectors = (None, lists.by_vector[-1].score) if len(lists.by_vector) == lists.depth else (None,)
        keywords = (None, lists.by_keyword[-1].score) if len(lists.by_keyword) == lists.depth else (None,)
        unseen = (
            RecallCandidate(
                self._favoured,
                vector,
                keyword,
                None if vector is None else place,
                None if keyword is None else place,
            )
            for vector, keyword in product(vectors, keywords)
            if (vector, keyword) != (None, None)
        )
        return max((each.score for each in judge(self._policy, unseen)), default=None)


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
    )


def _is_settled(best: Sequence[Judged], limit: int, minimum: float | None, hope: float | None) -> bool:
    """Tell whether nothing that scores at most *hope* can join *best*."""
    if hope is None or (minimum is not None and hope < minimum):
        return True
    return len(best) == limit and best[-1].score > hope


def _distinct(judged: Sequence[Judged], minimum: float | None) -> Iterator[Judged]:
    """Yield those of at least *minimum*, of several that say the same only the best."""
    seen = set[str]()
    for each in judged:
        content = each.candidate.facts.content_hash
        if content not in seen and (minimum is None or each.score >= minimum):
            seen.add(content)
            yield each
