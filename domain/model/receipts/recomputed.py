"""A score computed again from its parts, for what injections rank by."""

import math
from collections.abc import Mapping
from typing import TypeAlias

from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.adaptive import terms_of_parts
from hardwon.domain.model.recall.context_policy import CONTEXT_WEIGHTS
from hardwon.domain.model.receipts.receipt import Receipt, Shown

Parts: TypeAlias = Mapping[str, float]

TOLERANCE = 1e-6


def policy_of(receipt: Receipt, shown: Shown) -> str:
    """Return what ranked *shown*: conversations beside lessons have a policy of their own."""
    return "context" if (receipt.event, shown.form) == ("start", "conversation") else receipt.policy


def terms_of(policy: str, parts: Parts) -> list[tuple[str, float, float]]:
    """
    Return the terms whose sum is the score that *parts* give: name, weight and value; none for an unknown policy.

    Raises:
        KeyError: a part is missing.

    """
    match policy:
        case "hybrid" | "prominence":
            return [(name, parts[f"{name}_weight"], parts[name]) for name in Weights._fields]
        case "context":
            return [(name, weight, parts[name]) for name, weight in CONTEXT_WEIGHTS.items()]
        case "adaptive":
            return terms_of_parts(parts)
        case _:
            return []


def recomputed(policy: str, parts: Parts) -> float | None:
    """
    Return the score that *parts* give; None for a policy that is not known here.

    Raises:
        KeyError: a part is missing.

    """
    terms = terms_of(policy, parts)
    return sum(weight * value for _, weight, value in terms) if terms else None


def fits(receipt: Receipt, shown: Shown) -> bool:
    """Tell whether the score of *shown* is what its parts give; without a score there is nothing to doubt."""
    if shown.score is None:
        return True
    try:
        score = recomputed(policy_of(receipt, shown), shown.parts)
    except (KeyError, ArithmeticError, ValueError):
        return False
    return score is None or math.isclose(score, shown.score, rel_tol=0, abs_tol=TOLERANCE)
