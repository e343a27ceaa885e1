"""
The probability that an entry answers a question.

It is comparable between questions, stores and models.

::

    relevance = 1 / (1 + exp(-(intercept + a * closeness + b * background + c * sqrt(matched))))

`closeness` is the entry's similarity to the question, `background` the mean closeness of everything
stored: about 0 for a question about other subjects. `matched` is the share of the question's words,
weighted by rarity, that the entry's best passage holds. The weights come from two logistic
regressions: one separates answers from the best hits of questions that have none, the other gives
the probability that a hit of such a strength is an answer, shifted so that the threshold below
which nothing is shown is 0.5. `docs/quality.md` says on which questions they were fitted, and how
well it is calibrated.

How likely a lesson matters to a session that starts, by which the block of the hosts' form ends::

    relevance = 1 / (1 + exp(-(-5.8 + 10.6 * closeness + 3.4 * keyword)))
    without a vector: 1 / (1 + exp(-(-4.4 + 5.2 * keyword)))

`closeness` is the lesson's similarity to the session's context on a scale for all models
(`ScoreStatistics.closeness`), `keyword` its keyword score over the store's best. Both come from
logistic regressions on labelled session starts; `docs/quality.md` has the sets and what the floor
costs and gains.
"""

import math


def logistic(logit: float) -> float:
    """Return the probability, in `[0, 1]`, of the log odds *logit*."""
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))


MAX_MATCHED = 1.0
"""Upper bound of `matched`: repeating the words of a question adds nothing."""

INTERCEPT = -3.1
CLOSENESS_WEIGHT = 5.1
BACKGROUND_WEIGHT = 15.0
MATCHED_WEIGHT = 1.6

MATCHED_INTERCEPT = -4.1
MATCHED_ONLY_WEIGHT = 6.7
"""For an entry without a vector, or without semantic search."""


HELD = 0.51
"""
Least relevance of an entry that holds all of a precise question.

It is above the threshold.
"""

FORMULA = (
    f"min(cap, max({HELD} * held, 1 / (1 + exp(-({INTERCEPT} + {CLOSENESS_WEIGHT} * closeness +"
    f" {BACKGROUND_WEIGHT} * background + {MATCHED_WEIGHT} * min(1, matched) ** 0.5))) if"
    f" has_vector else 1 / (1 + exp(-({MATCHED_INTERCEPT} + {MATCHED_ONLY_WEIGHT} * min(1, matched)"
    " ** 0.5)))))"
)
"""
The formula for people and programs, in the names of the parts.

`cap` is the lowest relevance of earlier answers, 1 first.
"""


def relevance(
    closeness: float | None, background: float, matched: float, *, is_held: bool = False
) -> float:
    """
    Return the probability that an entry answers.

    Args:
        closeness: To the question, as `ScoreStatistics.closeness` gives it; None without a vector.
        background: The mean closeness of everything searched.
        matched: Its BM25 score over the least of a full match, 0 when no word matches.
        is_held: Whether it has all that a precise question asks for: then it is at least 0.51.

    Returns:
        A value in `[0, 1]`, monotone in *closeness* and *matched*.
    """
    words = math.sqrt(min(max(matched, 0.0), MAX_MATCHED))
    if closeness is None:
        log_odds = MATCHED_INTERCEPT + MATCHED_ONLY_WEIGHT * words
    else:
        log_odds = (
            INTERCEPT
            + CLOSENESS_WEIGHT * closeness
            + BACKGROUND_WEIGHT * background
            + MATCHED_WEIGHT * words
        )
    return max(HELD if is_held else 0.0, logistic(log_odds))


CONTEXT_INTERCEPT = -5.8
CONTEXT_CLOSENESS_WEIGHT = 10.6
KEYWORD_WEIGHT = 3.4

WORDS_INTERCEPT = -4.4
WORDS_WEIGHT = 5.2
"""For a lesson without a vector, or without semantic search."""

FLOOR = 0.15
"""
Least relevance worth a place.

A missed lesson costs six times one that is read without need.
"""


def context_relevance(closeness: float | None, keyword: float) -> float:
    """
    Return the probability that a lesson matters, in `[0, 1]`.

    It is monotone in *closeness* to the session's context, None without a vector, and in *keyword*,
    the score over the store's best.
    """
    if closeness is None:
        return logistic(WORDS_INTERCEPT + WORDS_WEIGHT * keyword)
    return logistic(
        CONTEXT_INTERCEPT + CONTEXT_CLOSENESS_WEIGHT * closeness + KEYWORD_WEIGHT * keyword
    )
