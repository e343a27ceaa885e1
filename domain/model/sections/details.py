"""What a conversation decided, warned of or preferred: a note of its own each."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.conversation.capture_rules import BUFFERED
from hardwon.domain.model.conversation.chunk import Chunk, timestamp
from hardwon.domain.model.conversation.exchange import Exchange
from hardwon.domain.model.describing.describing import first_said
from hardwon.domain.model.describing.titling import headline
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.sections.conversation_link import conversation_line
from hardwon.domain.model.sections.plan_links import PlanOf, plan_link
from hardwon.domain.model.sections.reasoning import alternatives, reasons
from hardwon.domain.model.sections.section_text import (
    AREAS,
    FILES,
    PERMANENT,
    PHASES,
    SESSION,
    TIME,
    YES,
    exchange_blocks,
    fact,
    file_list,
    item_list,
)
from hardwon.domain.model.sections.verbatim import enumeration, escaped, heading, paragraph
from hardwon.domain.model.vocabulary import Kind

FULL_CONTEXT, ALTERNATIVES, REASONING = "Full context", "Alternatives", "Reasoning chain"
NONE_MENTIONED = "None were mentioned."
NOT_TOLD = "No reason was given."
LED_TO_IT = 2
"""So many telling words in common make an earlier exchange part of what led to a statement."""


class Detail(NamedTuple):
    """
    A statement of a chunk.

    Attributes:
        kind: Decision, gotcha or preference.
        statement: One line.
        exchanges: Those it comes from, in order: the last one is where it stands.

    """

    kind: Kind
    statement: str
    exchanges: tuple[Exchange, ...]

    @property
    def stands_in(self) -> Exchange:
        """The exchange in which it was said."""
        return self.exchanges[-1]

    @property
    def title(self) -> str:
        """How it begins, at most 100 characters."""
        return headline(self.statement) or self.statement

    def identity(self, project: str) -> str:
        """Return the 16 hex digits that identify it (rule U-3)."""
        return short_hash(self.kind, project, timestamp(self.stands_in.at), self.statement)


def details_of(chunk: Chunk) -> tuple[Detail, ...]:
    """Return what *chunk* decides, warns of and prefers, in that order."""
    about = chunk.metadata
    statements: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("decision", about.decisions),
        ("gotcha", about.gotchas),
        ("preference", about.preferences),
    )
    places = first_said(chunk.exchanges)
    return tuple(
        Detail(kind, redact(statement), _led_to(statement, chunk.exchanges[: places.get((kind, statement), 0) + 1]))
        for kind, those in statements
        for statement in those
    )


def detail_text(detail: Detail, chunk: Chunk, plan_of: PlanOf) -> str:
    """Return *detail* as a section of markdown, from its heading on, without secrets."""
    head = (
        f"## {heading(detail.title)}",
        "\n".join(_facts(detail, chunk, plan_of)),
        f"### {detail.kind.capitalize()}",
        paragraph(detail.statement),
        f"### {FULL_CONTEXT}",
    )
    rest = (
        *(_reasoning(detail) if detail.kind == "decision" else ()),
        f"### {FILES}",
        file_list(chunk.metadata.files),
    )
    blocks = (redact("\n\n".join(head)), *map(_said, detail.exchanges), redact("\n\n".join(rest)))
    return "\n\n".join(blocks)


@lru_cache(maxsize=BUFFERED)  # an exchange leads to many a statement
def _said(exchange: Exchange) -> str:
    return redact("\n\n".join(exchange_blocks(exchange)))


def _reasoning(detail: Detail) -> Iterator[str]:
    others = item_list(alternatives(detail.statement, detail.exchanges))
    steps = (f"{place}. {escaped(each)}" for place, each in enumerate(reasons(detail.exchanges), 1))
    yield from (f"### {ALTERNATIVES}", others or NONE_MENTIONED)
    yield from (f"### {REASONING}", "\n".join(steps) or NOT_TOLD)


def _facts(detail: Detail, chunk: Chunk, plan_of: PlanOf) -> Iterator[str]:
    about = chunk.metadata
    yield fact(TIME, timestamp(detail.stands_in.at))
    yield conversation_line(chunk.chunk_id)
    if chunk.session_id is not None:
        yield fact(SESSION, escaped(chunk.session_id))
    if about.areas:
        yield fact(AREAS, enumeration(about.areas))
    if about.phases:
        yield fact(PHASES, ", ".join(plan_link(phase, plan_of) for phase in about.phases))
    if chunk.permanent:
        yield fact(PERMANENT, YES)


def _led_to(statement: str, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """Return the last of *exchanges*, where *statement* was said, after those from where its reasoning began."""
    words = set(search_terms(statement))
    *earlier, _ = (each.text for each in exchanges)
    led = (place for place, said in enumerate(earlier) if len(words.intersection(search_terms(said))) >= LED_TO_IT)
    return tuple(exchanges[next(led, -1) :])
