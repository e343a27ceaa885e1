"""Entries from files: of whole files, named sections, and captured sections."""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

import attrs

from hardwon.domain.model.activity import UNUSED
from hardwon.domain.model.document import (
    CapturedSection,
    Document,
    FileFields,
    Section,
    context_type_of,
)
from hardwon.domain.model.entry import REPAIR_TAG, Entry, redact_entry
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.plain_text import beginning, plain_text
from hardwon.domain.model.vocabulary import ContextType, Kind, Tier


def overruled(fields: FileFields, whole: Entry) -> tuple[str, ...]:
    """
    Return warnings about fields of a file that do not count.

    They are an importance other than the store's, and another workspace.
    """
    compared = (
        ("importance_tier", fields.tier, whole.tier),
        ("importance_weight", fields.importance_weight, whole.importance_weight),
    )
    differing = [
        (name, own, kept) for name, own, kept in compared if own is not None and own != kept
    ]
    stated_values = " and ".join(f"{name} {own}" for name, own, _ in differing)
    stored_values = " and ".join(str(kept) for *_, kept in differing)
    line = (
        f"the file says {stated_values}, the memory has {stored_values}: memory_update or hardwon"
        " update changes it"
    )
    claim = (
        f"the file claims the workspace {fields.workspace!r}, which only HARDWON_WORKSPACE can"
        " name: not taken"
    )
    is_own = fields.workspace in {None, whole.workspace, PurePath(whole.workspace or "").name}
    return (*((line,) if differing else ()), *(() if is_own else (claim,)))


EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)


class Defaults(NamedTuple):
    """Tier and context type of documents that do not state them."""

    tier: Tier = "normal"
    context_type: ContextType = "general"


PLAIN = Defaults()


def to_entry(
    document: Document,
    fields: FileFields,
    kind: Kind,
    workplace: Workplace,
    known: Entry | None = None,
    *,
    defaults: Defaults = PLAIN,
) -> Entry:
    """
    Return the entry of *document* as a whole, without secrets.

    The file decides its text; a field that it lacks keeps its *known* value. The store decides
    importance and usage; while the file does not change, also its name, its phrases and its origin.

    Raises:
        InvalidEntryError: a text is empty once redacted, or it breaks a rule of `Entry`.
    """
    same = known if known and known.file_hash == document.file_hash else None
    name, description = _texts(document, fields, kind=kind, same=same)
    earlier = known or _new(
        document, fields, kind=kind, texts=(name, description), defaults=defaults
    )
    origin = _origin(workplace, same)
    entry = attrs.evolve(
        earlier,
        kind=kind,
        name=name,
        description=description,
        keywords=fields.keywords or earlier.keywords,
        tags=fields.tags or earlier.tags,
        references=fields.files or earlier.references,
        updated_at=_written_at(document, fields),
        project=origin.project,
        door="file",
        source_project=_claimed(fields, earlier) or origin.label,
        workspace=origin.workspace,
        branch=fields.branch or origin.branch,
        permanent=earlier.permanent if fields.permanent is None else fields.permanent,
        file_mtime=document.mtime,
        file_hash=document.file_hash,
        context_type=fields.context_type
        or context_type_of(PurePath(document.path).stem, name, document.headings)
        or earlier.context_type,
        trigger_phrases=(same and same.trigger_phrases)
        or fields.trigger_phrases
        or document.phrases
        or earlier.trigger_phrases,
        spec_folder=document.spec_folder if kind == "document" else None,
        channel=fields.channel or earlier.channel,
        session_id=fields.session_id or earlier.session_id,
    )
    return as_named_before(redact_entry(entry), same)


def as_named_before(entry: Entry, same: Entry | None) -> Entry:
    """Keep the name of *same*, the earlier entry, if the description is equal."""
    return (
        attrs.evolve(entry, name=same.name)
        if same and same.description == entry.description
        else entry
    )


