import math

DELTA = 1.0
"""What a matched word adds at least, as a multiple of its idf: BM25+ (Lv & Zhai 2011)."""


def passage_evidence(bm25: float, matched: float, asked: float) -> float:
    """
    Return how much a passage's words speak for it.

    `sqrt(matched / asked) * (bm25 + matched)`: a passage that holds one rare word of many is no
    answer yet, however rare the word.

    Args:
        bm25: The passage's BM25 for the words of the query, at least 0.
        matched: The sum of the inverse document frequencies of the query's words in it, above 0.
        asked: The same sum over all words of the query.

    """
    return math.sqrt(matched / asked) * (bm25 + DELTA * matched)
