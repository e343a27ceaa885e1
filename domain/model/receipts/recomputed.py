"""A score computed again from its parts, for what injections rank by."""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.adaptive import score_of_parts
from hardwon.domain.model.recall.context_policy import CONTEXT_WEIGHTS
from hardwon.domain.model.receipts.receipt import Receipt, Shown

Parts: TypeAlias = Mapping[str, float]

TOLERANCE = 1e-6


def policy_of(receipt: Receipt, shown: Shown) -> str:
    """Return what ranked *shown*: conversations beside lessons have a policy of their own."""
    return "context" if (receipt.event, shown.form) == ("start", "conversation") else receipt.policy


def terms_of(policy: str, parts: Parts) -> list[tuple[str, float, float]]:
    """Return the terms of a weighted sum: name, weight, signal; none for a policy that is no such sum."""
    if policy in {"hybrid", "prominence"}:
        return [(name, parts[f"{name}_weight"], parts[name]) for name in Weights._fields]
    if policy == "context":
        return [(name, weight, parts[name]) for name, weight in CONTEXT_WEIGHTS.items()]
    return []


def recomputed(policy: str, parts: Parts) -> float | None:
    """Return the score that *parts* give; None for a policy that is not known here."""
    if terms := terms_of(policy, parts):
        return sum(weight * signal for _, weight, signal in terms)
    return FORMULAS[policy](parts) if policy in FORMULAS else None


FORMULAS: Mapping[str, Callable[[Parts], float]] = {"adaptive": score_of_parts}
"""Policies that are no weighted sum."""


def fits(receipt: Receipt, shown: Shown) -> bool:
    """Tell whether the score of *shown* is what its parts give; without a score there is nothing to doubt."""
    if shown.score is None:
        return True
    try:
        score = recomputed(policy_of(receipt, shown), shown.parts)
    except (KeyError, ArithmeticError, ValueError):
        return False
    return score is None or math.isclose(score, shown.score, rel_tol=0, abs_tol=TOLERANCE)
