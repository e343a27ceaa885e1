"""Policies that go by the two searches alone."""

from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.policy import Evidence, Parts, PlainPolicy
from hardwon.domain.model.ranking.prominence import share

RRF_K = 60
"""Cormack, Clarke & Büttcher 2009: damps the head of a ranking."""

RRF_PLACES = 200
"""Of each list; further down a place is worth next to nothing."""

BY_KEYWORD = 0.9
"""The similarity that the best keyword match stands in for: words alone never make 1."""

VECTOR_SHARE = 0.5
KEYWORD_SHARE = 0.2


class CosinePolicy(PlainPolicy):
    """
    `cosine`: cosine similarity, `[0, 1]` (M-B1); an entry without a vector is left out (B-17).

    When meaning can't be searched, 0.9 of the keyword score over the best one stands in for it. The vector of a single
    word says little: its cosine with a text about just that is about 0.4, that of a phrase 0.6; so holding it counts too.
    """

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the similarity; an entry that holds the only word of a question lies halfway between it and 1."""
        similarity = similarity_of(candidate, self.evidence)
        is_held = candidate.keyword is not None and len(self.evidence.terms) == 1
        return (
            (1 + similarity) / 2 if similarity is not None and is_held and self.evidence.vectors.found else similarity
        )

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the similarity."""
        return {"similarity": self.score(candidate) or 0.0}


class KeywordPolicy(PlainPolicy):
    """`keyword`: BM25, for what holds at least one of the words."""

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return the keyword score."""
        return candidate.keyword

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the keyword score."""
        return {"keyword": candidate.keyword or 0.0}


class ReciprocalRankPolicy(PlainPolicy):
    """`rrf`: reciprocal rank fusion, the sum of `1 / (60 + place)` over the first 200 of both lists."""

    places = RRF_PLACES

    def score(self, candidate: RecallCandidate) -> float:
        """Return the sum."""
        return sum(self.parts(candidate).values())

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return what each list gives."""
        return {"vector": _reciprocal(candidate.vector_place), "keyword": _reciprocal(candidate.keyword_place)}


class WeightedPolicy(PlainPolicy):
    """`weighted`: 0.5 cosine + 0.2 keyword score, each over its best, the simplest fusion there is."""

    def score(self, candidate: RecallCandidate) -> float:
        """Return the sum."""
        return sum(self.parts(candidate).values())

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return both shares, weighted."""
        return {
            "vector": VECTOR_SHARE * share(candidate.vector, self.evidence.vectors.best),
            "keyword": KEYWORD_SHARE * share(candidate.keyword, self.evidence.keywords.best),
        }


def similarity_of(candidate: RecallCandidate, evidence: Evidence) -> float | None:
    """
    Return the cosine in `[0, 1]`, None for an entry without a vector.

    Where meaning was not searched, `similarity_by_keyword` stands in; where several models were asked, the share of the
    best.
    """
    if not evidence.vectors.found:
        return None if candidate.keyword is None else similarity_by_keyword(candidate, evidence)
    if candidate.vector is None:
        return None
    return share(candidate.vector, evidence.vectors.best) if evidence.standardised else max(0.0, candidate.vector)


def similarity_by_keyword(candidate: RecallCandidate, evidence: Evidence) -> float:
    """Return the similarity that a keyword match stands in for, in `[0, 0.9]`: its score over the best one, times 0.9."""
    return BY_KEYWORD * share(candidate.keyword, evidence.keywords.best)


def _reciprocal(place: int | None) -> float:
    return 0.0 if place is None or place > RRF_PLACES else 1 / (RRF_K + place)
