"""Where a conversation is cut: one chunk, one subject (requirement C-T3)."""

from collections.abc import Iterable
from typing import NamedTuple

import attrs

from hardwon.domain.model.chunking.boundaries import announces, boundary_command, moves_on
from hardwon.domain.model.chunking.shift import CLEAR, SLIGHT, Similarity, has_shifted
from hardwon.domain.model.chunking.statements import is_important
from hardwon.domain.model.chunking.topics import is_led_by_command, topic_of
from hardwon.domain.model.conversation.capture_rules import BOUNDARY_COMMANDS
from hardwon.domain.model.conversation.drafts import Draft
from hardwon.domain.model.conversation.exchange import Exchange

__all__ = ["LONG", "MOST_EXCHANGES", "SHORTEST", "Chunker", "Similarity"]

SHORTEST = 3
"""Exchanges; a shorter chunk is not cut by what it is about."""

LONG = 6
"""Exchanges; from here on a slight shift is enough."""

MOST_EXCHANGES = 8


class Chunker(NamedTuple):
    """
    Cuts a conversation, exchange by exchange.

    A cut depends on nothing that comes later, so what is closed stays as it
    is. What the user decides is told by the prompt alone, and an exchange stays
    where it is when its reply grows.

    Attributes:
        boundaries: Commands that begin a new subject, and keep together what follows.
        similarity: Compares by meaning; None to go by keywords only.

    """

    boundaries: tuple[str, ...] = BOUNDARY_COMMANDS
    similarity: Similarity | None = None

    def chunk(self, exchanges: Iterable[Exchange]) -> tuple[Draft, ...]:
        """Return *exchanges* as chunks, in order; the last may be open."""
        drafts = list[Draft]()
        for exchange in exchanges:
            drafts[-1:] = self.add(tuple(drafts[-1:]), exchange)
        return tuple(drafts)

    def add(self, drafts: tuple[Draft, ...], exchange: Exchange) -> tuple[Draft, ...]:
        """
        Return *drafts* with *exchange* taken in: only the last of them can be another than before.

        Args:
            drafts: In order; all but the last are closed.
            exchange: What was said next, or the last one again, of which more was said since.

        """
        if not drafts:
            return (self._begun(exchange),)
        *earlier, last = drafts
        if exchange.continues(last.exchanges[-1]):
            same = exchange == last.exchanges[-1]
            return drafts if same else (*earlier, last.with_more_of_the_last(exchange))
        return (*earlier, *self._after(last, exchange))

    def _after(self, last: Draft, exchange: Exchange) -> tuple[Draft, ...]:
        if self._begins_anew(last, exchange):
            return (attrs.evolve(last, is_closed=True), self._begun(exchange))
        if last.is_closed:
            return (last, self._begun(exchange, last.topic) if _is_only_full(last) else self._begun(exchange))
        grown = last.growing(exchange)
        return (attrs.evolve(grown, is_closed=len(grown.exchanges) >= MOST_EXCHANGES or moves_on(exchange.user)),)

    def _begins_anew(self, last: Draft, exchange: Exchange) -> bool:
        """Tell whether *exchange* is no part of the subject of *last*."""
        if boundary_command(exchange.user, self.boundaries) is not None:
            return True
        if is_led_by_command(last.topic, self.boundaries):
            return False
        said = exchange.user
        return is_important(said) or announces(said) or (not moves_on(said) and self._has_shifted(last, exchange))

    def _has_shifted(self, last: Draft, exchange: Exchange) -> bool:
        size = len(last.exchanges)
        divergence = SLIGHT if size >= LONG else CLEAR
        return size >= SHORTEST and has_shifted(last.exchanges, exchange, divergence, self.similarity)

    def _begun(self, exchange: Exchange, topic: str | None = None) -> Draft:
        """Return the chunk that *exchange* begins; it goes on with *topic* if that is given."""
        named = topic or topic_of(exchange, self.boundaries)
        stands_alone = is_important(exchange.user) and not is_led_by_command(named, self.boundaries)
        return Draft(topic=named, exchanges=(exchange,), is_closed=stands_alone)


def _is_only_full(draft: Draft) -> bool:
    """Tell whether the subject of *draft* may go on."""
    return len(draft.exchanges) >= MOST_EXCHANGES and not moves_on(draft.exchanges[-1].user)
