"""
When a few heads of lists prove what ranking the whole store would give.

Each category is seen to a depth k in three lists: by vector, by keyword and by
prominence. An entry that was not seen can't be better in any signal than the
tail of that list, so it can't score above the tails put through the policy.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.ranking.category_balancer import CategoryBalancer, Selection, by_category
from hardwon.domain.model.ranking.prominence import RankingPolicy, Scored
from hardwon.domain.model.vocabulary import Category

NOTHING_UNSEEN = -math.inf


class Tails(NamedTuple):
    """
    The last score of each list of one category; 0 for a list that ended before its depth.

    Attributes:
        vector: Cosine similarity.
        keyword: Keyword score.
        prominence: Track record.

    """

    vector: float = 0.0
    keyword: float = 0.0
    prominence: float = 0.0


def bound(policy: RankingPolicy, tails: Tails) -> float:
    """Return the highest final score that an entry not seen can have."""
    return policy.score(policy.signals(tails.vector, tails.keyword, tails.prominence))


def is_exact(
    selection: Selection,
    ranked: Sequence[Scored],
    balancer: CategoryBalancer,
    sizes: Mapping[Category, int],
    bounds: Mapping[Category, float],
) -> bool:
    """
    Tell whether *selection* is what the whole store would have given.

    Args:
        selection: What *balancer* chose of *ranked*.
        ranked: The entries seen, best first.
        balancer: How places are shared out.
        sizes: How many entries each category has.
        bounds: The bound of each category; minus infinity when all of it was seen.

    """
    return (
        _owed_are_settled(ranked, balancer.quota, sizes, bounds)
        and _worst_by_score_is_settled(selection, bounds)
        and _nothing_could_join(selection, balancer.limit, bounds)
    )


def _owed_are_settled(
    ranked: Sequence[Scored], quota: int, sizes: Mapping[Category, int], bounds: Mapping[Category, float]
) -> bool:
    groups = by_category(ranked)
    return all(
        sum(scored.final_score > bounds[category] for scored in groups.get(category, ())[:quota]) == min(quota, size)
        for category, size in sizes.items()
    )


def _worst_by_score_is_settled(selection: Selection, bounds: Mapping[Category, float]) -> bool:
    return not selection.by_score or selection.by_score[-1].final_score > max(bounds.values())


def _nothing_could_join(selection: Selection, limit: int, bounds: Mapping[Category, float]) -> bool:
    is_full = len(selection.owed) + len(selection.by_score) >= limit
    return is_full or all(each == NOTHING_UNSEEN for each in bounds.values())
