import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category, Confidence


class RankingFacts(NamedTuple):
    """
    What ranking reads of an entry, and nothing else.

    A tuple, as hundreds are made for one session start.

    Attributes:
        seq: The store's number of the entry.
        entry_id: Last word in every tie.
        category: None for what is no learning.
        updated_at: Drives recency, and breaks ties before the id does.

    """

    seq: int
    entry_id: str
    category: Category | None
    observation_count: int
    confidence: Confidence
    updated_at: dt.datetime
    recall_count: int


class Candidate(NamedTuple):
    """
    An entry to be ranked, with its true score in both indexes.

    Attributes:
        vector: Cosine similarity to the query, `[-1, 1]`; None when it has no vector.
        keyword: BM25 with the sign turned, so that higher is better; None when no word matches.

    """

    facts: RankingFacts
    vector: float | None = None
    keyword: float | None = None
