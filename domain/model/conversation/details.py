"""
What stands in a file of the project's memory: one section of it.

What a conversation decided, warned of or preferred: a note of its own each.

What of a chunk goes into the project's files.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.capture_rules import BUFFERED
from hardwon.domain.model.context import Workplace
from hardwon.domain.model.conversation.describe import first_said, headline
from hardwon.domain.model.conversation.session import Chunk, Exchange, timestamp
from hardwon.domain.model.conversation.statements import alternatives, reasons
from hardwon.domain.model.conversation.topics import telling_words
from hardwon.domain.model.formats.conversation_format import (
    AREAS,
    FILES,
    PERMANENT,
    PHASES,
    SESSION,
    TIME,
    YES,
    PlanOf,
    conversation_line,
    enumeration,
    escaped,
    exchange_blocks,
    fact,
    file_list,
    heading,
    item_list,
    paragraph,
    plan_link,
    section_text,
)
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Kind


class Note(NamedTuple):
    """
    A named section of a markdown file.

    Attributes:
        note_id: Its anchor: 16 hex digits.
        kind: Decides its folder: conversation, decision, gotcha or preference.
        at: When it began, in UTC; its day begins the file's name, and its moment orders the file's sections.
        topic: The words the file is named after; notes of one day, kind and topic share a file.
        title: What the file is called when this is its first section.
        text: The section, from its heading on, without the markers around it.
        project: The name of the project.
        branch: The git branch, None without git.
        permanent: Kept for good.

    """

    note_id: str
    kind: Kind
    at: dt.datetime
    topic: str
    title: str
    text: str
    project: str
    branch: str | None = None
    permanent: bool = False


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


def notes_of(chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> tuple[Note, ...]:
    """
    Return the note of *chunk* itself, then one of each decision, gotcha and preference in it, each once.

    Nothing in them is a secret or private, nor is what their files are named after.

    Args:
        chunk: Described.
        workplace: Where it was said.
        plan_of: Returns the plan of a phase, as a path from the project's folder; None when there is none.

    """
    details = (_detail_note(detail, chunk, workplace, plan_of) for detail in details_of(chunk))
    notes = map(_without_secrets, (_conversation_note(chunk, workplace, plan_of), *details))
    return tuple({note.note_id: note for note in notes}.values())


def _without_secrets(note: Note) -> Note:
    """Return *note* without what only became a secret when its parts were put together."""
    return note._replace(title=redact(note.title), topic=redact(note.topic))


def _conversation_note(chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> Note:
    return Note(
        note_id=chunk.chunk_id,
        kind="conversation",
        at=chunk.starts_at,
        topic=chunk.topic,
        title=chunk.title,
        text=redact(section_text(chunk, plan_of)),
        project=workplace.project,
        branch=workplace.branch,
        permanent=chunk.permanent,
    )


def _detail_note(detail: Detail, chunk: Chunk, workplace: Workplace, plan_of: PlanOf) -> Note:
    return Note(
        note_id=detail.identity(workplace.project),
        kind=detail.kind,
        at=detail.stands_in.at,
        topic=telling_words(detail.statement),
        title=detail.title,
        text=detail_text(detail, chunk, plan_of),
        project=workplace.project,
        branch=workplace.branch,
        permanent=chunk.permanent,
    )
