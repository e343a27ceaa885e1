from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from hardwon.domain.model.ranking.ranking_policy import tie_order
from hardwon.domain.model.recall.candidate import RecallCandidate

Parts: TypeAlias = Mapping[str, float]
"""What a score is made of, by name, in the order of the formula."""


class RecallPolicy(Protocol):
    """A rule that tells how well a candidate answers; it never scores lower when a search finds it better."""

    @property
    def needs_places(self) -> bool:
        """Whether a candidate's places in both lists must be known, which takes reading them to their end."""
        ...

    def parts(self, candidate: RecallCandidate) -> Parts | None:
        """Return what the score of *candidate* is made of, None when this policy can't judge it."""
        ...

    def score(self, parts: Parts) -> float:
        """Return the score, higher is better: computed from *parts* and constants alone."""
        ...

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return what orders candidates of equal score, the smallest first, before `tie_order` does."""
        ...


class PlainPolicy:
    """What most policies share: entries of equal score are equally near, and places don't matter."""

    needs_places = False

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return nothing."""
        del candidate
        return ()


class Judged(NamedTuple):
    """
    A candidate with its score.

    Attributes:
        candidate: The entry.
        score: Higher is better; its range is the policy's.
        parts: What the score is made of.

    """

    candidate: RecallCandidate
    score: float
    parts: Parts


def judge(policy: RecallPolicy, candidates: list[RecallCandidate]) -> list[Judged]:
    """Return the candidates *policy* can judge, best first; ties go to the nearer, then as `tie_order` has it."""
    judged = [
        Judged(candidate, policy.score(parts), parts)
        for candidate in candidates
        if (parts := policy.parts(candidate)) is not None
    ]

    def order(each: Judged) -> tuple[Any, ...]:
        return (-each.score, policy.nearness(each.candidate), *tie_order(each.candidate.facts.ranking))

    return sorted(judged, key=order)
