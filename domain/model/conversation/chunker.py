"""
Segmentation of a conversation into chunks, one topic each.

A chunk ends at a topic boundary that the user states, where the next exchanges show that the
subject changed, or when it is full.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from statistics import fmean
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.boundaries import announces, boundary_command, moves_on
from hardwon.domain.model.conversation.session import DraftChunk, Exchange
from hardwon.domain.model.conversation.statements import is_important
from hardwon.domain.model.conversation.topics import is_led_by_command, topic_of
from hardwon.domain.model.settings import BOUNDARY_COMMANDS
from hardwon.domain.model.topic_words import salient_words, stem

WINDOW = 13
"""Exchanges whose similarities set the threshold. Capture buffers at least as many."""

LOOKED_AHEAD = 2
"""Exchanges needed after a change before it counts: one alone may be an aside."""

USUAL_SIMILARITY = 0.2
USUAL_PAIRS = 20
"""Pseudo-count: pairs with the usual similarity, added to those of the conversation."""

NEIGHBOURS = 0.3
"""
The place of the threshold between two mean similarities.

It lies this far from that of all pairs towards that of neighbours.
"""

CHANGE = 0.1
MISSING_WORD = 0.5
"""
Cost of each informative word below `ENOUGH_WORDS` in a segment's first prompt, beside `CHANGE`.
"""

ENOUGH_WORDS = 5
BEGINNING = 400
"""Characters of a prompt in which its words are counted."""

Pair = tuple[int, int]
"""The places of two exchanges, the earlier first."""


@lru_cache(maxsize=64)  # the next exchange is compared with each of a chunk
def keywords(exchange: Exchange) -> frozenset[str]:
    """Return the stems of the informative words of *exchange*."""
    asked = " ".join(f"{answered.question} {answered.answer}" for answered in exchange.answers)
    texts = (exchange.user, asked, exchange.assistant)
    return frozenset(stem(word) for text in texts for word in salient_words(text))


def first_change(recent: Sequence[Exchange], running: int) -> int | None:
    """
    Return the place where the first subject ends, if there is another.

    Counted among the last *running* exchanges; None if they are all on one subject.
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
    """Return whether the last exchange continues the subject of the *running* before."""
    above, last = _above_threshold(recent), len(recent) - 1
    return (
        sum(above[earlier, last] for earlier in range(last - running, last)) + _cost(recent[last])
        >= 0
    )


def _above_threshold(recent: Sequence[Exchange]) -> Mapping[Pair, float]:
    words = [keywords(exchange) for exchange in recent]
    alike = {
        pair: _overlap(words[pair[0]], words[pair[1]])
        for pair in combinations(range(len(words)), 2)
    }
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
    informative = len(frozenset(salient_words(first.user[:BEGINNING])))
    return CHANGE + MISSING_WORD * max(0, ENOUGH_WORDS - informative)


MIN_EXCHANGES, MAX_EXCHANGES = 3, 8


class Chunker(NamedTuple):
    """
    Splits a conversation into chunks, exchange by exchange.

    Closed chunks never change; the open one may be split when later exchanges show where its
    subject changed: the first part keeps its beginning, and with it its identity. Boundaries that
    the user states are read from the prompt alone, so an exchange stays in its chunk when its reply
    grows.

    Attributes:
        boundaries: Commands that begin a chunk and keep the following exchanges in it.

    Examples:
        >>> import datetime as dt
        >>> noon = dt.datetime(2026, 1, 5, 12, tzinfo=dt.UTC)
        >>> first = Exchange("How does the CSV importer round prices?", "Half to even, to two digits.", noon)
        >>> second = Exchange("/tlc:plan the release notes", "Planned.", noon + dt.timedelta(minutes=5))
        >>> [draft.topic for draft in Chunker().chunk([first, second])]
        ['csv importer round prices', 'plan release notes']
    """

    boundaries: tuple[str, ...] = BOUNDARY_COMMANDS

    def chunk(self, exchanges: Iterable[Exchange]) -> tuple[DraftChunk, ...]:
        """Split *exchanges* into chunks, of which the last may be open."""
        drafts: tuple[DraftChunk, ...] = ()
        for exchange in exchanges:
            drafts = self.add(drafts, exchange)
        return drafts

    def add(self, drafts: tuple[DraftChunk, ...], exchange: Exchange) -> tuple[DraftChunk, ...]:
        """
        Add *exchange* to *drafts*.

        Only the last draft can change, or be split.

        Args:
            drafts: In order; all but the last are closed. Those with the last 12 exchanges are
                enough.
            exchange: The next exchange, or the last one again with a longer reply.
        """
        if not drafts:
            return (self._begun(exchange),)
        *earlier, last = drafts
        if exchange.continues(last.exchanges[-1]):
            same = exchange == last.exchanges[-1]
            return drafts if same else (*earlier, last.with_more_of_the_last(exchange))
        if last.is_closed or self._states_boundary(last, exchange):
            return (*earlier, attrs.evolve(last, is_closed=True), self._begun(exchange))
        *parts, tail = self._divided(last.growing(exchange), _recent(drafts, exchange))
        return (*earlier, *parts, attrs.evolve(tail, is_closed=moves_on(exchange.user)))

    def _states_boundary(self, last: DraftChunk, exchange: Exchange) -> bool:
        if boundary_command(exchange.user, self.boundaries) is not None:
            return True
        is_discussion = is_led_by_command(last.topic, self.boundaries)
        return not is_discussion and (is_important(exchange.user) or announces(exchange.user))

    def _divided(self, draft: DraftChunk, recent: tuple[Exchange, ...]) -> tuple[DraftChunk, ...]:
        """
        Split *draft* where its subject changes, else where it is full.

        The exchanges of *draft* are the last of *recent*. A subject that goes on in a full chunk
        takes its last exchanges along, so that no chunk of it has fewer than three.
        """
        size = len(draft.exchanges)
        is_discussion = is_led_by_command(draft.topic, self.boundaries)
        if not is_discussion and (place := first_change(recent, size)) is not None:
            first, rest = draft.split(place, self._topic(draft.exchanges[place]))
            return (first, *self._divided(rest, recent))
        if size <= MAX_EXCHANGES:
            return (draft,)
        if is_discussion or goes_on(recent, MAX_EXCHANGES):
            return draft.split(size - MIN_EXCHANGES, draft.topic)
        return draft.split(MAX_EXCHANGES, self._topic(draft.exchanges[-1]))

    def _topic(self, exchange: Exchange) -> str:
        return topic_of(exchange, self.boundaries)

    def _begun(self, exchange: Exchange) -> DraftChunk:
        topic = self._topic(exchange)
        is_closed = is_important(exchange.user) and not is_led_by_command(topic, self.boundaries)
        return DraftChunk(topic=topic, exchanges=(exchange,), is_closed=is_closed)


def _recent(drafts: Sequence[DraftChunk], exchange: Exchange) -> tuple[Exchange, ...]:
    return (*chain.from_iterable(draft.exchanges for draft in drafts[-WINDOW:]), exchange)[-WINDOW:]
