"""Which rule a policy's name stands for."""

from collections.abc import Callable, Mapping

from hardwon.domain.model.filters import PolicyName
from hardwon.domain.model.ranking.adaptive import AdaptivePolicy
from hardwon.domain.model.ranking.baselines import CosinePolicy, KeywordPolicy, ReciprocalRankPolicy, WeightedPolicy
from hardwon.domain.model.ranking.collections import AffinityPolicy, ContextPolicy, FusedPolicy
from hardwon.domain.model.ranking.hybrid import HybridPolicy
from hardwon.domain.model.ranking.policy import Evidence, RecallPolicy
from hardwon.domain.model.ranking.weights import Weights

BY_EVIDENCE: Mapping[PolicyName, Callable[[Evidence], RecallPolicy]] = {
    "adaptive": AdaptivePolicy,
    "affinity": AffinityPolicy,
    "context": ContextPolicy,
    "cosine": CosinePolicy,
    "fused": FusedPolicy,
    "keyword": KeywordPolicy,
    "rrf": ReciprocalRankPolicy,
    "weighted": WeightedPolicy,
}


def build_policy(name: PolicyName, evidence: Evidence, weights: Weights) -> RecallPolicy:
    """
    Return the policy *name* for one question.

    Args:
        name: Which rule.
        evidence: What the searches found as a whole.
        weights: What the user set for `hybrid`.

    """
    if name == "hybrid":
        return HybridPolicy(evidence, weights)
    return BY_EVIDENCE[name](evidence)
