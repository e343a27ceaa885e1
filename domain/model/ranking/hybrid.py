from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import Maxima, RankingPolicy, Signals
from hardwon.domain.model.ranking.weights import Weights


class HybridPolicy(RecallPolicy):
    """
    `hybrid`: how the session start ranks, by both searches and the track record.

    Args:
        context: What the searches found as a whole.
        weights: What the signals count for.

    """

    def __init__(self, context: RankingContext, weights: Weights) -> None:
        super().__init__(context)
        maxima = Maxima(context.vectors.best, context.keywords.best, context.most_observed)
        self.policy = RankingPolicy(weights=weights, maxima=maxima, now=context.now)

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        return self.policy.score(self._signals(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the three signals, and their weights."""
        return self.policy.parts(self._signals(candidate))

    def _signals(self, candidate: RecallCandidate) -> Signals:
        record = self.policy.prominence(candidate.facts.ranking)
        return self.policy.signals(candidate.vector, candidate.keyword, record)
