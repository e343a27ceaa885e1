import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.ranking.candidates import RecallCandidate
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.prominence import tie_order
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics

CLOSE = 0.25
"""The least closeness of an entry that is found by meaning; to most other questions no entry is so close (`docs/quality.md`)."""


class RankingContext(NamedTuple):
    """
    What a policy knows besides the candidate it scores.

    Attributes:
        size: How many entries were searched.
        vectors: Statistics of their cosines; nothing found means that meaning was not searched.
        closest: The highest closeness to the question of an entry; 0 when meaning was not searched.
        background: The mean closeness to the question of everything searched, as `ScoreStatistics.background` gives it.
        standardised: Whether several models were asked, so that these are distances from a mean, not cosines.
        keywords: Statistics of their keyword scores.
        window: About how many words of a text its vector knows.
        most_observed: The largest observation count of a learning, at least 1.
        workplace: Where the question is asked.
        now: When it is asked.
        limit: How many answers are wanted.
        terms: The question's words.
        decay: How age tells on an entry.

    """

    size: int
    vectors: ScoreStatistics
    closest: float
    background: float
    standardised: bool
    keywords: ScoreStatistics
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


class RecallPolicy(ABC):
    """
    A rule that scores how well candidates answer one question.

    It never scores lower when a search finds a candidate better, and never above its upper bound.

    Args:
        context: What the searches found as a whole.

    """

    places = 0
    """How many places of each list matter."""

    def __init__(self, context: RankingContext) -> None:
        self.context = context

    @abstractmethod
    def score(self, candidate: RecallCandidate) -> float | None:
        """Return how well *candidate* answers, higher is better; None when this policy can't judge it."""

    @abstractmethod
    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the values that the score of *candidate* is computed from, so that it can be computed again."""

    def upper_bound(self, candidate: RecallCandidate) -> float | None:
        """
        Return the highest score that an entry can have with the matches of *candidate*, whose facts are the best there can be.

        Here it is the score of *candidate*: no fact can raise it further.
        """
        return self.score(candidate)

    def relevance(self, candidate: RecallCandidate) -> float | None:
        """Return how likely *candidate* answers, `[0, 1]`, whatever its facts are; None when this is not calibrated."""
        del candidate
        return None

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """Return what orders candidates of equal score, the smallest first, before `tie_order`: the own project first."""
        return (int(candidate.facts.project != self.context.workplace.project),)


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
        """Return whether its relevance, or else its score, is at least *minimum*."""
        return minimum is None or (self.score if self.relevance is None else self.relevance) >= minimum


def judge(policy: RecallPolicy, candidates: Iterable[RecallCandidate], others: Iterable[Judged] = ()) -> list[Judged]:
    """Return the candidates *policy* can judge, and *others*, best first; ties go to the nearer, then as `tie_order` has it."""
    scores = ((candidate, policy.score(candidate)) for candidate in candidates)
    judged = [Judged(candidate, score, policy.relevance(candidate)) for candidate, score in scores if score is not None]

    def order(answer: Judged) -> tuple[Any, ...]:
        return (-answer.score, policy.nearness(answer.candidate), *tie_order(answer.candidate.facts.ranking))

    return sorted([*others, *judged], key=order)
