"""What is read of a captured section."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.conversation.chunk import PERMANENT_MARK, Chunk
from hardwon.domain.model.files.anchors import AnchorSection
from hardwon.domain.model.sections.section_chunk import files_of, section_chunk
from hardwon.domain.model.sections.section_outline import Outline, outline
from hardwon.domain.model.sections.section_plain_text import plain_chunk, plain_section
from hardwon.domain.model.sections.section_text import AREAS, SESSION, TOPIC
from hardwon.domain.model.sections.section_time import TimeSpan, time_span_of
from hardwon.domain.model.sections.verbatim import enumerated, unescaped


class SectionReading(NamedTuple):
    """What a section tells of itself; the fields are those of `Entry` and its life."""

    name: str
    description: str
    starts_at: dt.datetime
    ends_at: dt.datetime
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    session_id: str | None = None


def read_section(section: AnchorSection, moment: dt.datetime) -> SectionReading:
    """Return what *section* tells; *moment* where it does not say when it was."""
    read = outline(section.text)
    chunk = section_chunk(section.anchor_id, section.text)
    description = plain_chunk(chunk) if chunk else plain_section(section.text)
    title = read.title.removeprefix(PERMANENT_MARK) if read else ""
    name = title if title.strip() else section.anchor_id
    if read is None:
        return SectionReading(name, description or name, moment, moment)
    starts_at, ends_at = _span(chunk, read, moment)
    return SectionReading(
        name=name,
        description=description or name,
        starts_at=starts_at,
        ends_at=ends_at,
        keywords=tuple(unescaped(read.facts.get(TOPIC, "")).split()),
        tags=enumerated(read.facts.get(AREAS, "")),
        references=files_of(read),
        session_id=unescaped(read.facts.get(SESSION, "")) or None,
    )


def _span(chunk: Chunk | None, read: Outline, moment: dt.datetime) -> TimeSpan:
    """Return when it began and ended, as far as the section says so."""
    if chunk:
        return TimeSpan(chunk.starts_at, chunk.ends_at)
    return time_span_of(read) or TimeSpan(moment, moment)
