"""What becomes of a file: the entry that stands for it."""

import datetime as dt
from pathlib import PurePath
from typing import NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.feature_description import describe
from hardwon.domain.model.files.anchors import without_markers
from hardwon.domain.model.files.context_types import context_type_of
from hardwon.domain.model.files.fields import FileFields
from hardwon.domain.model.files.markdown import MarkdownFile
from hardwon.domain.model.files.plain_text import plain_text
from hardwon.domain.model.files.spec_folder import spec_folder, topic, written_at
from hardwon.domain.model.files.titles import beginning, first_heading, plain_title
from hardwon.domain.model.files.trigger_phrases import phrases_of
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import ContextType, Kind, Tier

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
