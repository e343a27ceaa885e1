"""
Prominence, a track record as a number, and the policy of the argument form.

A host's block goes by prominence only where there is nothing to go by.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self, TypeAlias

from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.likelihood import MODELS
from hardwon.domain.model.ranking.candidates import Candidate, RankingFacts
from hardwon.domain.model.vocabulary import Category, Confidence

OBSERVATION_WEIGHT = 0.3
CONFIDENCE_WEIGHT = 0.2
RECENCY_WEIGHT = 0.3
RECALL_WEIGHT = 0.2

CONFIDENCE_LEVEL = {"low": 1 / 3, "medium": 2 / 3, "high": 1.0}
RECENCY_DAYS = 30
RECALL_CAP = 10

DAY = dt.timedelta(days=1)


def recency(updated_at: dt.datetime, now: dt.datetime) -> float:
    """Return `1 / (1 + days / 30)`, 1 for the future."""
    return 1 / (1 + max(0.0, (now - updated_at) / DAY) / RECENCY_DAYS)


def prominence(facts: RankingFacts, most_observed: int, now: dt.datetime) -> float:
    """
    Return the prominence of an entry, in `[0, 1]`.

    *most_observed* is the largest observation count of the store, at least 1.
    """
    return (
        OBSERVATION_WEIGHT * (facts.observation_count / most_observed)
        + CONFIDENCE_WEIGHT * CONFIDENCE_LEVEL[facts.confidence]
        + RECENCY_WEIGHT * recency(facts.updated_at, now)
        + RECALL_WEIGHT * (min(facts.recall_count, RECALL_CAP) / RECALL_CAP)
    )


TrackRecord: TypeAlias = tuple[Category | None, int, Confidence, int]
"""Category, observation count, confidence, and recall count, at most `RECALL_CAP`."""


def track_record(facts: RankingFacts) -> TrackRecord:
    """
    Return category and the inputs of prominence but recency.

    Of entries with equal ones the newest ranks first.
    """
    return (
        facts.category,
        facts.observation_count,
        facts.confidence,
        min(facts.recall_count, RECALL_CAP),
    )


class Maxima(NamedTuple):
    """
    The store's best of each signal, by which scores are divided.

    Attributes:
        observations: The largest observation count, at least 1.
    """

    vector: float = 0.0
    keyword: float = 0.0
    observations: int = 1


class Signals(NamedTuple):
    """The three signals of an entry, each in `[0, 1]`."""

    vector: float = 0.0
    keyword: float = 0.0
    prominence: float = 0.0


MIN_RELEVANCE = MODELS["start"].threshold
"""Of a lesson that is worth a place."""


class ScoredCandidate(NamedTuple):
    """
    A candidate with its final score.

    Attributes:
        relevance: How likely it matters to the session, `[0, 1]`; None in the argument form.
    """

    candidate: Candidate
    signals: Signals
    score: float
    is_own: bool = False
    relevance: float | None = None

    @property
    def is_relevant(self) -> bool:
        """Whether it is worth a place."""
        return self.relevance is None or self.relevance >= MIN_RELEVANCE

    @property
    def facts(self) -> RankingFacts:
        """The fields of the entry."""
        return self.candidate.facts


def share(score: float | None, best: float) -> float:
    """Return *score* over *best*, clamped at 0, or 0 for None."""
    return max(0.0, score or 0.0) / best if best > 0 else 0.0


class InvalidWeightsError(HardwonError, ValueError):
    """A weight is negative, or all are zero."""


class _Parts(NamedTuple):
    vector: float
    keyword: float
    prominence: float


class SignalWeights(_Parts):
    """The weights of the signals, of which at least one is positive."""

    __slots__ = ()

    def __new__(cls, vector: float = 0.5, keyword: float = 0.2, prominence: float = 0.3) -> Self:
        """Raise `InvalidWeightsError` for weights outside of 0 to 1, or all zero."""
        parts = (vector, keyword, prominence)
        if not all(0 <= part <= 1 for part in parts) or not any(parts):
            raise InvalidWeightsError(f"weights {parts} must lie within 0 to 1 and not all be zero")
        return super().__new__(cls, *parts)

    def redistributed(self, *, vector: bool, keyword: bool) -> "SignalWeights":
        """
        Return weights that sum to 1 without those of missing signals.

        Their weights are distributed in proportion to the others'. When no signal that is present
        has a weight, prominence decides alone.
        """
        kept = (self.vector * vector, self.keyword * keyword, self.prominence)
        total = sum(kept)
        return SignalWeights(*(part / total for part in kept)) if total else PROMINENCE_ALONE


PROMINENCE_ALONE = SignalWeights(0.0, 0.0, 1.0)


class RankingPolicy:
    """
    `hybrid`: the weighted sum of cosine, keyword score and prominence.

    Without a vector or a keyword signal it is `prominence`: the weights of missing signals go to
    the others.

    Args:
        maxima: The best of each signal; a signal without a positive best is missing.
        own: The ids of the user's project and its clones; their entries come first among those of
            equal score.

    Examples:
        >>> noon = dt.datetime(2026, 1, 5, 12, tzinfo=dt.UTC)
        >>> old, new = (
        ...     Candidate(RankingFacts(day, f"{day:016x}", "patterns", 1, "medium", noon + dt.timedelta(day), 0), vector=0.5)
        ...     for day in (0, 20)
        ... )
        >>> policy = RankingPolicy(weights=SignalWeights(), maxima=Maxima(vector=0.5), now=noon + dt.timedelta(30))
        >>> [(scored.facts.number, round(scored.score, 2)) for scored in policy.rank([old, new])]
        [(20, 0.87), (0, 0.84)]
    """

    def __init__(
        self,
        *,
        weights: SignalWeights,
        maxima: Maxima,
        now: dt.datetime,
        own: Sequence[str] = (),
    ) -> None:
        self.effective = weights.redistributed(vector=maxima.vector > 0, keyword=maxima.keyword > 0)
        self.maxima = maxima
        self.now = now
        self._own = own

    @property
    def name(self) -> Literal["hybrid", "prominence"]:
        """Its name: `prominence` without a vector or a keyword signal."""
        return "hybrid" if self.maxima.vector > 0 or self.maxima.keyword > 0 else "prominence"

    def prominence(self, facts: RankingFacts) -> float:
        """Return the prominence of an entry, in `[0, 1]`."""
        return prominence(facts, self.maxima.observations, self.now)

    def prominence_order(self, facts: RankingFacts) -> tuple[float, dt.timedelta, str]:
        """Return the key that orders by prominence, the highest first, then `tie_order`."""
        return (-self.prominence(facts), *tie_order(facts))

    def signals(self, vector: float | None, keyword: float | None, track_record: float) -> Signals:
        """Clamp raw scores at 0 and divide them by the store's best."""
        return Signals(
            vector=share(vector, self.maxima.vector),
            keyword=share(keyword, self.maxima.keyword),
            prominence=track_record,
        )

    def score(self, signals: Signals) -> float:
        """Return the final score, in `[0, 1]`, monotone in the signals."""
        return (
            self.effective.vector * signals.vector
            + self.effective.keyword * signals.keyword
            + self.effective.prominence * signals.prominence
        )

    def parts(self, signals: Signals) -> dict[str, float]:
        """Return the signals and their weights, by name."""
        weights = {f"{name}_weight": weight for name, weight in self.effective._asdict().items()}
        return {**signals._asdict(), **weights}

    def rank(self, candidates: list[Candidate]) -> list[ScoredCandidate]:
        """
        Order the candidates, best first.

        Ties go to the own project, the newest `updated_at`, then to the id.
        """
        return sorted(map(self._scored, candidates), key=final_order)

    def _scored(self, candidate: Candidate) -> ScoredCandidate:
        record = self.prominence(candidate.facts)
        signals = self.signals(candidate.vector, candidate.keyword, record)
        is_own = candidate.facts.project in self._own
        return ScoredCandidate(candidate, signals, self.score(signals), is_own=is_own)


LATEST_TIME = dt.datetime.max.replace(tzinfo=dt.UTC)


def tie_order(facts: RankingFacts) -> tuple[dt.timedelta, str]:
    """Return the key that orders equal scores: newest first, then by id."""
    return (LATEST_TIME - facts.updated_at, facts.entry_id)


def final_order(scored: ScoredCandidate) -> tuple[float, bool, dt.timedelta, str]:
    """Return the key: best score first, then the own project, then `tie_order`."""
    return (-scored.score, not scored.is_own, *tie_order(scored.facts))
