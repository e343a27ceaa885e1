"""The candidates of a ranking, their scores, and the statistics of these."""

import datetime as dt
import math
from collections.abc import Iterable
from operator import mul
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category, Confidence, Kind, Tier


class IndexHit(NamedTuple):
    """An entry found by an index."""

    number: int
    score: float


class RankingFacts(NamedTuple):
    """
    The fields of an entry that ranking reads.

    Attributes:
        updated_at: Determines recency, and breaks ties before the id.
        superseded_by: Id of the learning that replaces it, if any.
        is_gone: Whether every file that it cites is gone.
    """

    number: int
    entry_id: str
    category: Category | None
    observation_count: int
    confidence: Confidence
    updated_at: dt.datetime
    recall_count: int
    project: str | None = None
    superseded_by: str | None = None
    is_gone: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether it ranks below those that hold."""
        return self.is_gone or self.superseded_by is not None


class Candidate(NamedTuple):
    """
    An entry to be ranked, with its exact scores.

    Attributes:
        vector: Cosine similarity to the query, `[-1, 1]`; None without a vector.
        keyword: BM25 with the sign turned, so that higher is better; None when no word matches.
    """

    facts: RankingFacts
    vector: float | None = None
    keyword: float | None = None


class RecallFacts(NamedTuple):
    """
    The fields of an entry that the policies of recall read.

    Attributes:
        project: Id of its project; None for a universal entry.
        content_hash: Equal for entries with the same description.
        importance_weight: At 1 it does not decay.
        created_at: Determines decay; to the second.
        file_path: None for a learning.
    """

    ranking: RankingFacts
    kind: Kind
    project: str | None
    workspace: str | None
    branch: str | None
    permanent: bool
    content_hash: str
    words: int
    tier: Tier
    importance_weight: float
    created_at: dt.datetime
    anchor_id: str
    file_path: str | None = None


class RecallCandidate(NamedTuple):
    """
    An entry that may be an answer, with its scores.

    Attributes:
        vector: Cosine similarity to the question, `[-1, 1]`; None without a vector.
        keyword: Keyword score, above 0; None when no word matches.
        vector_place: Its rank in semantic search, from 1; None beyond the part that was read.
        keyword_place: Its rank in keyword search, likewise.
        touched: How many of the recently touched files it is about.
        closeness: About 0 for an unrelated text and 1 for the same one; None without a vector.
        is_named: Whether the question is a single word that only this entry contains: it comes
            first.
        holds_all: Whether it contains all that a precise question asks for: it is above the
            threshold.
        subjects: How much more than other candidates it is on the subjects of the present work,
            `[-1, 1]`; 0 while its text is unread.
    """

    facts: RecallFacts
    vector: float | None = None
    keyword: float | None = None
    vector_place: int | None = None
    keyword_place: int | None = None
    touched: int = 0
    closeness: float | None = None
    is_named: bool = False
    holds_all: bool = False
    subjects: float = 0.0


MIN_VARIANCE = 1e-12
"""A smaller variance is rounding."""

LOW = 0.05

MAX_UNRELATED = 0.6
"""Upper bound of the cosine of unrelated texts. No known model exceeds it."""

UNRELATED_PRIOR = 20
"""
Texts.

So few may all be on one subject, so `low` is not the cosine of unrelated ones.
"""

BACKGROUND_PRIOR = 3
"""Unrelated texts that are added to the mean closeness of those found."""


def place_of_low(found: int) -> int:
    """Return the index of `ScoreStatistics.low` among *found* ascending scores, from 0."""
    return int(LOW * found)


class ScoreStatistics(NamedTuple):
    """
    Statistics of the scores of one search.

    Attributes:
        best: The highest score, 0 when nothing was found.
        low: The 5th percentile; 0 for keyword scores.
        full: The least keyword score of a full match, 0 when unknown.
    """

    found: int = 0
    total: float = 0.0
    squares: float = 0.0
    best: float = 0.0
    low: float = 0.0
    full: float = 0.0

    @classmethod
    def of(cls, scores: Iterable[float]) -> "ScoreStatistics":
        """Return the statistics of *scores*, exactly the same in any order."""
        values = list(scores)
        return cls(
            found=len(values),
            total=math.fsum(values),
            squares=math.fsum(map(mul, values, values)),
            best=max(values, default=0.0),
        )

    def mean(self, size: int) -> float:
        """Return the mean over *size* entries, 0 for those not found."""
        return self.total / size if size else 0.0

    def deviation(self, size: int) -> float:
        """Return the population standard deviation, entries not found counted as 0."""
        variance = self.squares / size - self.mean(size) ** 2 if size else 0.0
        return math.sqrt(variance) if variance > MIN_VARIANCE else 0.0

    def closeness(self, cosine: float) -> float:
        """
        Scale *cosine* so that it is comparable between questions and models.

        0 is unrelated, 1 the same text. Cosines of unrelated texts are around 0 in one model and
        around 0.5 in another. Most stored texts are unrelated to a question, so `low` estimates
        where they are; with few texts the estimate counts less.
        """
        unrelated = (
            min(max(self.low, 0.0), MAX_UNRELATED) * self.found / (self.found + UNRELATED_PRIOR)
        )
        return (cosine - unrelated) / (1 - unrelated)

    def background(self) -> float:
        """Return the mean closeness, reduced for few entries."""
        if not self.found:
            return 0.0
        return self.closeness(self.mean(self.found)) * self.found / (self.found + BACKGROUND_PRIOR)
