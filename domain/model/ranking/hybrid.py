from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import Evidence, Parts, PlainPolicy
from hardwon.domain.model.ranking.prominence import Maxima, RankingPolicy, Signals
from hardwon.domain.model.ranking.weights import Weights


class HybridPolicy(PlainPolicy):
    """
    `hybrid`: how the session start ranks, by both searches and the track record (requirement A-D3.1).

    Args:
        evidence: What the searches found as a whole.
        weights: What the signals count for.

    """

    def __init__(self, evidence: Evidence, weights: Weights) -> None:
        super().__init__(evidence)
        maxima = Maxima(evidence.vectors.best, evidence.keywords.best, evidence.most_observed)
        self.policy = RankingPolicy(weights=weights, maxima=maxima, now=evidence.now)

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        return self.policy.score(self._signals(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the three signals, and their weights."""
        return self.policy.parts(self._signals(candidate))

    def _signals(self, candidate: RecallCandidate) -> Signals:
        record = self.policy.prominence(candidate.facts.ranking)
        return self.policy.signals(candidate.vector, candidate.keyword, record)
