"""The policy `cosine`, and the similarity that `affinity` shares with it."""

from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import Parts, RankingContext, RecallPolicy
from hardwon.domain.model.ranking.prominence import share

BY_KEYWORD = 0.9
"""The similarity that the best keyword match stands in for: words alone never make 1."""


class CosinePolicy(RecallPolicy):
    """
    `cosine`: cosine similarity, `[0, 1]`; an entry without a vector is left out.

    When meaning can't be searched, 0.9 of the keyword score over the best one stands in for it. The vector of a single
    word says little: its cosine with a text about just that is about 0.4, that of a phrase 0.6; so holding it counts too.
    """

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the similarity; an entry that holds the only word of a question lies halfway between it and 1."""
        similarity = similarity_of(candidate, self.context)
        is_held = candidate.keyword is not None and len(self.context.terms) == 1
        return (1 + similarity) / 2 if similarity is not None and is_held and self.context.vectors.found else similarity

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the similarity."""
        return {"similarity": self.score(candidate) or 0.0}


def similarity_of(candidate: RecallCandidate, context: RankingContext) -> float | None:
    """
    Return the cosine in `[0, 1]`, None for an entry without a vector.

    Where meaning was not searched, `similarity_by_keyword` stands in; where several models were asked, the share of the
    best.
    """
    if not context.vectors.found:
        return None if candidate.keyword is None else similarity_by_keyword(candidate, context)
    if candidate.vector is None:
        return None
    return share(candidate.vector, context.vectors.best) if context.standardised else max(0.0, candidate.vector)


def similarity_by_keyword(candidate: RecallCandidate, context: RankingContext) -> float:
    """Return the similarity that a keyword match stands in for, in `[0, 0.9]`: its score over the best one, times 0.9."""
    return BY_KEYWORD * share(candidate.keyword, context.keywords.best)
