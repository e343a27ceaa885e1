"""The candidates of a ranking: entries as ranking knows them, and their scores in both indexes."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category, Confidence, Kind, Tier


class Hit(NamedTuple):
    """
    An entry found by an index.

    Attributes:
        seq: The store's number of the entry.
        score: Higher is better; its range is the index's.
    """

    seq: int
    score: float


class RankingFacts(NamedTuple):
    """
    The fields of an entry that ranking reads.

    A tuple, as hundreds are made for one session start.

    Attributes:
        seq: The store's number of the entry.
        entry_id: The last tie-breaker.
        category: None for other kinds than learnings.
        updated_at: Determines recency, and breaks ties before the id.
        project: The id of its project; None for none.
        superseded_by: The id of the learning that replaces it; None for none.
    """

    seq: int
    entry_id: str
    category: Category | None
    observation_count: int
    confidence: Confidence
    updated_at: dt.datetime
    recall_count: int
    project: str | None = None
    superseded_by: str | None = None


class Candidate(NamedTuple):
    """
    An entry to be ranked, with its exact scores.

    Attributes:
        vector: Cosine similarity to the query, `[-1, 1]`; None without a vector.
        keyword: BM25 with the sign turned, so that higher is better; None when no word matches.
        closeness: Similarity to the query on a scale for all models; None without a vector.
    """

    facts: RankingFacts
    vector: float | None = None
    keyword: float | None = None
    closeness: float | None = None


class RecallFacts(NamedTuple):
    """
    The fields of an entry that the policies of recall read.

    Attributes:
        ranking: The fields that every policy reads.
        project: The project it comes from; None for a universal one.
        workspace: The folder of projects it comes from.
        content_hash: Equal for entries with the same description.
        words: The number of words of its texts.
        importance_weight: At 1 it does not decay.
        created_at: Determines decay; to the second.
        anchor_id: Its section of the file; empty for a whole file.
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
    An entry that may be an answer, with its scores in both searches.

    Attributes:
        vector: Cosine similarity to the question, `[-1, 1]`; None without a vector.
        keyword: Keyword score, above 0; None when no word matches.
        vector_place: Its rank in semantic search, from 1; None beyond the part that was read.
        keyword_place: Its rank in keyword search, likewise.
        touched: How many of the recently touched files it is about.
        closeness: About 0 for an unrelated text and 1 for the same one; None without a vector.
        is_named: Whether the question is a single word, and this the only entry that holds all of it: it comes first.
        holds_all: Whether it holds all that a precise question asks for, so that it is above the threshold.
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
