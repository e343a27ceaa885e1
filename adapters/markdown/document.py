"""A markdown file as a document, and the captured sections in it."""

import datetime as dt
import hashlib
from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import attrs

from hardwon.adapters.markdown.anchors import AnchorSection, sections, without_markers
from hardwon.adapters.markdown.conversation_format import (
    Outline,
    TimeSpan,
    files_of,
    outline,
    permanence_of,
    plain_chunk,
    plain_section,
    section_chunk,
    time_span_of,
)
from hardwon.adapters.markdown.document_format import (
    FrontValue,
    Markdown,
    first_heading,
    headings,
    kind_by_place,
    named_at,
    phrases_of,
    read_fields,
    spec_folder,
    topic,
)
from hardwon.adapters.markdown.repair_text import REPAIR, repair_text
from hardwon.adapters.markdown.section_text import (
    AREAS,
    SESSION,
    TOPIC,
    PlanOf,
    detail_text,
    enumerated,
    section_text,
    unescaped,
)
from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import Chunk
from hardwon.domain.model.conversation.title import PERMANENT_MARK
from hardwon.domain.model.document import (
    MAX_SECTIONS,
    CapturedSection,
    CapturedSections,
    FileFields,
    NamedSections,
    Section,
)
from hardwon.domain.model.entry import goes_by_its_anchor
from hardwon.domain.model.plain_text import describe, plain_text, plain_title
from hardwon.domain.model.redaction import redact, stored_form
from hardwon.domain.model.topic_words import informative_words
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind
from hardwon.ports.documents import Captured

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.details import Detail


@attrs.frozen(kw_only=True)
class FileSection:
    """
    A named section of a markdown file.

    Attributes:
        section_id: Its anchor: 16 hex digits.
        kind: Conversation, decision, gotcha or preference; decides its folder.
        at: Its beginning in UTC; the day begins the file's name, the time orders the file's
            sections.
        topic: Words for the file's name; sections of the same day, kind and topic share a file.
        title: The title of the file if this is its first section.
        branch: The git branch, None without git.
    """

    section_id: str
    kind: Kind
    at: dt.datetime
    topic: str
    title: str
    text: str
    project: str
    branch: str | None = None
    permanent: bool = False


def file_sections(captured: Captured, plan_of: PlanOf) -> tuple[FileSection, ...]:
    """
    Return the section of a chunk, then those of its details, without duplicates.

    The details are decisions, gotchas and preferences. A repair is one gotcha. No text, title or
    topic in them holds a secret or a private passage.

    Args:
        captured: A described chunk, or a repair.
        plan_of: Returns the plan of a phase, as a path from the project's folder; None without one.
    """
    if isinstance(captured, RepairNote):
        return (_without_secrets(_of_repair(captured)),)
    # Its patterns take 0.1 s to compile, and most files were not captured.
    from hardwon.domain.model.conversation.details import details_of  # noqa: PLC0415

    chunk = captured
    details = (_of_detail(detail, chunk, plan_of) for detail in details_of(chunk))
    sections = map(_without_secrets, (_of_conversation(chunk, plan_of), *details))
    return tuple({section.section_id: section for section in sections}.values())


def _of_repair(note: RepairNote) -> FileSection:
    return FileSection(
        section_id=note.note_id,
        kind="gotcha",
        at=note.repair.at,
        topic=informative_words(note.repair.error.text),
        title=note.title,
        text=repair_text(note),
        project=note.project,
    )


def _without_secrets(section: FileSection) -> FileSection:
    """Remove secrets that appeared only when parts were joined."""
    return attrs.evolve(section, title=redact(section.title), topic=redact(section.topic))


def _of_conversation(chunk: Chunk, plan_of: PlanOf) -> FileSection:
    return FileSection(
        section_id=chunk.chunk_id,
        kind="conversation",
        at=chunk.starts_at,
        topic=chunk.topic,
        title=chunk.title,
        text=redact(section_text(chunk, plan_of)),
        project=chunk.project,
        branch=chunk.branch,
        permanent=chunk.permanent,
    )


def _of_detail(detail: "Detail", chunk: Chunk, plan_of: PlanOf) -> FileSection:
    return FileSection(
        section_id=detail.detail_id,
        kind=detail.kind,
        at=detail.stated_in.at,
        topic=detail.topic,
        title=detail.title,
        text=detail_text(detail, chunk, plan_of),
        project=chunk.project,
        branch=chunk.branch,
        permanent=chunk.permanent,
    )


