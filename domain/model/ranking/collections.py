"""The policies of the named collections, and the table of recall policies."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hardwon.domain.model.filters import PolicyName, Workplace
from hardwon.domain.model.keywords import search_terms, terms_of
from hardwon.domain.model.ranking.adaptive import AdaptivePolicy
from hardwon.domain.model.ranking.candidates import RecallCandidate, RecallFacts
from hardwon.domain.model.ranking.decay import HIGHEST_BOOST, TIER_BOOSTS
from hardwon.domain.model.ranking.policy import CLOSE, Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import (
    Maxima,
    RankingPolicy,
    Signals,
    SignalWeights,
    recency,
    share,
)


class HybridPolicy(RecallPolicy):
    """`hybrid`: the ranking of the session start."""

    def __init__(self, context: RankingContext, weights: SignalWeights) -> None:
        super().__init__(context)
        maxima = Maxima(context.vectors.best, context.keywords.best, context.most_observed)
        self.policy = RankingPolicy(weights=weights, maxima=maxima, now=context.now)

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        return self.policy.score(self._signals(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the three signals and their weights."""
        return self.policy.parts(self._signals(candidate))

    def _signals(self, candidate: RecallCandidate) -> Signals:
        record = self.policy.prominence(candidate.facts.ranking)
        return self.policy.signals(candidate.vector, candidate.keyword, record)


KEYWORD_SIMILARITY = 0.9
"""Similarity of the best keyword match without semantic search: words alone never reach 1."""


class CosinePolicy(RecallPolicy):
    """
    `cosine`: cosine similarity, `[0, 1]`.

    An entry without a vector is left out. Without semantic search, 0.9 of the keyword score over
    the best replaces it. The vector of a single word carries little: its cosine with a text about
    just that is about 0.4, that of a phrase 0.6; so a match of the word counts too.
    """

    def score(self, candidate: RecallCandidate) -> float | None:
        """
        Return the similarity.

        For a question of a single word that the entry contains, it is the mean of similarity and 1.
        """
        similarity = similarity_of(candidate, self.context)
        is_held = candidate.keyword is not None and len(self.context.terms) == 1
        return (
            (1 + similarity) / 2
            if similarity is not None and is_held and self.context.vectors.found
            else similarity
        )

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the similarity."""
        return {"similarity": self.score(candidate) or 0.0}


def similarity_of(candidate: RecallCandidate, context: RankingContext) -> float | None:
    """
    Return the cosine in `[0, 1]`, None without a vector.

    With vectors of several models it is the share of the best; without semantic search,
    `similarity_by_keyword`.
    """
    if not context.vectors.found:
        return None if candidate.keyword is None else similarity_by_keyword(candidate, context)
    if candidate.vector is None:
        return None
    return (
        share(candidate.vector, context.vectors.best)
        if context.standardised
        else max(0.0, candidate.vector)
    )


def similarity_by_keyword(candidate: RecallCandidate, context: RankingContext) -> float:
    """Return 0.9 of the keyword score over the best, in `[0, 0.9]`."""
    return KEYWORD_SIMILARITY * share(candidate.keyword, context.keywords.best)


SIMILARITY_WEIGHT = 0.5
RECENCY_WEIGHT = 0.25
PROJECT_WEIGHT = 0.25

SAME_PROJECT = 1.0
SAME_WORKSPACE = 0.5

PERMANENT_BOOST = 1.2


class AffinityPolicy(RecallPolicy):
    """
    `affinity`: similar, recent and near entries.

    `(0.5 similarity + 0.25 recency + 0.25 project) * boost`, the boost 1.2 for permanent entries: a
    score can exceed 1 and is shown as 100 % at most.
    """

    def score(self, candidate: RecallCandidate) -> float | None:
        """
        Return the boosted weighted sum, in `[0, 1.2]`.

        None if the question is unrelated to every entry.
        """
        if self.context.is_empty:
            return None
        parts = self.parts(candidate)
        return parts["boost"] * (
            SIMILARITY_WEIGHT * parts["similarity"]
            + RECENCY_WEIGHT * parts["recency"]
            + PROJECT_WEIGHT * parts["project"]
        )

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return similarity, recency, proximity of the project and the boost."""
        facts = candidate.facts
        return {
            "similarity": self._similarity(candidate),
            "recency": recency(facts.ranking.updated_at, self.context.now),
            "project": _project_relevance(facts, self.context.workplace),
            "boost": PERMANENT_BOOST if facts.permanent else 1.0,
        }

    def _similarity(self, candidate: RecallCandidate) -> float:
        """Return the similarity, by keyword for an entry that has no vector yet."""
        similarity = similarity_of(candidate, self.context)
        return similarity_by_keyword(candidate, self.context) if similarity is None else similarity

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return the tie-breakers: same branch, then the number of touched files."""
        branch = self.context.workplace.branch
        is_same_branch = branch is not None and candidate.facts.branch == branch
        return (-is_same_branch, -candidate.touched)


def _project_relevance(facts: RecallFacts, workplace: Workplace) -> float:
    if facts.project in workplace.own:
        return SAME_PROJECT
    return (
        SAME_WORKSPACE
        if facts.workspace is not None and facts.workspace == workplace.workspace
        else 0.0
    )


CONTEXT_WEIGHTS: Mapping[str, float] = {
    "vector": 0.35,
    "file": 0.20,
    "branch": 0.20,
    "recency": 0.15,
    "keyword": 0.10,
}
"""
The weights of the signals, in the order of the formula.

