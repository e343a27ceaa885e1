"""
The selection from a ranking: quotas, then score.

It is exact with early termination: the threshold algorithm (Fagin, Lotem & Naor, PODS 2001). The
session start uses it, recall with every policy, and through recall a prompt, where a text is read
only if the upper bound of its probability suffices (`Contest.may_win`).

Candidates are in several sorted lists: by cosine, by keyword score, by track record. Instead of
scoring every candidate, the heads of the lists are read, ever deeper. A candidate in one of the
heads is scored exactly (random access). A candidate in none of them is in each signal at most as
good as the last one read of that list; as no policy's score falls when a signal rises, the policy's
score of these tails is its *upper bound*.

**Statement.** A selection is made of a ranking, best first: each group is owed its best `quota`
places, other places go by score, `limit` in all; a candidate is passed over only for what it is, or
for what ranks above it in its group. If in every group that has unseen candidates their upper bound
is below the group's threshold (`Selection.threshold`), the selection of the seen candidates is the
selection of all candidates, in the same order.

**Proof.** Insert an unseen candidate into the ranking. Its score is strictly below those of the
candidates that are owed a place in its group and of all that are chosen by score, so no tie-break
matters: it is owed no place, and the groups keep their order (by their best). Those of its group
that it could displace or repeat rank below it, and none of them is chosen. All places are taken, so
it gets none. Repeat for every unseen candidate.

A bound need not cover candidates that no selection admits: they take no place, and keep none from
others. Candidates of a head that provably can't be chosen may be left out.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Generic, NamedTuple, Protocol, TypeVar

from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.domain.model.ranking.prominence import ScoredCandidate, final_order
from hardwon.domain.model.vocabulary import Category


def best_hits(
    scores: Mapping[int, float], k: int, in_tie_order: Callable[[list[int]], Iterable[int]]
) -> list[IndexHit]:
    """
    Return the *k* best of *scores*, the highest first.

    Only those with an equal score are given to *in_tie_order*.

    Examples:
        >>> best_hits({1: 0.5, 2: 0.9, 3: 0.5}, 2, in_tie_order=lambda tied: sorted(tied, reverse=True))
        [IndexHit(number=2, score=0.9), IndexHit(number=3, score=0.5)]
    """
    ordered = sorted(scores.values(), reverse=True)[: max(0, k)]
    best = (
        [(number, score) for number, score in scores.items() if score >= ordered[-1]]
        if ordered
        else []
    )
    counts = Counter(score for _, score in best)
    tied = [number for number, score in best if counts[score] > 1]
    places = {number: place for place, number in enumerate(in_tie_order(tied) if tied else ())}
    best.sort(key=lambda hit: (-hit[1], places.get(hit[0], 0)))
    return [IndexHit(*hit) for hit in best[:k]]


class HasScore(Protocol):
    """A scored candidate."""

    @property
    def score(self) -> float:
        """Higher is better."""
        ...


S = TypeVar("S", bound=HasScore)


class Selection(NamedTuple, Generic[S]):
    """
    The candidates chosen from a ranking.

    Attributes:
        last_owed: The score of the last candidate within the quota, by group, of groups that fill
            it; None without quotas.
    """

    owed: tuple[S, ...]
    by_score: tuple[S, ...]
    limit: int
    last_owed: Mapping[Category | None, float] | None = None

    def threshold(self, group: Category | None) -> float:
        """Return the score below which another candidate of *group* changes nothing."""
        owed = math.inf if self.last_owed is None else self.last_owed.get(group, -math.inf)
        if len(self.owed) + len(self.by_score) < self.limit:
            return -math.inf
        return min(owed, self.by_score[-1].score if self.by_score else math.inf)


class Head(NamedTuple, Generic[S]):
    """
    The candidates seen in the heads of the sorted lists.

    Attributes:
        unseen: The upper bound of the unseen candidates, for each group that has any.
    """

    ranked: Sequence[S]
    unseen: Mapping[Category | None, float] = {}


def first_exact(
    heads: Iterable[Head[S]], select: Callable[[Sequence[S]], Selection[S]]
) -> tuple[Selection[S], Head[S]]:
    """
    Return the first provable selection of *heads*, with its head.

    Each head has more than the one before; the last has everything.
    """
    for head in heads:
        selection = select(head.ranked)
        if all(bound < selection.threshold(group) for group, bound in head.unseen.items()):
            return selection, head
    raise AssertionError("the last head holds everything")


QUOTA = 3
BALANCED_FROM = 9
"""The limit from which categories have a quota."""


def by_category(ranked: Iterable[ScoredCandidate]) -> dict[Category | None, list[ScoredCandidate]]:
    """Group a ranking by category, the group with the best entry first."""
    groups: dict[Category | None, list[ScoredCandidate]] = {}
    for scored in ranked:
        groups.setdefault(scored.facts.category, []).append(scored)
    return groups


class CategoryBalancer(NamedTuple):
    """
    Selects *limit* entries so that no category is crowded out.

    From a limit of 9 on, each category first gets up to 3 places for its best entries, dealt round
    by round if there are too few places even for these. All other places go by score over all
    categories.

    Examples:
        >>> import datetime as dt
        >>> from hardwon.domain.model.ranking.candidates import Candidate, RankingFacts
        >>> from hardwon.domain.model.ranking.prominence import Signals
        >>> def scored(number, category, score):
        ...     facts = RankingFacts(number, f"{number:016x}", category, 1, "medium", dt.datetime.now(dt.UTC), 0)
        ...     return ScoredCandidate(Candidate(facts), Signals(), score)
        >>> ranked = [scored(number, "patterns", 0.9 - number / 100) for number in range(12)] + [scored(12, "heuristics", 0.1)]
        >>> [entry.facts.number for entry in in_order(CategoryBalancer(limit=9).select(ranked))]
        [0, 1, 2, 3, 4, 5, 6, 7, 12]
    """

    limit: int

    @property
    def quota(self) -> int:
        """The places that each category is owed."""
        return QUOTA if self.limit >= BALANCED_FROM else 0

    def select(self, ranked: Sequence[ScoredCandidate]) -> Selection[ScoredCandidate]:
        """Select at most `limit` entries of *ranked*, without superseded ones."""
        quota, places = self.quota, max(0, self.limit)
        ranked = [scored for scored in ranked if scored.facts.superseded_by is None]
        groups = by_category(ranked)
        rounds = zip_longest(*(group[:quota] for group in groups.values()))
        owed = [scored for dealt in rounds for scored in dealt if scored][:places]
        taken = {scored.facts.number for scored in owed}
        others = [scored for scored in ranked if scored.facts.number not in taken]
        complete = {
            name: group[quota - 1].score for name, group in groups.items() if len(group) >= quota
        }
        return Selection(
            owed=tuple(owed),
            by_score=tuple(others[: places - len(owed)]),
            limit=self.limit,
            last_owed=complete if quota else None,
        )


def in_order(selection: Selection[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return all of *selection*, best first."""
    return sorted((*selection.owed, *selection.by_score), key=final_order)
