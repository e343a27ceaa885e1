"""What of a session stands in the project's files."""

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

from hardwon.domain.model.sections.memory_file import sections_in
from hardwon.domain.model.sections.section_chunk import permanence_of
from hardwon.domain.model.sections.section_outline import outline
from hardwon.domain.model.sections.section_text import SESSION
from hardwon.domain.model.sections.section_time import time_span_of
from hardwon.domain.model.sections.verbatim import unescaped
from hardwon.domain.model.vocabulary import Kind


class SectionOfSession(NamedTuple):
    """
    A section of a memory file that says which session it comes from.

    Attributes:
        note_id: Its anchor: 16 hex digits.
        kind: Conversation, decision, gotcha or preference.
        starts_at: When its first exchange began, in UTC.
        ends_at: When its last exchange began, in UTC.
        permanent: Whether it says that it is kept for good.

    """

    note_id: str
    kind: Kind
    starts_at: dt.datetime
    ends_at: dt.datetime
    permanent: bool


def sections_of_session(text: str, kind: Kind, session_id: str) -> Iterator[SectionOfSession]:
    """Yield the sections of a memory file *text* of that *kind* that name the session, and when they were said."""
    for note_id, section in sections_in(text).items():
        read = outline(section)
        named = read.facts.get(SESSION) if read else None
        if read and named and unescaped(named) == session_id and (said := time_span_of(read)):
            yield SectionOfSession(note_id, kind, said.first, said.last, bool(permanence_of(section)))
