from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hardwon.domain.model.ranking.bounds import Selection
from hardwon.domain.model.ranking.prominence import Scored, final_order
from hardwon.domain.model.vocabulary import Category

QUOTA = 3
BALANCED_FROM = 9


def by_category(ranked: Iterable[Scored]) -> dict[Category | None, list[Scored]]:
    """Group a ranking by category, keeping its order; the group with the best entry comes first."""
    groups: dict[Category | None, list[Scored]] = {}
    for scored in ranked:
        groups.setdefault(scored.facts.category, []).append(scored)
    return groups


class CategoryBalancer(NamedTuple):
    """
    Fills *limit* places so that no category is crowded out.

    From a limit of 9 on, each category first gets up to 3 places for its best
    entries; if even these are too many they are dealt one each in rounds. All
    other places go by score over all categories.
    """

    limit: int

    @property
    def quota(self) -> int:
        """How many places each category is owed."""
        return QUOTA if self.limit >= BALANCED_FROM else 0

    def select(self, ranked: Sequence[Scored]) -> Selection[Scored]:
        """Choose at most `limit` entries of *ranked*, which is best first."""
        quota, places = self.quota, max(0, self.limit)
        groups = by_category(ranked)
        rounds = zip_longest(*(group[:quota] for group in groups.values()))
        owed = [scored for dealt in rounds for scored in dealt if scored][:places]
        taken = {scored.facts.seq for scored in owed}
        others = [scored for scored in ranked if scored.facts.seq not in taken]
        complete = {name: group[quota - 1].score for name, group in groups.items() if len(group) >= quota}
        return Selection(tuple(owed), tuple(others[: places - len(owed)]), self.limit, complete if quota else None)


def in_order(selection: Selection[Scored]) -> list[Scored]:
    """Return all of *selection*, best first."""
    return sorted((*selection.owed, *selection.by_score), key=final_order)
