import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.prominence import tie_order
from hardwon.domain.model.ranking.score_statistics import Spread

CLOSE = 0.25
"""The least closeness of an entry that is found by meaning; to most other questions no entry is so close (`docs/quality.md`)."""


class Evidence(NamedTuple):
    """
    What a policy knows besides the candidate it scores.

    Attributes:
        size: How many entries were searched.
        vectors: How the cosines of all of them are spread; nothing found means that meaning was not searched.
        closest: The highest closeness to the question of an entry; 0 when meaning was not searched.
        background: The mean closeness to the question of everything searched, as `Spread.background` gives it.
        standardised: Whether several models were asked, so that these are distances from a mean, not cosines.
        keywords: How their keyword scores are spread.
        window: About how many words of a text its vector knows.
        most_observed: The largest observation count of a learning, at least 1.
        workplace: Where the question is asked.
        now: When it is asked.
        limit: How many answers are wanted.
        terms: The question's words.
        decay: How age tells on an entry.

    """

    size: int
    vectors: Spread
    closest: float
    background: float
    standardised: bool
    keywords: Spread
    window: int
    most_observed: int
    workplace: Workplace
    now: dt.datetime
    limit: int
    terms: tuple[str, ...]
    decay: Decay

    @property
    def is_empty(self) -> bool:
        """Whether no entry holds a word of the question, and none comes close to it."""
        return not self.keywords.found and self.closest < CLOSE


Parts: TypeAlias = Mapping[str, float]
"""What a score is made of, by name, in the order of the formula."""


class RecallPolicy(Protocol):
    """
    A rule that tells how well a candidate answers.

    It never scores lower when a search finds a candidate better, and never above its upper bound.
    """

    @property
    def places(self) -> int:
        """How many places of each list matter."""
        ...

    def score(self, candidate: RecallCandidate) -> float | None:
        """Return how well *candidate* answers, higher is better; None when this policy can't judge it."""
        ...

    def upper_bound(self, candidate: RecallCandidate) -> float | None:
        """Return the highest score that an entry can have with the matches of *candidate*, whose facts are the best there can be."""
        ...

    def relevance(self, candidate: RecallCandidate) -> float | None:
        """Return how likely *candidate* answers, `[0, 1]`, whatever its facts are; None when this is not calibrated."""
        ...

    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return what the score of *candidate* is made of, so that anybody can compute it again."""
        ...

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return what orders candidates of equal score, the smallest first, before `tie_order` does."""
        ...


class PlainPolicy(ABC):
    """
    What most policies share: no place matters, and of entries of equal score those of the own project are nearer.

    Args:
        evidence: What the searches found as a whole.

    """

    places = 0

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @abstractmethod
    def score(self, candidate: RecallCandidate) -> float | None:
        """Return how well *candidate* answers; each policy has its own formula."""

    def upper_bound(self, candidate: RecallCandidate) -> float | None:
        """Return the score of *candidate*: no fact can raise it further."""
        return self.score(candidate)

    def relevance(self, candidate: RecallCandidate) -> float | None:
        """Return None."""
        del candidate
        return None

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return 0 for the own project, 1 for any other."""
        return (int(candidate.facts.project != self.evidence.workplace.project),)


class Judged(NamedTuple):
    """
    A candidate with its score.

    Attributes:
        candidate: The entry.
        score: Higher is better; its range is the policy's.
        relevance: How likely it answers, `[0, 1]`; None where the policy is not calibrated.

    """

    candidate: RecallCandidate
    score: float
    relevance: float | None

    def reaches(self, minimum: float | None) -> bool:
        """Tell whether its relevance, or else its score, is at least *minimum*."""
        return minimum is None or (self.score if self.relevance is None else self.relevance) >= minimum


def judge(policy: RecallPolicy, candidates: Iterable[RecallCandidate]) -> list[Judged]:
    """Return the candidates *policy* can judge, best first; ties go to the nearer, then as `tie_order` has it."""
    scores = ((candidate, policy.score(candidate)) for candidate in candidates)
    judged = [Judged(candidate, score, policy.relevance(candidate)) for candidate, score in scores if score is not None]

    def order(each: Judged) -> tuple[Any, ...]:
        return (-each.score, policy.nearness(each.candidate), *tie_order(each.candidate.facts.ranking))

    return sorted(judged, key=order)
