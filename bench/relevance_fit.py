"""The logistic regression behind the weights of `domain/model/likelihood.py`."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bench.relevance_stores import Asked, Hit, Side
from hardwon.domain.model.ranking.adaptive import MAX_MATCHED

BEST_OF_UNANSWERABLE = 5
"""
Hits of a question that nothing answers.

Each is a negative example.
"""

NEGATIVE_WEIGHT = 2 / BEST_OF_UNANSWERABLE
"""A question that nothing answers weighs as much as two that are answered."""

RIDGE = 1e-3

LOST = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05)
"""
Shares of right answers that a floor may take away.

The floor follows.
"""

Inputs = Callable[[Hit], list[float] | None]


class Floor(NamedTuple):
    """
    A floor, and what it lets through.

    Attributes:
        lost: The share of right answers below it.
        intercept: With this one in place of the fitted one the floor is 0.5.
        nonsense: For each question of `nonsense.txt` whether one of the best ten is above the
            floor.
        foreign: For each question of another set likewise.
    """

    lost: float
    intercept: float
    nonsense: list[bool]
    foreign: list[bool]


def with_meaning(hit: Hit) -> list[float] | None:
    """
    Return closeness, background and the root of what matched.

    None without a vector.
    """
    return None if hit.closeness is None else [hit.closeness, hit.background, _matched(hit)]


def words_alone(hit: Hit) -> list[float] | None:
    """Return the root of what matched."""
    return [_matched(hit)]


def fit(asked: Sequence[Asked], inputs: Inputs) -> list[float]:
    """
    Return intercept and weights of a logistic regression of "is right" on *inputs*.

    Positive examples are the first right hits of questions, negative ones the best hits of
    questions that nothing answers.
    """
    examples = [
        (row, right, weight)
        for hit, right, weight in _examples(asked)
        if (row := inputs(hit)) is not None
    ]
    rows, right, weights = zip(*examples, strict=True)
    return list(
        map(float, regression(np.array(rows), np.array(right, dtype=float), np.array(weights)))
    )


def regression(
    rows: np.ndarray,
    right: np.ndarray,
    weights: np.ndarray,
    *,
    ridge: float = RIDGE,
    offset: np.ndarray | float = 0.0,
) -> np.ndarray:
    """
    Fit intercept and weights of the ridge logistic regression of *right* (0 or 1).

    *rows* are the inputs; *offset* is added to their log-odds. Newton's method is used, with steps
    of at most 3. The intercept is not shrunk.
    """
    design = np.column_stack([np.ones(len(rows)), rows])
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0
    solution = np.zeros(design.shape[1])
    solution[0] = -np.average(np.broadcast_to(offset, len(rows)), weights=weights)
    for _ in range(100):
        likely = 1 / (1 + np.exp(-np.clip(design @ solution + offset, -35, 35)))
        gradient = design.T @ (weights * (right - likely)) - penalty * solution
        curvature = (design.T * (weights * likely * (1 - likely))) @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        solution = solution + step * min(1.0, 3 / np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return solution


def floors(asked: Sequence[Asked], inputs: Inputs, fitted: Sequence[float]) -> Iterator[Floor]:
    """
    Yield the floor for each share of right answers that may be lost.

    *fitted* is intercept and weights.
    """

    def logit(hit: Hit) -> float:
        row = inputs(hit)
        return (
            -math.inf
            if row is None
            else fitted[0] + math.fsum(w * x for w, x in zip(fitted[1:], row, strict=True))
        )

    def best(side: Side) -> list[float]:
        return [
            max(map(logit, question.hits), default=-math.inf)
            for question in asked
            if question.side == side
        ]

    first = sorted(logit(question.first_right) for question in asked if question.first_right)
    nonsense, foreign = best("nonsense"), best("foreign")
    for lost in LOST:
        least = first[int(lost * len(first))]
        yield Floor(
            lost,
            fitted[0] - least,
            [top >= least for top in nonsense],
            [top >= least for top in foreign],
        )


def _examples(asked: Sequence[Asked]) -> Iterator[tuple[Hit, bool, float]]:
    for question in asked:
        if question.side != "answerable":
            for hit in question.hits[:BEST_OF_UNANSWERABLE]:
                yield hit, False, NEGATIVE_WEIGHT
        elif question.first_right:
            yield question.first_right, True, 1.0


def _matched(hit: Hit) -> float:
    return math.sqrt(min(hit.matched, MAX_MATCHED))
