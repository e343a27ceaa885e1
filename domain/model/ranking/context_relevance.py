"""
How likely a lesson matters to a session that starts, by which the block of the hosts' form ends.

::

    relevance = 1 / (1 + exp(-(-5.8 + 10.6 * closeness + 3.4 * keyword)))
    without a vector: 1 / (1 + exp(-(-4.4 + 5.2 * keyword)))

`closeness` is the lesson's similarity to the session's context on a scale for all models (`ScoreStatistics.closeness`),
`keyword` its keyword score over the store's best. Both come from logistic regressions on labelled session starts;
`docs/quality.md` has the sets and what the floor costs and gains.
"""

from hardwon.domain.model.ranking.logistic import logistic

INTERCEPT = -5.8
CLOSENESS_WEIGHT = 10.6
KEYWORD_WEIGHT = 3.4

WORDS_INTERCEPT = -4.4
WORDS_WEIGHT = 5.2
"""For a lesson without a vector, or without semantic search."""

FLOOR = 0.15
"""The least relevance that is worth a place: a lesson that is missed costs six times one that is read without need."""


def context_relevance(closeness: float | None, keyword: float) -> float:
    """
    Return the probability that a lesson matters, in `[0, 1]`; it never falls when *closeness* or *keyword* grows.

    Args:
        closeness: To the session's context; None without a vector.
        keyword: Its keyword score over the store's best, `[0, 1]`; 0 when no word matches.
    """
    if closeness is None:
        return logistic(WORDS_INTERCEPT + WORDS_WEIGHT * keyword)
    return logistic(INTERCEPT + CLOSENESS_WEIGHT * closeness + KEYWORD_WEIGHT * keyword)