def utc_time(seconds: int) -> dt.datetime:
    """Return the time of Unix *seconds*, or the epoch outside the calendar."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH


def _written_at(document: Document, fields: FileFields) -> dt.datetime:
    """
    Return the date of the front matter, the file's name, or its mtime.

    The first that exists counts.
    """
    return fields.date or document.named_at or utc_time(document.mtime)


def _new(
    document: Document, fields: FileFields, kind: Kind, texts: tuple[str, str], defaults: Defaults
) -> Entry:
    written = _written_at(document, fields)
    return Entry(
        kind=kind,
        name=texts[0],
        description=texts[1],
        file_path=document.path,
        source="import",
        created_at=written,
        updated_at=written,
        tier=fields.tier or defaults.tier,
        context_type=defaults.context_type,
        importance_weight=0.5 if fields.importance_weight is None else fields.importance_weight,
    )


def _claimed(fields: FileFields, entry: Entry) -> str | None:
    """
    Return the project that a file states.

    None for a rule, or a project could rule another.
    """
    return None if entry.tier == "constitutional" else fields.project


class _Origin(NamedTuple):
    project: str | None
    label: str | None
    workspace: str | None
    branch: str | None


def _origin(workplace: Workplace, same: Entry | None) -> _Origin:
    """
    Return where a file stands.

    Label and branch of *same*, which has the same text, stay, and its project if it has one.
    """
    if same is None:
        return _Origin(
            project=workplace.project or None,
            label=workplace.label or None,
            workspace=workplace.workspace,
            branch=workplace.branch,
        )
    project, workspace = (
        (same.project, same.workspace) if same.project else (workplace.project, workplace.workspace)
    )
    return _Origin(
        project=project or None, label=same.source_project, workspace=workspace, branch=same.branch
    )


def _texts(
    document: Document, fields: FileFields, kind: Kind, same: Entry | None
) -> tuple[str, str]:
    if kind == "session":
        given = same.description if same and same.kind == "session" else None
        description = (
            fields.description
            or given
            or document.summary
            or fields.title
            or PurePath(document.path).stem
        )
        return beginning(plain_text(description)) or beginning(description), description
    text, lead = document.text, fields.description or ""
    return (
        document.title,
        "\n\n".join(filter(None, ("" if lead in text else lead, text))) or document.title,
    )


_GAP = re.compile(r"[-_./\s]+")


def section_entries(
    whole: Entry, document: Document, known: Mapping[str, Entry]
) -> tuple[Entry, ...]:
    """
    Return the entries of a document's sections, in order, without secrets.

    Origin and tier of an entry are those of the *whole*, unless the tier was set for the section
    itself; other values that the store decides stay as they are *known*.

    Raises:
        InvalidEntryError: a text is empty once redacted, or it breaks a rule of `Entry`.
    """
    return tuple(
        _entry(whole, section, known.get(section.anchor_id)) for section in document.sections.found
    )


def _entry(whole: Entry, section: Section, known: Entry | None) -> Entry:
    name = f"{whole.name}: {_title(whole, section)}"
    owned = known or attrs.evolve(whole, keywords=(), trigger_phrases=(), usage=UNUSED, number=None)
    entry = attrs.evolve(
        whole,
        anchor_id=section.anchor_id,
        name=name,
        description=section.text or name,
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


def _title(whole: Entry, section: Section) -> str:
    in_words = _GAP.sub(" ", section.anchor_id).strip() or section.anchor_id
    return section.title if section.title and section.title != whole.name else in_words


class CapturedEntries(NamedTuple):
    """The conversion of a file's captured sections to entries."""

    document: Document
    kind: Kind
    workplace: Workplace

    def entry(self, of: CapturedSection, known: Entry | None) -> Entry:
        """
        Return the entry of a section, without secrets.

        Args:
            of: The section.
            known: Its entry so far, in whatever file: the store decides its importance.

        Raises:
            InvalidEntryError: a text is empty once redacted, or it breaks a rule of `Entry`.
        """
        same = known if known and known.file_hash == of.section_hash else None
        section = of.read()
        entry = self._placed(self._updated(known or self._new(section), section), same)
        entry = attrs.evolve(
            entry,
            permanent=self._is_permanent(of, known),
            file_hash=of.section_hash,
            anchor_id=of.anchor_id,
        )
        return as_named_before(redact_entry(entry), same)

    def _updated(self, earlier: Entry, section: Section) -> Entry:
        name = _name(section)
        return attrs.evolve(
            earlier,
            kind=self.kind,
            name=name,
            description=section.text or name,
            keywords=section.keywords or earlier.keywords,
            tags=(*(section.tags or earlier.tags), *([REPAIR_TAG] if section.is_repair else ())),
            references=section.references,
            updated_at=section.ends_at or self._time(),
            session_id=section.session_id or self.document.fields.session_id or earlier.session_id,
        )

    def _placed(self, entry: Entry, same: Entry | None) -> Entry:
        """
        Set place and origin of *entry*.

        The origin of *same*, which has the same text, stays.
        """
        fields = self.document.fields
        origin = _origin(self.workplace, same)
        return attrs.evolve(
            entry,
            project=origin.project,
            door="capture",
            source_project=fields.project or origin.label,
            workspace=origin.workspace,
            branch=fields.branch or origin.branch,
            file_path=self.document.path,
            file_mtime=self.document.mtime,
        )

    def _new(self, section: Section) -> Entry:
        name = _name(section)
        return Entry(
            kind=self.kind,
            name=name,
            description=section.text or name,
            file_path=self.document.path,
            source="session-capture",
            reach="home" if section.is_repair else "shared",
            created_at=section.starts_at or self._time(),
            updated_at=section.ends_at or self._time(),
        )

    def _time(self) -> dt.datetime:
        return _written_at(self.document, self.document.fields)

    def _is_permanent(self, of: CapturedSection, known: Entry | None) -> bool:
        by_store = known is not None and known.permanent
        if of.permanent is not None:
            return of.permanent or by_store
        return (
            by_store if self.document.fields.permanent is None else self.document.fields.permanent
        )


def _name(section: Section) -> str:
    return section.title if section.title.strip() else section.anchor_id
