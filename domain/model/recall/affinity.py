from hardwon.domain.model.ranking.prominence import recency
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.recall.by_search import similarity_by_keyword, similarity_of
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.evidence import Evidence
from hardwon.domain.model.recall.policy import Parts
from hardwon.domain.model.recall.workplace import Workplace

SIMILARITY_WEIGHT = 0.5
RECENCY_WEIGHT = 0.25
PROJECT_WEIGHT = 0.25

SAME_PROJECT = 1.0
SAME_WORKSPACE = 0.5

PERMANENT_BOOST = 1.2


class AffinityPolicy:
    """
    `affinity`: what says the like, is recent and near by (requirements C-T6.5, C-T6.6).

    `(0.5 similarity + 0.25 recency + 0.25 project) * boost`, the boost 1.2 for what is kept for good:
    a score can exceed 1 and is shown as 100 % at most (M-C2).

    Args:
        evidence: What the searches found as a whole.

    """

    places = 0

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the boosted weighted sum, in `[0, 1.2]`; None for a question about something else than any entry."""
        if self.evidence.is_empty:
            return None
        parts = self.parts(candidate)
        return parts["boost"] * (
            SIMILARITY_WEIGHT * parts["similarity"]
            + RECENCY_WEIGHT * parts["recency"]
            + PROJECT_WEIGHT * parts["project"]
        )

    def upper_bound(self, candidate: RecallCandidate) -> float | None:
        """Return the score of *candidate*: no fact can raise it further."""
        return self.score(candidate)

    def relevance(self, candidate: RecallCandidate) -> float | None:
        """Return None."""
        del candidate
        return None

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return similarity, recency, nearness of the project and the boost."""
        facts = candidate.facts
        return {
            "similarity": self._similarity(candidate),
            "recency": recency(facts.ranking.updated_at, self.evidence.now),
            "project": _project_relevance(facts, self.evidence.workplace),
            "boost": PERMANENT_BOOST if facts.permanent else 1.0,
        }

    def _similarity(self, candidate: RecallCandidate) -> float:
        """Return the similarity; for an entry that waits for its vector its keyword match stands in."""
        similarity = similarity_of(candidate, self.evidence)
        return similarity_by_keyword(candidate, self.evidence) if similarity is None else similarity

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return what breaks ties: the same branch, then how many touched files it is about."""
        branch = self.evidence.workplace.branch
        is_same_branch = branch is not None and candidate.facts.branch == branch
        return (-is_same_branch, -candidate.touched)


def _project_relevance(facts: RecallFacts, workplace: Workplace) -> float:
    if facts.project == workplace.project:
        return SAME_PROJECT
    return SAME_WORKSPACE if facts.workspace is not None and facts.workspace == workplace.workspace else 0.0
