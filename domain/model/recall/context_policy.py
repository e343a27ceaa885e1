from collections.abc import Mapping

from hardwon.domain.model.ranking.prominence import recency
from hardwon.domain.model.ranking.ranking_policy import share
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.policy import Parts, PlainPolicy

CONTEXT_WEIGHTS: Mapping[str, float] = {"vector": 0.35, "file": 0.20, "branch": 0.20, "recency": 0.15, "keyword": 0.10}
"""What each signal counts for (requirement C-T7.4), in the order of the formula; they sum to 1."""

VECTOR, FILE, BRANCH, RECENCY, KEYWORD = CONTEXT_WEIGHTS.values()


class ContextPolicy(PlainPolicy):
    """
    `context`: what bears on the work at hand (requirements C-T7.3, C-T7.4).

    Each signal is in `[0, 1]`: the cosine, or its share of the best where several models were asked; 1 for an entry
    about a file that was touched of late; 1 for the branch that is checked out; `1 / (1 + days / 30)`; the keyword
    score over the best. A signal that is missing counts 0, and the others as before (C-T7.t9).
    """

    def score(self, candidate: RecallCandidate) -> float:
        """Return the weighted sum, in `[0, 1]`."""
        vector, file, branch, age, keyword = self._signals(candidate)
        return VECTOR * vector + FILE * file + BRANCH * branch + RECENCY * age + KEYWORD * keyword

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the five signals."""
        return dict(zip(CONTEXT_WEIGHTS, self._signals(candidate), strict=True))

    def _signals(self, candidate: RecallCandidate) -> tuple[float, float, float, float, float]:
        """Return the signals in the order of the weights."""
        branch = self.evidence.workplace.branch
        return (
            self._similarity(candidate),
            1.0 if candidate.touched else 0.0,
            1.0 if branch is not None and candidate.facts.branch == branch else 0.0,
            recency(candidate.facts.ranking.updated_at, self.evidence.now),
            share(candidate.keyword, self.evidence.keywords.best),
        )

    def _similarity(self, candidate: RecallCandidate) -> float:
        if self.evidence.standardised:
            return share(candidate.vector, self.evidence.vectors.best)
        return max(0.0, candidate.vector or 0.0)

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return what breaks ties: the own project, then what is kept for good, then how many touched files it is about."""
        return (*super().nearness(candidate), -candidate.facts.permanent, -candidate.touched)
