from hardwon.domain.model.importance.tiers import HIGHEST_BOOST, TIER_BOOSTS
from hardwon.domain.model.keyword_query import words_of
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.recall.by_search import RRF_K
from hardwon.domain.model.recall.candidate import RecallCandidate
from hardwon.domain.model.recall.evidence import CLOSE, Evidence
from hardwon.domain.model.recall.policy import Parts, PlainPolicy

RRF_WEIGHT = 0.40
BOOST_WEIGHT = 0.25
DECAY_WEIGHT = 0.20
OVERLAP_WEIGHT = 0.15

PLACES_AN_ANSWER = 2
"""How many places of each list are read for each answer that is wanted (requirement D-S2)."""


class FusedPolicy(PlainPolicy):
    """
    `fused`: what both searches rank high, is important, is new, and is named like the question (D-S5 to D-S7).

    ::

        score    = 100 (0.40 rrf / best_rrf + 0.25 boost / 3 + 0.20 decay + 0.15 overlap)
        rrf      = 1 / (60 + vector_rank) + 1 / (60 + keyword_rank)
        best_rrf = (how many searches found anything) / 61
        overlap  = the share of the question's words that stand in the anchor's name

    The reciprocal ranks are divided by the best there can be, and the boost by the highest, or the tier alone would
    decide (M-D2). Only the first `2 * limit` of each list count, by meaning those that come close; what is among them
    in neither can't be judged: tier and age order what answers, and lift nothing that does not.

    Args:
        evidence: What the searches found as a whole.

    """

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence)
        self.places = PLACES_AN_ANSWER * evidence.limit
        searches = (evidence.closest >= CLOSE) + bool(evidence.keywords.found)
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
        """Return what the formula reads, then both ranks, 0 for a list whose first places it is not among."""
        facts = candidate.facts
        is_close = candidate.closeness is not None and candidate.closeness >= CLOSE
        ranks = [self._rank(candidate.vector_place if is_close else None), self._rank(candidate.keyword_place)]
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
        return self.evidence.decay.factor(
            tier=facts.tier,
            importance_weight=facts.importance_weight,
            permanent=facts.permanent,
            created_at=facts.created_at,
            now=self.evidence.now,
        )

    def _overlap(self, anchor_id: str) -> float:
        """Return the share of the question's words that stand in *anchor_id*, 0 without an anchor."""
        terms = set(self.evidence.terms)
        return len(terms.intersection(words_of(anchor_id))) / len(terms) if terms else 0.0
