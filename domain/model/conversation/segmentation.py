"""
Subject changes in a conversation, found by looking ahead: the best segmentation of its last exchanges.

Exchanges of one subject share words. A segmentation is as good as the sum, over all pairs of exchanges in one segment, of
their similarity above a threshold, less a cost for each segment that begins with a prompt of few words: `yes, do it` begins no
subject. The best one is found by dynamic programming. The constants are fitted on the labelled talks, see `docs/quality.md`.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.words import keywords, salient_words

WINDOW = 13
"""Exchanges whose similarities set the threshold; capture buffers as many at least."""

LOOKED_AHEAD = 2
"""Exchanges from a change on that must be there before it counts: one alone may be an aside."""

USUAL_SIMILARITY = 0.2
USUAL_PAIRS = 20
"""Pairs of exchanges with the usual similarity, as if they had been seen before the conversation."""

NEIGHBOURS = 0.3
"""How far the threshold lies from the mean similarity of all pairs towards that of neighbours."""

CHANGE = 0.1
MISSING_WORD = 0.5
"""The cost of a segment, and of each distinct informative word below `ENOUGH_WORDS` in its first prompt."""

ENOUGH_WORDS = 5
BEGINNING = 400
"""Characters of a prompt in which its words are counted."""

Pair = tuple[int, int]
"""The places of two exchanges, the earlier first."""


def first_change(recent: Sequence[Exchange], running: int) -> int | None:
    """
    Return the place, among the last *running* exchanges, where the first subject ends; None if they are all on one.

    Args:
        recent: The last exchanges of the conversation, in order; at least *running*.
        running: How many of them belong to the open chunk.
    """
    above = _above_threshold(recent)
    first, end = len(recent) - running, len(recent)
    ahead, cut = {end: 0.0}, end  # the value of the best segmentation from a place on
    for start in reversed(range(first, end)):
        values = {stop: _cohesion(above, start, stop) + value for stop, value in ahead.items()}
        cut = max(values, key=values.__getitem__)
        ahead[start] = values[cut] - _cost(recent[start])
    return cut - first if end - cut >= LOOKED_AHEAD else None


def goes_on(recent: Sequence[Exchange], running: int) -> bool:
    """Return whether the last exchange of *recent* is on the subject of the *running* ones before it."""
    above, last = _above_threshold(recent), len(recent) - 1
    return sum(above[earlier, last] for earlier in range(last - running, last)) + _cost(recent[last]) >= 0


def _above_threshold(recent: Sequence[Exchange]) -> Mapping[Pair, float]:
    """Return how far the similarity of each pair lies above the threshold of the conversation."""
    words = [keywords(exchange) for exchange in recent]
    alike = {pair: _overlap(words[pair[0]], words[pair[1]]) for pair in combinations(range(len(words)), 2)}
    threshold = _threshold(alike)
    return {pair: similarity - threshold for pair, similarity in alike.items()}


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the overlap coefficient (Szymkiewicz-Simpson), 0 to 1."""
    return len(left & right) / max(1, min(len(left), len(right)))


def _threshold(alike: Mapping[Pair, float]) -> float:
    if not alike:
        return USUAL_SIMILARITY
    everywhere = fmean(alike.values())
    nearby = fmean(similarity for (left, right), similarity in alike.items() if right == left + 1)
    seen = everywhere + NEIGHBOURS * (nearby - everywhere)
    return (seen * len(alike) + USUAL_SIMILARITY * USUAL_PAIRS) / (len(alike) + USUAL_PAIRS)


def _cohesion(above: Mapping[Pair, float], start: int, stop: int) -> float:
    return sum(above[pair] for pair in combinations(range(start, stop), 2))


def _cost(first: Exchange) -> float:
    """Return the cost of a segment that begins with the exchange *first*."""
    informative = len(frozenset(salient_words(first.user[:BEGINNING])))
    return CHANGE + MISSING_WORD * max(0, ENOUGH_WORDS - informative)
