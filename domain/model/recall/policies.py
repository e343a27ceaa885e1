"""Which rule a policy's name stands for."""

from collections.abc import Callable, Mapping

from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.recall.adaptive import AdaptivePolicy
from hardwon.domain.model.recall.affinity import AffinityPolicy
from hardwon.domain.model.recall.by_search import CosinePolicy, KeywordPolicy, ReciprocalRankPolicy, WeightedPolicy
from hardwon.domain.model.recall.collection import PolicyName
from hardwon.domain.model.recall.context_policy import ContextPolicy
from hardwon.domain.model.recall.evidence import Evidence
from hardwon.domain.model.recall.fused import FusedPolicy
from hardwon.domain.model.recall.hybrid import HybridPolicy
from hardwon.domain.model.recall.policy import RecallPolicy

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
