"""
Exact ranking with early termination: the threshold algorithm (Fagin, Lotem & Naor, PODS 2001).

Candidates stand in several sorted lists: by cosine, by keyword score, by track record. Instead of scoring every
candidate, the heads of the lists are read, ever deeper. A candidate in one of the heads is scored exactly (random
access). One in none of them is in each signal at most as good as the last that was read of that list; as no policy's
score falls when a signal rises, the policy's score of these tails is its *upper bound*.

**Statement.** A choice is made of a ranking, best first: each group is owed its best `quota` places, other places go by
score, `limit` in all; a candidate is passed over only for what it is, or for what ranks above it in its group. If in
every group that has candidates not seen their upper bound is below the group's threshold (`Selection.threshold`), the
choice of the seen candidates is the choice of all candidates, in the same order.

**Proof.** Insert an unseen candidate into the ranking. Its score is strictly below those of the candidates that are owed
a place in its group and of all that are chosen by score, so no tie-break matters: it is owed no place, and the groups
keep their order (by their best). Those of its group that it could displace or repeat rank below it, and none of them is
chosen. All places are taken, so it gets none. Repeat for every unseen candidate.

A bound need not cover candidates that no choice admits: they take no place, and keep none from others. Of a head, those
candidates that provably can't be chosen may be left out.

Used by the session start, by recall with every policy, and through recall beside a prompt, where no text is read unless the
upper bound of an entry's strength suffices (`Contest.may_win`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from hardwon.domain.model.vocabulary import Category


class HasScore(Protocol):
    """A candidate that was scored."""

    @property
    def score(self) -> float:
        """Higher is better."""
        ...


S = TypeVar("S", bound=HasScore)


class Selection(NamedTuple, Generic[S]):
    """
    The candidates chosen of a ranking.

    Attributes:
        owed: Chosen because their group is owed a place, best first.
        by_score: Chosen by score alone, best first.
        limit: How many places there are.
        last_owed: The score of the last candidate that each group is owed a place for, of groups that have so many;
            None when no group is owed any.

    """

    owed: tuple[S, ...]
    by_score: tuple[S, ...]
    limit: int
    last_owed: Mapping[Category | None, float] | None = None

    def threshold(self, group: Category | None) -> float:
        """Return the score below which a further candidate of *group* would change nothing."""
        if len(self.owed) + len(self.by_score) < self.limit:
            return -math.inf
        owed = math.inf if self.last_owed is None else self.last_owed.get(group, -math.inf)
        return min(owed, self.by_score[-1].score if self.by_score else math.inf)


class Head(NamedTuple, Generic[S]):
    """
    The candidates that were seen of the sorted lists.

    Attributes:
        ranked: These candidates, best first.
        bounds: For each group that has others, the highest score that one of them can have.

    """

    ranked: Sequence[S]
    bounds: Mapping[Category | None, float] = {}


def first_exact(
    heads: Iterable[Head[S]], select: Callable[[Sequence[S]], Selection[S]]
) -> tuple[Selection[S], Head[S]]:
    """
    Return what *select* chooses of the first of *heads* that proves the choice, and that head.

    Args:
        heads: Each holds more than the one before; the last holds everything.
        select: Chooses of a ranking, as the statement above has it.

    """
    for head in heads:
        selection = select(head.ranked)
        if all(bound < selection.threshold(group) for group, bound in head.bounds.items()):
            return selection, head
    raise AssertionError("the last head holds everything")
