"""What becomes of a file: the entry that stands for it."""

import datetime as dt
from pathlib import PurePath

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.feature_description import describe
from hardwon.domain.model.files.fields import FileFields
from hardwon.domain.model.files.markdown import MarkdownFile
from hardwon.domain.model.files.plain_text import plain_text
from hardwon.domain.model.files.titles import beginning, first_heading
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Kind

EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)


def to_entry(
    file: MarkdownFile, fields: FileFields, kind: Kind, workplace: Workplace, known: Entry | None = None
) -> Entry:
    """
    Return the entry that stands for *file*, without secrets.

    The file has the word on its text; what its front matter does not say stays
    as it is *known*, and where a file that did not change comes from does too.

    Args:
        file: As it was read.
        fields: What its front matter says.
        kind: What it is kept as.
        workplace: Where it comes from when it does not say so.
        known: What stood for it before.

    Raises:
        InvalidEntryError: nothing is left of a text once secrets are out, or it breaks a rule of `Entry`.

    """
    is_same = known is not None and known.file_hash == file.file_hash
    project, workspace, branch = _origin(known) if known and is_same else workplace[:3]
    name, description = _texts(file, fields, kind, known if is_same else None)
    written = fields.date or moment_of(file.mtime)
    return redact_entry(
        Entry(
            kind=kind,
            name=name,
            description=description,
            keywords=fields.keywords or (known.keywords if known else ()),
            tags=fields.tags or (known.tags if known else ()),
            references=fields.files or (known.references if known else ()),
            observation_count=known.observation_count if known else 1,
            confidence=known.confidence if known else "medium",
            created_at=known.created_at if known else written,
            updated_at=written,
            source=known.source if known else "import",
            source_project=fields.project or project or None,
            workspace=fields.workspace or workspace,
            branch=fields.branch or branch,
            permanent=(known is not None and known.permanent) if fields.permanent is None else fields.permanent,
            file_path=file.path,
            file_mtime=file.mtime,
            file_hash=file.file_hash,
        )
    )


def moment_of(seconds: int) -> dt.datetime:
    """Return the moment of that Unix time; the first one for a time no calendar has."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError, OSError):
        return EPOCH


def _origin(known: Entry) -> tuple[str | None, str | None, str | None]:
    return known.source_project, known.workspace, known.branch


def _texts(file: MarkdownFile, fields: FileFields, kind: Kind, same: Entry | None) -> tuple[str, str]:
    """Return name and description; *same* is what stands for this very text."""
    body = redact(file.markdown.body)
    if kind == "session":
        given = same.description if same and same.kind == "session" else None
        description = fields.description or given or describe(body) or fields.title or PurePath(file.path).stem
        return beginning(description), description
    name = fields.title or first_heading(body) or PurePath(file.path).stem
    text = plain_text(body)
    lead = fields.description or ""
    return name, "\n\n".join(filter(None, ("" if lead in text else lead, text))) or name
