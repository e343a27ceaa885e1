"""The decisions, gotchas and preferences of a conversation, with the exchanges that led to each."""

from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.conversation.describe import first_said, headline
from hardwon.domain.model.conversation.session import Chunk, Exchange, timestamp
from hardwon.domain.model.conversation.topics import informative_words
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Kind

LED_TO_IT = 2
"""Search terms in common that make an earlier exchange part of what led to a statement."""


class Detail(NamedTuple):
    """
    A statement of a chunk.

    Attributes:
        detail_id: Its identity: 16 hex digits of its kind, project, moment and statement.
        kind: Decision, gotcha or preference.
        statement: One line, without secrets.
        exchanges: Those it comes from, in order: it was said in the last one.

    """

    detail_id: str
    kind: Kind
    statement: str
    exchanges: tuple[Exchange, ...]

    @property
    def stands_in(self) -> Exchange:
        """The exchange in which it was said."""
        return self.exchanges[-1]

    @property
    def title(self) -> str:
        """Its beginning, at most 100 characters."""
        return headline(self.statement) or self.statement

    @property
    def topic(self) -> str:
        """The words its file is named after."""
        return informative_words(self.statement)


def details_of(chunk: Chunk) -> tuple[Detail, ...]:
    """Return the decisions, gotchas and preferences of *chunk*, in that order."""
    about = chunk.metadata
    statements: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("decision", about.decisions),
        ("gotcha", about.gotchas),
        ("preference", about.preferences),
    )
    places = first_said(chunk.exchanges)
    return tuple(
        _detail(chunk, kind, statement, places.get((kind, statement), 0))
        for kind, those in statements
        for statement in those
    )


def _detail(chunk: Chunk, kind: Kind, statement: str, place: int) -> Detail:
    """Return the detail of a *statement* that was said in the exchange at *place*."""
    clean, exchanges = redact(statement), _led_to(statement, chunk.exchanges[: place + 1])
    detail_id = short_hash(kind, chunk.project, timestamp(exchanges[-1].at), clean)
    return Detail(detail_id, kind, clean, exchanges)


def _led_to(statement: str, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return *exchanges* from the first that shares terms with *statement*, which was said in the last."""
    words = set(search_terms(statement))
    *earlier, _ = (exchange.text for exchange in exchanges)
    led = (place for place, said in enumerate(earlier) if len(words.intersection(search_terms(said))) >= LED_TO_IT)
    return tuple(exchanges[next(led, -1) :])