def read_section(section: AnchorSection) -> Section:
    """Parse the heading, the facts and the parts of a captured section."""
    read = outline(section.text)
    chunk = section_chunk(section.anchor_id, section.text)
    text = plain_chunk(chunk) if chunk else plain_section(section.text)
    if read is None:
        return Section(anchor_id=section.anchor_id, title="", text=text)
    span = _span(chunk, read)
    return Section(
        anchor_id=section.anchor_id,
        title=read.title.removeprefix(PERMANENT_MARK),
        text=text,
        starts_at=span.first if span else None,
        ends_at=span.last if span else None,
        keywords=tuple(unescaped(read.facts.get(TOPIC, "")).split()),
        tags=enumerated(read.facts.get(AREAS, "")),
        references=files_of(read),
        session_id=unescaped(read.facts.get(SESSION, "")) or None,
        is_repair=REPAIR in read.facts,
    )


def _span(chunk: Chunk | None, read: Outline) -> TimeSpan | None:
    return TimeSpan(chunk.starts_at, chunk.ends_at) if chunk else time_span_of(read)


PRIVATE = "<private"
"""
Begins a passage that is never stored and may span sections.

Other secrets lie in one section.
"""

OF_ALL = ("project", "workspace", "branch", "session_id", "sessionId", "date", "timestamp")
"""
Fields of a file that apply to all its captured sections.

A change updates all their entries.
"""


@attrs.frozen(slots=False)
class MarkdownDocument:
    """
    A markdown file.

    Attributes:
        path: Absolute, links resolved.
        mtime: In Unix seconds.
        file_hash: sha256 of its bytes.
    """

    path: str
    mtime: int
    file_hash: str
    markdown: Markdown
    project_root: str

    @cached_property
    def fields(self) -> FileFields:
        read = read_fields(self.markdown.front_matter)
        return attrs.evolve(
            read,
            kind=read.kind or kind_by_place(self.path, self.project_root),
            complaints=self.markdown.complaints + read.complaints,
        )

    @cached_property
    def title(self) -> str:
        place = PurePath(self.path)
        title = plain_title(self.fields.title or "")
        return title or first_heading(self._body) or topic(place.name) or place.stem

    @cached_property
    def text(self) -> str:
        return plain_text(without_markers(self._body))

    @cached_property
    def summary(self) -> str:
        return describe(self._body)

    @cached_property
    def headings(self) -> tuple[str, ...]:
        return tuple(headings(self._body))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        return phrases_of(self._body)

    @property
    def spec_folder(self) -> str:
        return spec_folder(self.path)

    @property
    def named_at(self) -> dt.datetime | None:
        return named_at(PurePath(self.path).name)

    @cached_property
    def sections(self) -> NamedSections:
        found, complaints = sections(self._body)
        if len(found) > MAX_SECTIONS:
            complaints += (
                (
                    f"only the first {MAX_SECTIONS} of {len(found)} anchors become memories of"
                    " their own"
                ),
            )
        return NamedSections(tuple(map(_section, found[:MAX_SECTIONS])), complaints)

    def captured_as(self, kind: Kind) -> CapturedSections:
        if kind not in CONVERSATION_KINDS:
            return CapturedSections()
        body = self.markdown.body
        all_found, complaints = sections(redact(body) if PRIVATE in body.casefold() else body)
        found = [section for section in all_found if goes_by_its_anchor(kind, section.anchor_id)]
        if not found:
            return CapturedSections()
        if len(found) > MAX_SECTIONS:
            complaints += (
                f"only the first {MAX_SECTIONS} of {len(found)} sections become memories",
            )
        head = self.markdown.front_matter
        return CapturedSections(
            tuple(_captured(section, kind, head) for section in found[:MAX_SECTIONS]), complaints
        )

    @cached_property
    def _body(self) -> str:
        return stored_form(self.markdown.body)


def _section(section: AnchorSection) -> Section:
    return Section(
        anchor_id=section.anchor_id,
        title=first_heading(section.text) or "",
        text=plain_text(section.text),
    )


def _captured(
    section: AnchorSection, kind: Kind, head: Mapping[str, FrontValue]
) -> CapturedSection:
    permanent = permanence_of(section.text)
    names = OF_ALL if permanent is not None else (*OF_ALL, "permanent")
    used = ascii([(name, head.get(name)) for name in names])
    source = f"{kind}|{used}|{section.text}"
    section_hash = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()
    return CapturedSection(
        anchor_id=section.anchor_id,
        section_hash=section_hash,
        permanent=permanent,
        read=partial(_read, section),
    )


def _read(section: AnchorSection) -> Section:
    return read_section(section._replace(text=stored_form(section.text)))
