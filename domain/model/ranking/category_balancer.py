"""The selection of the session start: a quota for each category, then places by score."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hardwon.domain.model.ranking.bounds import Selection
from hardwon.domain.model.ranking.prominence import Scored, final_order
from hardwon.domain.model.vocabulary import Category

QUOTA = 3
"""Places that a category is owed."""
BALANCED_FROM = 9
"""The limit from which categories have a quota."""


def by_category(ranked: Iterable[Scored]) -> dict[Category | None, list[Scored]]:
    """Group a ranking by category, keeping its order; the group with the best entry comes first."""
    groups: dict[Category | None, list[Scored]] = {}
    for scored in ranked:
        groups.setdefault(scored.facts.category, []).append(scored)
    return groups


class CategoryBalancer(NamedTuple):
    """
    Selects *limit* entries so that no category is crowded out.

    From a limit of 9 on, each category first gets up to 3 places for its best entries, dealt round by round if there are
    too few places even for these. All other places go by score over all categories, to relevant entries.

    Examples:
        >>> import datetime as dt
        >>> from hardwon.domain.model.ranking.candidates import Candidate, RankingFacts
        >>> from hardwon.domain.model.ranking.prominence import Signals
        >>> def scored(seq, category, score):
        ...     facts = RankingFacts(seq, f"{seq:016x}", category, 1, "medium", dt.datetime.now(dt.UTC), 0)
        ...     return Scored(Candidate(facts), Signals(), score)
        >>> ranked = [scored(seq, "patterns", 0.9 - seq / 100) for seq in range(12)] + [scored(12, "heuristics", 0.1)]
        >>> [entry.facts.seq for entry in in_order(CategoryBalancer(limit=9).select(ranked))]
        [0, 1, 2, 3, 4, 5, 6, 7, 12]
    """

    limit: int

    @property
    def quota(self) -> int:
        """The places that each category is owed."""
        return QUOTA if self.limit >= BALANCED_FROM else 0

    def select(self, ranked: Sequence[Scored]) -> Selection[Scored]:
        """Select at most `limit` entries of *ranked*, which is best first; none that is superseded."""
        quota, places = self.quota, max(0, self.limit)
        ranked = [scored for scored in ranked if scored.facts.superseded_by is None]
        groups = by_category(ranked)
        rounds = zip_longest(*(group[:quota] for group in groups.values()))
        owed = [scored for dealt in rounds for scored in dealt if scored][:places]
        taken = {scored.facts.seq for scored in owed}
        others = [scored for scored in ranked if scored.is_relevant and scored.facts.seq not in taken]
        complete = {name: group[quota - 1].score for name, group in groups.items() if len(group) >= quota}
        return Selection(tuple(owed), tuple(others[: places - len(owed)]), self.limit, complete if quota else None)


def in_order(selection: Selection[Scored]) -> list[Scored]:
    """Return all of *selection*, best first."""
    return sorted((*selection.owed, *selection.by_score), key=final_order)
