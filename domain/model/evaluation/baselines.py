"""
The rankings that an evaluation compares: those of recall, and baselines.

A baseline is used nowhere else, and ranks the candidates of the search of `hybrid` by its own rule.
"""

from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.filters import PolicyName
from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.collections import RRF_K, PolicyMaker
from hardwon.domain.model.ranking.policy import Parts, RecallPolicy
from hardwon.domain.model.ranking.prominence import share

RRF_PLACES = 200

VECTOR_SHARE = 0.5
KEYWORD_SHARE = 0.2


class Baseline(RecallPolicy):
    """A ranking by its formula alone."""

    def is_named(self, candidate: RecallCandidate) -> bool:
        """Return False: no entry comes first but by its score."""
        del candidate
        return False


class KeywordPolicy(Baseline):
    """`keyword`: BM25, for entries with at least one of the words."""

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the keyword score."""
        return candidate.keyword

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the keyword score."""
        return {"keyword": candidate.keyword or 0.0}


class ReciprocalRankPolicy(Baseline):
    """
    `rrf`: reciprocal rank fusion.

    It is the sum of `1 / (60 + place)` over the first 200 of both lists.
    """

    places = RRF_PLACES

    def score(self, candidate: RecallCandidate) -> float:
        """Return the sum."""
        return sum(self.parts(candidate).values())

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the reciprocal rank in each list."""
        return {
            "vector": _reciprocal(candidate.vector_place),
            "keyword": _reciprocal(candidate.keyword_place),
        }


class WeightedPolicy(Baseline):
    """
    `weighted`: the simplest fusion.

    It is 0.5 cosine + 0.2 keyword score, each over its best.
    """

    def score(self, candidate: RecallCandidate) -> float:
        """Return the sum."""
        return sum(self.parts(candidate).values())

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return both shares, weighted."""
        return {
            "vector": VECTOR_SHARE * share(candidate.vector, self.context.vectors.best),
            "keyword": KEYWORD_SHARE * share(candidate.keyword, self.context.keywords.best),
        }


class Ranking(NamedTuple):
    """
    A ranking to evaluate.

    Attributes:
        policy: The policy of recall whose search is used.
        baseline: The rule that ranks instead of it, None for the policy itself.
    """

    policy: PolicyName
    baseline: PolicyMaker | None = None


MEASURED: Mapping[str, Ranking] = {
    "keyword": Ranking("hybrid", KeywordPolicy),
    "vector": Ranking("cosine"),
    "rrf": Ranking("hybrid", ReciprocalRankPolicy),
    "weighted": Ranking("hybrid", WeightedPolicy),
    "hybrid": Ranking("hybrid"),
    "adaptive": Ranking("adaptive"),
}
"""By the name in reports, in their order."""


def _reciprocal(place: int | None) -> float:
    return 0.0 if place is None or place > RRF_PLACES else 1 / (RRF_K + place)
