import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category, Confidence, Kind, Tier


class Hit(NamedTuple):
    """
    One entry found by one index.

    Attributes:
        seq: The store's number of the entry.
        score: Higher is better; its range is the index's.

    """

    seq: int
    score: float


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


class RecallFacts(NamedTuple):
    """
    What the policies of recall read of an entry.

    Attributes:
        ranking: What every policy reads; its category is None for what is no learning.
        kind: What it is.
        project: Where it comes from; None for a universal one.
        workspace: The folder of projects it comes from.
        branch: The git branch it comes from.
        permanent: Whether it is kept for good.
        content_hash: Two entries with the same one say the same.
        words: How long its texts are.
        tier: How much it matters.
        importance_weight: At 1 it does not decay.
        created_at: Drives decay; to the second.
        anchor_id: The section of a file it stands for; empty for a whole file.
        file_path: That file; None for a learning.

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
    An entry that may be an answer, with what both searches say of it.

    Attributes:
        facts: What is known of the entry.
        vector: Cosine similarity to the question, `[-1, 1]`; None when it has no vector.
        keyword: Keyword score, above 0; None when no word matches.
        vector_place: Its place in the list by meaning, from 1; None beyond the part that was read.
        keyword_place: Its place in the list by word, likewise.
        closeness: How close it is by meaning, about 0 for an unrelated text and 1 for the same; None when it has no vector.
        touched: How many of the files touched of late it is about.

    """

    facts: RecallFacts
    vector: float | None = None
    keyword: float | None = None
    vector_place: int | None = None
    keyword_place: int | None = None
    touched: int = 0
    closeness: float | None = None
