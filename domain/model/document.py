"""
What becomes of a file that conversations were captured in: an entry for each section, and none for the whole.

A section is known by its own name, wherever it stands (rule U-3), and changes by
itself: the hash that goes with its entry is its own, not that of the file.

What becomes of a file: the entry that stands for it.

What becomes of the named sections of a document: an entry each.

What is read of a captured section.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

import attrs

from hardwon.domain.model.context import Workplace, describe
from hardwon.domain.model.conversation.session import PERMANENT_MARK, Chunk
from hardwon.domain.model.entry import Entry, goes_by_its_anchor, redact_entry
from hardwon.domain.model.formats.anchors import AnchorSection, sections, without_markers
from hardwon.domain.model.formats.conversation_format import (
    AREAS,
    SESSION,
    TOPIC,
    Outline,
    TimeSpan,
    enumerated,
    files_of,
    outline,
    permanence_of,
    plain_chunk,
    plain_section,
    section_chunk,
    time_span_of,
    unescaped,
)
from hardwon.domain.model.formats.document_format import (
    FileFields,
    FrontValue,
    MarkdownFile,
    beginning,
    context_type_of,
    first_heading,
    plain_title,
    spec_folder,
    topic,
    written_at,
)
from hardwon.domain.model.plain_text import plain_text
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.triggers import phrases_of
from hardwon.domain.model.usage import UNUSED
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, ContextType, Kind, Tier

EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)


class Defaults(NamedTuple):
    """
    What holds of a file that says nothing of it (requirement D-C11).

    Attributes:
        tier: How much it matters.
        context_type: What sort of work it is from.

    """

    tier: Tier = "normal"
    context_type: ContextType = "general"


PLAIN = Defaults()


def to_entry(
    file: MarkdownFile,
    fields: FileFields,
    kind: Kind,
    workplace: Workplace,
    known: Entry | None = None,
    *,
    defaults: Defaults = PLAIN,
) -> Entry:
    """
    Return the entry that stands for *file* as a whole, without secrets.

    The file has the word on its text; what its front matter does not say stays
    as it is *known*. The store has the word on how much it matters, and on how
    often it was used (rule U-2); while the file does not change, on its name,
    its phrases and where it comes from too.

    Args:
        file: As it was read.
        fields: What its front matter says.
        kind: What it is kept as.
        workplace: Where it comes from when it does not say so.
        known: What stood for it before.
        defaults: What holds of a new entry where nothing is said.

    Raises:
        InvalidEntryError: nothing is left of a text once secrets are out, or it breaks a rule of `Entry`.

    """
    same = known if known and known.file_hash == file.file_hash else None
    body = redact(file.markdown.body)
    name, description = _texts(file, body, fields, kind, same)
    earlier = known or _new(file, fields, kind, (name, description), defaults)
    project, workspace, branch = _origin(same) if same else workplace[:3]
    entry = attrs.evolve(
        earlier,
        kind=kind,
        name=name,
        description=description,
        keywords=fields.keywords or earlier.keywords,
        tags=fields.tags or earlier.tags,
        references=fields.files or earlier.references,
        updated_at=fields.date or moment_of(file.mtime),
        source_project=_claimed(fields, earlier) or project or None,
        workspace=fields.workspace or workspace,
        branch=fields.branch or branch,
        permanent=earlier.permanent if fields.permanent is None else fields.permanent,
        file_mtime=file.mtime,
        file_hash=file.file_hash,
        context_type=fields.context_type
        or context_type_of(PurePath(file.path).stem, name, body)
        or earlier.context_type,
        trigger_phrases=(same and same.trigger_phrases)
        or fields.trigger_phrases
        or phrases_of(body)
        or earlier.trigger_phrases,
        spec_folder=spec_folder(file.path) if kind == "document" else None,
        channel=fields.channel or earlier.channel,
        session_id=fields.session_id or earlier.session_id,
    )
    return as_named_before(redact_entry(entry), same)


def as_named_before(entry: Entry, same: Entry | None) -> Entry:
    """Return *entry* by the name of *same*, which stood for the very file, if both say the same."""
    is_said = same is not None and same.description == entry.description
    return attrs.evolve(entry, name=same.name) if same and is_said else entry


def moment_of(seconds: int) -> dt.datetime:
    """Return the moment of that Unix time; the first one for a time no calendar has."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH


def _new(file: MarkdownFile, fields: FileFields, kind: Kind, texts: tuple[str, str], defaults: Defaults) -> Entry:
    """Return the entry of a file that had none, with all that the store has the word on from now on."""
    written = fields.date or _moment_in_name(file.path) or moment_of(file.mtime)
    return Entry(
        kind=kind,
        name=texts[0],
        description=texts[1],
        file_path=file.path,
        source="import",
        created_at=written,
        updated_at=written,
        tier=fields.tier or defaults.tier,
        context_type=defaults.context_type,
        importance_weight=0.5 if fields.importance_weight is None else fields.importance_weight,
    )


