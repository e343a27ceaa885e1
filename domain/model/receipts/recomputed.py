"""A score computed again from its parts, for what injections rank by."""

import math
from collections.abc import Mapping
from typing import TypeAlias

from hardwon.domain.model.prompting.winning import Win, win_of_parts
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
        case "adaptive" if "window" in parts and "evidence_full" not in parts:  # by an earlier formula, not known here
            return []
        case "adaptive":
            return terms_of_parts(parts)
        case _:
            return []


def win_of(receipt: Receipt, shown: Shown) -> Win | None:
    """
    Return why *shown* was put beside a prompt; None for what stood at a session's start.

    Raises:
        KeyError: a part is missing.
    """
    return win_of_parts(shown.score, shown.parts) if receipt.event == "prompt" and shown.score is not None else None


def recomputed(policy: str, parts: Parts) -> float | None:
    """
    Return the score that *parts* give; None for a policy that is not known here.

    Raises:
        KeyError: a part is missing.

    """
    terms = terms_of(policy, parts)
    return sum(weight * value for _, weight, value in terms) if terms else None


def fits(receipt: Receipt, shown: Shown) -> bool:
    """
    Tell whether the score of *shown* is what its parts give, and beside a prompt whether it wins by the strength told.

    Without a score there is nothing to doubt.
    """
    if shown.score is None:
        return True
    try:
        score, win = recomputed(policy_of(receipt, shown), shown.parts), win_of(receipt, shown)
        has_won = win is None or (win.is_clear and _is_about(win.strength, shown.parts["strength"]))
    except (KeyError, ArithmeticError, ValueError):
        return False
    return has_won and (score is None or _is_about(score, shown.score))


def _is_about(value: float, told: float) -> bool:
    return math.isclose(value, told, rel_tol=0, abs_tol=TOLERANCE)
