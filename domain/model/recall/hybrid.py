from hardwon.domain.model.ranking.ranking_policy import RankingPolicy, Signals
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

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        return self.policy.score(self._signals(candidate))

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the three signals, and their weights."""
        weights = {f"{name}_weight": weight for name, weight in self.policy.effective._asdict().items()}
        return {**self._signals(candidate)._asdict(), **weights}

    def _signals(self, candidate: RecallCandidate) -> Signals:
        record = self.policy.prominence(candidate.facts.ranking)
        return self.policy.signals(candidate.vector, candidate.keyword, record)
