"""The question, and the interface of recall policies."""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hardwon.domain.model.filters import EntryFilter, PolicyName, Workplace
from hardwon.domain.model.ranking.candidates import RecallCandidate, ScoreStatistics
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.prominence import tie_order

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

CLOSE = 0.25
"""
Closeness from which semantic search counts as a match.

Few unrelated questions reach it (`docs/measurements-of-quality.md`).
"""


class RankingContext(NamedTuple):
    """
    The question and the score statistics, common to all candidates.

    Attributes:
        vectors: Statistics of their cosines; without any found there was no semantic search.
        closest: The highest closeness of an entry to the question; 0 without semantic search.
        standardised: Whether vectors of several models were compared, so that the values are
            z-scores, not cosines.
        window: About how many words of a text its vector covers.
        most_observed: The largest observation count of a learning, at least 1.
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
        """Whether no entry has a word of the question or is close."""
        return not self.keywords.found and self.closest < CLOSE


Parts: TypeAlias = Mapping[str, float]
"""The parts of a score, by name, in the order of the formula."""


class RecallPolicy(ABC):
    """
    A rule that scores how well candidates answer one question.

    It is monotonic: a better match in a search never lowers a score, and no score exceeds its upper
    bound.
    """

    places = 0
    """How many places of each list the policy reads."""

    def __init__(self, context: RankingContext) -> None:
        self.context = context

    @abstractmethod
    def score(self, candidate: RecallCandidate) -> float | None:
        """
        Return how well *candidate* answers, higher is better.

        None for one that this policy leaves out.
        """

    @abstractmethod
    def parts(self, candidate: RecallCandidate) -> Parts:
        """Return the values from which the score of *candidate* can be recomputed."""

    def upper_bound(self, candidate: RecallCandidate) -> float | None:
        """
        Return the highest score of an entry with the matches of *candidate*.

        Its facts are the most favourable. By default it is the score of *candidate*.
        """
        return self.score(candidate)

    def relevance(self, candidate: RecallCandidate) -> float | None:
        """
        Return the probability that *candidate* answers, `[0, 1]`.

        It holds whatever the facts of *candidate*; None if not calibrated.
        """
        del candidate
        return None

    def is_named(self, candidate: RecallCandidate) -> bool:
        """Return whether only *candidate* has the one asked word."""
        return candidate.is_named

    def nearness(self, candidate: RecallCandidate) -> tuple[int, ...]:
        """
        Return the tie-breakers of equal scores, smallest first.

        They come before `tie_order`: the own project is first.
        """
        return (int(candidate.facts.project not in self.context.workplace.own),)


class JudgedCandidate(NamedTuple):
    """
    A candidate with its score.

    Attributes:
        score: Higher is better; its range is the policy's.
        relevance: The probability that it answers, `[0, 1]`; None if the policy is not calibrated.
    """

    candidate: RecallCandidate
    score: float
    relevance: float | None

    @property
    def number(self) -> int:
        """The number of its entry."""
        return self.candidate.facts.ranking.number

    def reaches(self, minimum: float | None) -> bool:
        """Return whether its relevance, or else its score, is at least *minimum*."""
        return (
            minimum is None or (self.score if self.relevance is None else self.relevance) >= minimum
        )


def judge(
    policy: RecallPolicy,
    candidates: Iterable[RecallCandidate],
    others: Iterable[JudgedCandidate] = (),
) -> list[JudgedCandidate]:
    """
    Score and order the candidates, merged with *others*.

    The named one comes first, then order is by score; ties go to the nearer, then by `tie_order`.
    Candidates without a score are left out.
    """
    scores = ((candidate, policy.score(candidate)) for candidate in candidates)
    judged = [
        JudgedCandidate(candidate, score, policy.relevance(candidate))
        for candidate, score in scores
        if score is not None
    ]

    def order(answer: JudgedCandidate) -> tuple[Any, ...]:
        is_named = policy.is_named(answer.candidate)
        return (
            not is_named,
            -answer.score,
            policy.nearness(answer.candidate),
            *tie_order(answer.candidate.facts.ranking),
        )

    return sorted([*others, *judged], key=order)


class RecallQuestion(NamedTuple):
    """
    A question with its filter and the thresholds of its answers.

    Attributes:
        only: The entries that may answer.
        minimum: The least relevance of an answer, or score where the policy is not calibrated; None
            for no threshold.
        distinct: Whether of entries with the same text only the best answers, also of a file and a
            section of it.
        keyword_text: None for *text*.
        in_any_spelling: Whether its identifiers are also asked for by their parts.
    """

    text: str
    only: EntryFilter
    policy: PolicyName
    limit: int
    minimum: float | None
    workplace: Workplace
    decays: bool = True
    distinct: bool = True
    keyword_text: str | None = None
    in_any_spelling: bool = True

    @property
    def by_passage(self) -> bool:
        """Whether keyword search scores passages, not whole entries."""
        return self.policy == "adaptive"


class RecallAnswer(NamedTuple):
    """
    An entry that answers a question.

    Attributes:
        keyword: Its keyword score (BM25, higher is better); None when no word matches.
        relevance: The probability that it answers, `[0, 1]`; None if the policy is not calibrated.
    """

    entry: "Entry"
    score: float
    parts: Parts
    vector: float | None = None
    keyword: float | None = None
    relevance: float | None = None

    @property
    def shown(self) -> float:
        """The displayed number: its relevance, or else its score."""
        return self.score if self.relevance is None else self.relevance

    @property
    def by_keyword_only(self) -> bool:
        """Whether only keyword search found it."""
        return self.vector is None and self.keyword is not None
