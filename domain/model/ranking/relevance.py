"""
How likely an entry answers a question, on one scale for all questions, stores and models.

::

    relevance = 1 / (1 + exp(-(intercept + a * closeness + b * background + c * sqrt(matched))))

`closeness` says how near the entry is to the question by meaning, `background` how near everything stored is: a question
about other subjects has a background of about 0. `matched` is the share of the question's words, weighted by how rare they are,
that the entry's best passage holds. The weights come from two logistic regressions: one tells answers from the best hits of
questions that have none, the other how likely a hit of such a strength is an answer, shifted so that the floor below which
nothing is shown is 0.5. `docs/quality.md` says on which questions they were fitted and how reliable the relevance is.
"""

import math

MAX_MATCHED = 1.0
"""A passage that repeats the words of the question tells no more than one that holds them."""

INTERCEPT = -3.1
CLOSENESS_WEIGHT = 5.1
BACKGROUND_WEIGHT = 15.0
MATCHED_WEIGHT = 1.6

MATCHED_INTERCEPT = -4.1
MATCHED_ONLY_WEIGHT = 6.7
"""For an entry without a vector, or where only words were searched."""


FORMULA = (
    f"min(cap, 1 / (1 + exp(-({INTERCEPT} + {CLOSENESS_WEIGHT} * closeness + {BACKGROUND_WEIGHT} * background"
    f" + {MATCHED_WEIGHT} * min(1, matched) ** 0.5))) if has_vector"
    f" else 1 / (1 + exp(-({MATCHED_INTERCEPT} + {MATCHED_ONLY_WEIGHT} * min(1, matched) ** 0.5))))"
)
"""The same for people and programs, of the parts by name; `cap` is the lowest relevance of the answers before, 1 for the first."""


def relevance(closeness: float | None, background: float, matched: float) -> float:
    """
    Return how likely an entry answers.

    Args:
        closeness: To the question, as `ScoreStatistics.closeness` gives it; None when the entry has no vector.
        background: The mean closeness of everything searched.
        matched: Its BM25 score over the least of a full match, 0 when no word matches.

    Returns:
        A value in `[0, 1]`, which never falls when *closeness* or *matched* grows.

    """
    words = math.sqrt(min(max(matched, 0.0), MAX_MATCHED))
    if closeness is None:
        return _logistic(MATCHED_INTERCEPT + MATCHED_ONLY_WEIGHT * words)
    return _logistic(INTERCEPT + CLOSENESS_WEIGHT * closeness + BACKGROUND_WEIGHT * background + MATCHED_WEIGHT * words)


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
