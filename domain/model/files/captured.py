"""
What becomes of a file that conversations were captured in: an entry for each section, and none for the whole.

A section is known by its own name, wherever it stands (rule U-3), and changes by
itself: the hash that goes with its entry is its own, not that of the file.
"""

import datetime as dt
import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry, goes_by_its_anchor
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.files.anchors import AnchorSection, sections
from hardwon.domain.model.files.fields import FileFields
from hardwon.domain.model.files.file_entry import as_named_before, moment_of
from hardwon.domain.model.files.markdown import FrontValue, MarkdownFile
from hardwon.domain.model.files.section_entries import MOST_SECTIONS
from hardwon.domain.model.files.section_reading import SectionReading, read_section
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.sections.section_chunk import permanence_of
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind

PRIVATE = "<private"
"""What begins a passage that is never stored, be it longer than a section; other secrets go section by section."""

OF_ALL = ("project", "workspace", "branch", "session_id", "sessionId", "date", "timestamp")
"""What the head of a file says of all its sections: they are made anew when it changes."""


class CapturedSection(NamedTuple):
    """
    A section of a conversation file.

    Attributes:
        section: Its name and text.
        section_hash: Of all that its entry is made of.
        permanent: Whether it is kept for good, None where it leaves that to its file.

    """

    section: AnchorSection
    section_hash: str
    permanent: bool | None


class CapturedFile(NamedTuple):
    """
    The sections of a conversation file.

    Attributes:
        found: In order, at most 200; none where the file is no such file.
        complaints: What is wrong with them, one line each.

    """

    found: tuple[CapturedSection, ...] = ()
    complaints: tuple[str, ...] = ()


def captured_file(file: MarkdownFile, kind: Kind, complaints: tuple[str, ...] = ()) -> CapturedFile:
    """Return the captured sections of *file*, which is of that *kind*, and what is wrong beside the *complaints*."""
    if kind not in CONVERSATION_KINDS:
        return CapturedFile()
    body = file.markdown.body
    all_found, more = sections(redact(body) if PRIVATE in body.casefold() else body)
    complaints += more
    found = [section for section in all_found if goes_by_its_anchor(kind, section.anchor_id)]
    if not found:
        return CapturedFile()
    if len(found) > MOST_SECTIONS:
        complaints += (f"only the first {MOST_SECTIONS} of {len(found)} sections become memories",)
    head = file.markdown.front_matter
    return CapturedFile(tuple(_captured(section, kind, head) for section in found[:MOST_SECTIONS]), complaints)


def _captured(section: AnchorSection, kind: Kind, head: Mapping[str, FrontValue]) -> CapturedSection:
    permanent = permanence_of(section.text)
    names = OF_ALL if permanent is not None else (*OF_ALL, "permanent")
    used = ascii([(name, head.get(name)) for name in names])
    source = f"{kind}|{used}|{section.text}"
    return CapturedSection(section, hashlib.sha256(source.encode("utf-8", "replace")).hexdigest(), permanent)


class CapturedEntries(NamedTuple):
    """
    How sections of one file become entries.

    Attributes:
        file: As it was read.
        fields: What its front matter says.
        kind: What it is kept as.
        workplace: Where it comes from when it does not say so.

    """

    file: MarkdownFile
    fields: FileFields
    kind: Kind
    workplace: Workplace

    def entry(self, of: CapturedSection, known: Entry | None) -> Entry:
        """
        Return the entry that stands for a section, without secrets.

        Args:
            of: The section.
            known: What stood for it before, wherever it stood: the store has the word on how much it matters.

        Raises:
            InvalidEntryError: nothing is left of a text once secrets are out, or it breaks a rule of `Entry`.

        """
        same = known if known and known.file_hash == of.section_hash else None
        told = read_section(of.section._replace(text=redact(of.section.text)), self._moment())
        entry = self._placed(self._as_told(told, known or self._new(told)), same)
        entry = attrs.evolve(
            entry,
            permanent=self._is_permanent(of, known),
            file_hash=of.section_hash,
            anchor_id=of.section.anchor_id,
        )
        return as_named_before(redact_entry(entry), same)

    def _as_told(self, told: SectionReading, earlier: Entry) -> Entry:
        return attrs.evolve(
            earlier,
            kind=self.kind,
            name=told.name,
            description=told.description,
            keywords=told.keywords or earlier.keywords,
            tags=told.tags or earlier.tags,
            references=told.references,
            updated_at=told.ends_at,
            session_id=told.session_id or self.fields.session_id or earlier.session_id,
        )

    def _placed(self, entry: Entry, same: Entry | None) -> Entry:
        """Return *entry* with where it stands and comes from: from where *same* did, which says the same."""
        project, workspace, branch = (same.source_project, same.workspace, same.branch) if same else self.workplace[:3]
        return attrs.evolve(
            entry,
            source_project=self.fields.project or project or None,
            workspace=self.fields.workspace or workspace,
            branch=self.fields.branch or branch,
            file_path=self.file.path,
            file_mtime=self.file.mtime,
        )

    def _new(self, told: SectionReading) -> Entry:
        return Entry(
            kind=self.kind,
            name=told.name,
            description=told.description,
            file_path=self.file.path,
            source="session-capture",
            created_at=told.starts_at,
            updated_at=told.ends_at,
        )

    def _moment(self) -> dt.datetime:
        return self.fields.date or moment_of(self.file.mtime)

    def _is_permanent(self, of: CapturedSection, known: Entry | None) -> bool:
        by_store = known is not None and known.permanent
        if of.permanent is not None:
            return of.permanent or by_store
        return by_store if self.fields.permanent is None else self.fields.permanent
