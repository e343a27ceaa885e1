"""The decisions, gotchas and preferences of a chunk."""

from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.conversation.describe import first_stated
from hardwon.domain.model.conversation.mentions import files_in, phases_in
from hardwon.domain.model.conversation.session import Chunk, Exchange, timestamp
from hardwon.domain.model.conversation.title import headline
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.topic_words import informative_words
from hardwon.domain.model.vocabulary import Kind

MIN_SHARED_TERMS = 2


class Detail(NamedTuple):
    """
    A decision, gotcha or preference of a chunk.

    Attributes:
        detail_id: 16 hex digits: the hash of kind, project, time and statement.
        statement: One line, without secrets.
        exchanges: Those that led to it, in order; the last states it.
        files: Those of the chunk that these exchanges name, by path or by base name.
        phases: Those of the chunk that these exchanges name.
    """

    detail_id: str
    kind: Kind
    statement: str
    exchanges: tuple[Exchange, ...]
    files: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()

    @property
    def stated_in(self) -> Exchange:
        """The exchange that states it."""
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
    found = [(kind, text) for kind, texts in statements for text in texts]
    places = first_stated(chunk.exchanges) if found else {}
    return tuple(
        _detail(chunk, kind, statement=text, place=places.get((kind, text), 0))
        for kind, text in found
    )


def _detail(chunk: Chunk, kind: Kind, statement: str, place: int) -> Detail:
    clean, exchanges = redact(statement), _led_to(statement, chunk.exchanges[: place + 1])
    detail_id = short_hash(kind, chunk.project, timestamp(exchanges[-1].at), clean)
    texts = [exchange.text for exchange in exchanges]
    names, phases = set(files_in(texts)), set(phases_in("\n".join(texts)))
    return Detail(
        detail_id=detail_id,
        kind=kind,
        statement=clean,
        exchanges=exchanges,
        files=tuple(
            file for file in chunk.metadata.files if {file, file.rpartition("/")[2]} & names
        ),
        phases=tuple(phase for phase in chunk.metadata.phases if phase in phases),
    )


def _led_to(statement: str, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    words = set(search_terms(statement))
    *earlier, _ = (exchange.text for exchange in exchanges)
    led = (
        place
        for place, text in enumerate(earlier)
        if len(words.intersection(search_terms(text))) >= MIN_SHARED_TERMS
    )
    return tuple(exchanges[next(led, -1) :])
