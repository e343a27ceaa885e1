"""The track record of an entry as one number."""

import datetime as dt

from hardwon.domain.model.ranking.facts import RankingFacts

OBSERVATION_WEIGHT = 0.3
CONFIDENCE_WEIGHT = 0.2
RECENCY_WEIGHT = 0.3
RECALL_WEIGHT = 0.2

CONFIDENCE_LEVEL = {"low": 1 / 3, "medium": 2 / 3, "high": 1.0}
RECENCY_DAYS = 30
RECALL_CAP = 10

DAY = dt.timedelta(days=1)


def recency(updated_at: dt.datetime, now: dt.datetime) -> float:
    """Return `1 / (1 + days / 30)`: 1 today, 0.5 after 30 days; the future counts as today."""
    return 1 / (1 + max(0.0, (now - updated_at) / DAY) / RECENCY_DAYS)


def prominence(facts: RankingFacts, most_observed: int, now: dt.datetime) -> float:
    """
    Return how far an entry has proved itself, in `[0, 1]` (requirement A-D3.9).

    Args:
        facts: The entry.
        most_observed: The largest observation count of the store, at least 1.
        now: The moment of ranking.

    """
    return (
        OBSERVATION_WEIGHT * (facts.observation_count / most_observed)
        + CONFIDENCE_WEIGHT * CONFIDENCE_LEVEL[facts.confidence]
        + RECENCY_WEIGHT * recency(facts.updated_at, now)
        + RECALL_WEIGHT * (min(facts.recall_count, RECALL_CAP) / RECALL_CAP)
    )


def track_record(facts: RankingFacts) -> tuple[str | None, int, str, int]:
    """Return what prominence is made of besides recency, and the category: among equals in it the newer one leads."""
    return (facts.category, facts.observation_count, facts.confidence, min(facts.recall_count, RECALL_CAP))
