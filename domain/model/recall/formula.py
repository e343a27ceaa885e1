"""How scores are told to who wants to check them."""

from collections.abc import Iterator, Mapping

from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import PolicyName
from hardwon.domain.model.recall.context_policy import CONTEXT_WEIGHTS
from hardwon.domain.model.recall.relevance import FORMULA as RELEVANCE_FORMULA

FORMULAS: Mapping[PolicyName, str] = {
    "adaptive": "clarity * has_vector * (min(1, window / length) * (cosine - cosine_mean) / cosine_deviation"
    " + (1 - min(1, window / length)) * min(1, evidence / (2.5 * evidence_full)) ** 0.5"
    " * (cosine_best - cosine_mean) / cosine_deviation)"
    " + 0.7 * (evidence / evidence_deviation) ** 0.75 - 0.6 * log(max(length, 60) / 60)",
    "affinity": "boost * (0.5 * similarity + 0.25 * recency + 0.25 * project)",
    "context": " + ".join(f"{weight:.2f} * {signal}" for signal, weight in CONTEXT_WEIGHTS.items()),
    "cosine": "similarity",
    "fused": "100 * (0.40 * rrf / best_rrf + 0.25 * boost / 3 + 0.20 * decay + 0.15 * overlap)",
    "hybrid": "vector_weight * vector + keyword_weight * keyword + prominence_weight * prominence",
    "keyword": "keyword",
    "rrf": "vector + keyword",
    "weighted": "vector + keyword",
}
"""Each policy's score, of its parts by name."""

DIVIDING_BY_ZERO: frozenset[PolicyName] = frozenset({"adaptive"})
"""Policies that may divide by 0; such a term counts 0."""

FULL_SCORES: Mapping[PolicyName, float] = {
    "affinity": 1.0,
    "context": 1.0,
    "cosine": 1.0,
    "fused": 100.0,
    "hybrid": 1.0,
    "weighted": 1.0,
}
"""The policies whose scores are shares, and what they are shares of."""


MOST_BY_KEYWORD = 0.99
"""The largest share that is shown of an answer that words alone found."""


def share_of_full(score: float, policy: PolicyName, *, by_keyword_only: bool = False) -> float | None:
    """
    Return *score* as a share in `[0, 1]`, None for a policy without bounds.

    What is kept for good can score above 1; words alone never make a full share.
    """
    full = FULL_SCORES.get(policy)
    return None if full is None else min(max(score / full, 0.0), MOST_BY_KEYWORD if by_keyword_only else 1.0)


def shown_share(answer: Answer, policy: PolicyName) -> float | None:
    """Return what is shown of *answer* as a share in `[0, 1]`: its relevance, or else its score, None for a policy without bounds."""
    if answer.relevance is not None:
        return answer.relevance
    return share_of_full(answer.score, policy, by_keyword_only=answer.by_keyword_only)


def explanation(answer: Answer, policy: PolicyName) -> Iterator[str]:
    """Yield the formulas of the relevance, where there is one, and of the score by *policy*, then all parts of both."""
    note = " (what is divided by 0 is 0)" if policy in DIVIDING_BY_ZERO else ""
    if answer.relevance is not None:
        yield f"{answer.relevance:.8g} = {RELEVANCE_FORMULA}"
    yield f"{answer.score:.8g} = {FORMULAS[policy]}{note}"
    yield f"with {', '.join(f'{name} = {value:.8g}' for name, value in answer.parts.items())}"
