from typing import NamedTuple

from hardwon.domain.model.ranking.recall_facts import RecallFacts


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
