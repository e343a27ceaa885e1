from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hardwon.domain.model.ranking.prominence import Scored
from hardwon.domain.model.vocabulary import Category

QUOTA = 3
BALANCED_FROM = 9


class Selection(NamedTuple):
    """
    What the balancer chose.

    Attributes:
        owed: Chosen because their category is owed a place, best first.
        by_score: Chosen by score alone, best first.

    """

    owed: tuple[Scored, ...]
    by_score: tuple[Scored, ...]

    def in_order(self, ranked: Sequence[Scored]) -> list[Scored]:
        """Return all that was chosen, in the order of *ranked*."""
        chosen = {scored.facts.seq for scored in (*self.owed, *self.by_score)}
        return [scored for scored in ranked if scored.facts.seq in chosen]


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

    def select(self, ranked: Sequence[Scored]) -> Selection:
        """Choose at most `limit` entries of *ranked*, which is best first."""
        rounds = zip_longest(*(group[: self.quota] for group in by_category(ranked).values()))
        owed = [scored for each in rounds for scored in each if scored][: max(0, self.limit)]
        taken = {scored.facts.seq for scored in owed}
        others = [scored for scored in ranked if scored.facts.seq not in taken]
        return Selection(tuple(owed), tuple(others[: max(0, self.limit - len(owed))]))