They sum to 1.
"""

VECTOR, FILE, BRANCH, RECENCY, KEYWORD = CONTEXT_WEIGHTS.values()


class ContextPolicy(RecallPolicy):
    """
    `context`: entries related to the current work.

    Each signal is in `[0, 1]`: the cosine, or its share of the best with vectors of several models;
    1 for an entry about a recently touched file; 1 for the branch that is checked out;
    `1 / (1 + days / 30)`; the keyword score over the best. A missing signal counts 0, and the
    weights of the others stay.
    """

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        vector, file, branch, age, keyword = self._signals(candidate)
        return VECTOR * vector + FILE * file + BRANCH * branch + RECENCY * age + KEYWORD * keyword

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the five signals."""
        return dict(zip(CONTEXT_WEIGHTS, self._signals(candidate), strict=True))

    def _signals(self, candidate: RecallCandidate) -> tuple[float, float, float, float, float]:
        branch = self.context.workplace.branch
        return (
            self._similarity(candidate),
            1.0 if candidate.touched else 0.0,
            1.0 if branch is not None and candidate.facts.branch == branch else 0.0,
            recency(candidate.facts.ranking.updated_at, self.context.now),
            share(candidate.keyword, self.context.keywords.best),
        )

    def _similarity(self, candidate: RecallCandidate) -> float:
        if self.context.standardised:
            return share(candidate.vector, self.context.vectors.best)
        return max(0.0, candidate.vector or 0.0)

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return the tie-breakers: own project, permanence, number of touched files."""
        return (*super().nearness(candidate), -candidate.facts.permanent, -candidate.touched)


RRF_K = 60
"""Cormack, Clarke & Büttcher 2009: damps the head of a ranking."""

RRF_WEIGHT = 0.40
BOOST_WEIGHT = 0.25
DECAY_WEIGHT = 0.20
OVERLAP_WEIGHT = 0.15

PLACES_PER_ANSWER = 2


class FusedPolicy(RecallPolicy):
    """
    `fused`: reciprocal rank fusion with importance, age, and anchor match.

    ::

        score    = 100 (0.40 rrf / best_rrf + 0.25 boost / 3 + 0.20 decay + 0.15 overlap)
        rrf      = 1 / (60 + vector_rank) + 1 / (60 + keyword_rank)
        best_rrf = (how many searches found anything) / 61
        overlap  = the share of the question's words that are in the anchor's name

    The reciprocal ranks are divided by their maximum, and the boost by the highest, or the tier
    alone would decide. Only the first `2 * limit` places of each list count, in semantic search
    only entries that are close enough; an entry in neither has no score: tier and age order
    answers, they do not make one.
    """

    def __init__(self, context: RankingContext) -> None:
        super().__init__(context)
        self.places = PLACES_PER_ANSWER * context.limit
        searches = (context.closest >= CLOSE) + bool(context.keywords.found)
        self.best_rrf = max(searches, 1) / (RRF_K + 1)

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the score, in `[0, 100]`."""
        parts = self.parts(candidate)
        if not parts["rrf"]:
            return None
        return 100 * (
            RRF_WEIGHT * parts["rrf"] / self.best_rrf
            + BOOST_WEIGHT * parts["boost"] / HIGHEST_BOOST
            + DECAY_WEIGHT * parts["decay"]
            + OVERLAP_WEIGHT * parts["overlap"]
        )

    def parts(self, candidate: RecallCandidate) -> Parts:
        """
        Return the inputs of the formula, then both ranks.

        A rank is 0 for a list whose first places do not have it.
        """
        facts = candidate.facts
        is_close = candidate.closeness is not None and candidate.closeness >= CLOSE
        ranks = [
            self._rank(candidate.vector_place if is_close else None),
            self._rank(candidate.keyword_place),
        ]
        return {
            "rrf": sum(1 / (RRF_K + rank) for rank in ranks if rank),
            "best_rrf": self.best_rrf,
            "boost": TIER_BOOSTS[facts.tier],
            "decay": self._decay(facts),
            "overlap": self._overlap(facts.anchor_id),
            "vector_rank": float(ranks[0]),
            "keyword_rank": float(ranks[1]),
        }

    def _rank(self, place: int | None) -> int:
        return place if place is not None and place <= self.places else 0

    def _decay(self, facts: RecallFacts) -> float:
        return self.context.decay.factor(
            tier=facts.tier,
            importance_weight=facts.importance_weight,
            permanent=facts.permanent,
            created_at=facts.created_at,
            now=self.context.now,
        )

    def _overlap(self, anchor_id: str) -> float:
        terms = set(self.context.terms)
        named = {*terms_of(anchor_id), *search_terms(anchor_id)}  # these without function words
        return len(terms & named) / len(terms) if terms else 0.0


PolicyMaker: TypeAlias = Callable[[RankingContext], RecallPolicy]
"""Returns the policy for one question, given its score statistics."""

POLICY_MAKERS: Mapping[PolicyName, PolicyMaker] = {
    "adaptive": AdaptivePolicy,
    "affinity": AffinityPolicy,
    "context": ContextPolicy,
    "cosine": CosinePolicy,
    "fused": FusedPolicy,
}


def build_policy(name: PolicyName, context: RankingContext, weights: SignalWeights) -> RecallPolicy:
    """Return the policy *name* for one question."""
    if name == "hybrid":
        return HybridPolicy(context, weights)
    return POLICY_MAKERS[name](context)