def _moment_in_name(path: str) -> dt.datetime | None:
    """Return the moment that a spec folder's file is named after, which is in local time."""
    local = written_at(PurePath(path).name)
    try:
        return local.astimezone(dt.UTC) if local else None
    except (ValueError, OverflowError, OSError):
        return None


def _claimed(fields: FileFields, entry: Entry) -> str | None:
    """Return the project that a file says it is of: a rule holds where it stands, or one project could rule another."""
    return None if entry.tier == "constitutional" else fields.project


def _origin(known: Entry) -> tuple[str | None, str | None, str | None]:
    return known.source_project, known.workspace, known.branch


def _texts(file: MarkdownFile, body: str, fields: FileFields, kind: Kind, same: Entry | None) -> tuple[str, str]:
    """Return name and description; *same* is what stands for this very text."""
    if kind == "session":
        given = same.description if same and same.kind == "session" else None
        description = fields.description or given or describe(body) or fields.title or PurePath(file.path).stem
        return beginning(plain_text(description)) or beginning(description), description
    title = plain_title(fields.title or "")
    name = title or first_heading(body) or topic(PurePath(file.path).name) or PurePath(file.path).stem
    text = plain_text(without_markers(body))
    lead = fields.description or ""
    return name, "\n\n".join(filter(None, ("" if lead in text else lead, text))) or name


def overruled(fields: FileFields, whole: Entry) -> tuple[str, ...]:
    """Return a line where the store, whose word it is (rule U-2), says a file matters otherwise than the file does."""
    said = (
        ("importance_tier", fields.tier, whole.tier),
        ("importance_weight", fields.importance_weight, whole.importance_weight),
    )
    differing = [(name, own, kept) for name, own, kept in said if own is not None and own != kept]
    told = " and ".join(f"{name} {own}" for name, own, _ in differing)
    has = " and ".join(str(kept) for *_, kept in differing)
    line = f"the file says {told}, the memory has {has}: memory_update or hardwon update changes it"
    return (line,) if differing else ()


MOST_SECTIONS = 200
"""So many sections of one file become entries: none may flood the store."""

_GAP = re.compile(r"[-_./\s]+")


class SectionEntries(NamedTuple):
    """
    The entries of a document's sections.

    Attributes:
        entries: In the order the sections begin.
        complaints: What is wrong with the sections, one line each.

    """

    entries: tuple[Entry, ...] = ()
    complaints: tuple[str, ...] = ()


def section_entries(whole: Entry, body: str, known: Mapping[str, Entry]) -> SectionEntries:
    """
    Return the entries that stand for the sections of a document, without secrets.

    One matters as much as the *whole* unless its tier was set for it alone, and comes from where that does;
    whatever else the store has the word on stays as it is *known*.

    Args:
        whole: The entry of the whole document.
        body: What the file says below its front matter.
        known: What stood for its sections before, by anchor.

    Raises:
        InvalidEntryError: nothing is left of a text once secrets are out, or it breaks a rule of `Entry`.

    """
    found, complaints = sections(redact(body))
    entries = tuple(_entry(whole, section, known.get(section.anchor_id)) for section in found[:MOST_SECTIONS])
    if len(found) > MOST_SECTIONS:
        complaints += (f"only the first {MOST_SECTIONS} of {len(found)} anchors become memories of their own",)
    return SectionEntries(entries, complaints)


def _entry(whole: Entry, section: AnchorSection, known: Entry | None) -> Entry:
    name = f"{whole.name}: {_title(whole, section)}"
    owned = known or attrs.evolve(whole, keywords=(), trigger_phrases=(), usage=UNUSED, number=None)
    entry = attrs.evolve(
        whole,
        anchor_id=section.anchor_id,
        name=name,
        description=plain_text(section.text) or name,
        keywords=owned.keywords,
        trigger_phrases=owned.trigger_phrases,
        tier=owned.tier if owned.own_tier else whole.tier,
        own_tier=owned.own_tier,
        importance_weight=owned.importance_weight,
        created_at=owned.created_at,
        usage=owned.usage,
        number=owned.number,
    )
    same = known if known and known.file_hash == whole.file_hash else None
    return as_named_before(redact_entry(entry), same)


def _title(whole: Entry, section: AnchorSection) -> str:
    """Return the section's own heading, else its anchor in words."""
    heading = first_heading(section.text)
    in_words = _GAP.sub(" ", section.anchor_id).strip() or section.anchor_id
    return heading if heading and heading != whole.name else in_words


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
