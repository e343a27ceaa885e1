from hardwon.domain.model.ranking.ranking_policy import RankingPolicy
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.policy import Parts, PlainPolicy


class HybridPolicy(PlainPolicy):
    """
    `hybrid`: how the session start ranks, by both searches and the track record (requirement A-D3.1).

    Args:
        policy: The session start's own.

    """

    def __init__(self, policy: RankingPolicy) -> None:
        self.policy = policy

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the three signals and their weights."""
        facts, effective = candidate.facts.ranking, self.policy.effective
        signals = self.policy.signals(candidate.vector, candidate.keyword, self.policy.prominence(facts))
        return {
            "vector": signals.vector,
            "keyword": signals.keyword,
            "prominence": signals.prominence,
            "vector_weight": effective.vector,
            "keyword_weight": effective.keyword,
            "prominence_weight": effective.prominence,
        }

    def score(self, parts: Parts) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        return (
            parts["vector_weight"] * parts["vector"]
            + parts["keyword_weight"] * parts["keyword"]
            + parts["prominence_weight"] * parts["prominence"]
        )
