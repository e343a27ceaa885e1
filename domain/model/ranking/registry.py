"""The policies of recall by name."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hardwon.domain.model.filters import PolicyName
from hardwon.domain.model.ranking.adaptive import AdaptivePolicy
from hardwon.domain.model.ranking.baselines import CosinePolicy
from hardwon.domain.model.ranking.collections import AffinityPolicy, ContextPolicy, FusedPolicy
from hardwon.domain.model.ranking.hybrid import HybridPolicy
from hardwon.domain.model.ranking.policy import RankingContext, RecallPolicy
from hardwon.domain.model.ranking.weights import Weights

PolicyMaker: TypeAlias = Callable[[RankingContext], RecallPolicy]
"""Makes the policy for one question of what the searches found as a whole."""

POLICY_MAKERS: Mapping[PolicyName, PolicyMaker] = {
    "adaptive": AdaptivePolicy,
    "affinity": AffinityPolicy,
    "context": ContextPolicy,
    "cosine": CosinePolicy,
    "fused": FusedPolicy,
}


def build_policy(name: PolicyName, context: RankingContext, weights: Weights) -> RecallPolicy:
    """
    Return the policy *name* for one question.

    Args:
        name: Which rule.
        context: What the searches found as a whole.
        weights: What the user set for `hybrid`.

    """
    if name == "hybrid":
        return HybridPolicy(context, weights)
    return POLICY_MAKERS[name](context)
