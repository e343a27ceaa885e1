"""
Memories of older programs.

They are sessions of a `memory-index.json`, and rows of a `memory_index` table.
"""

import datetime as dt
from pathlib import PurePath
from typing import Any

import attrs

from hardwon.domain.model.activity import UNUSED, Usage
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.file_entry import utc_time
from hardwon.domain.model.plain_text import beginning
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.triggers import usable_phrases
from hardwon.domain.model.vocabulary import ContextType, Tier

IMPORTABLE = (
    "hardwon can import its own exports, a memory-index.json, the SQLite index of an older memory,"
    " and what ChatGPT, Claude, claude-mem, basic-memory wrote"
)
"""Ends the refusal of any other file."""


@attrs.frozen(kw_only=True)
class IndexedMemory:
    """
    A session in a `memory-index.json`.

    Attributes:
        path: Absolute, links resolved.
        mtime: In Unix seconds.
        description: None in indexes that do not hold it.
        vector: As it is in the index; None if it has no list of numbers.
        vector_problem: Why the vector of the index can't be used.
    """

    path: str
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    mtime: int | None = None
    project: str | None = None
    filename: str
    description: str | None = None
    vector: Vector | None = None
    vector_problem: str = ""

    @property
    def brings_vector(self) -> bool:
        """Whether the index has a vector, usable or not."""
        return self.vector is not None or bool(self.vector_problem)

    def to_session(
        self, description: str, mtime: int, file_hash: str | None, known: Entry | None
    ) -> Entry:
        """
        Return its session, without secrets.

        *file_hash* is that of the file of *description*, None to let it be indexed again; *known*
        is the session in the store.

        Raises:
            InvalidEntryError: it breaks a rule of `Entry`.
        """
        clean = stored_form(description).strip()
        session = attrs.evolve(
            known or self._unknown(mtime),
            name=beginning(clean),
            description=clean,
            tags=self.tags,
            keywords=self.keywords,
            source_project=self.project,
            file_mtime=mtime,
            file_hash=file_hash,
        )
        is_as_known = known is not None and known.file_mtime == mtime
        return redact_entry(
            session if is_as_known else attrs.evolve(session, updated_at=utc_time(mtime))
        )

    def _unknown(self, mtime: int) -> Entry:
        return Entry(
            kind="session",
            name=self.filename,
            description=self.filename,
            file_path=self.path,
            source="import",
            created_at=utc_time(mtime),
            updated_at=utc_time(mtime),
        )


@attrs.frozen(kw_only=True)
class OlderDocument:
    """
    A row of a `memory_index`, with None for missing values.

    Attributes:
        path: Absolute, links resolved.
        content: The text of the file as it was indexed, markdown.
    """

    path: str
    anchor_id: str = ""
    spec_folder: str | None = None
    title: str | None = None
    content: str | None = None
    created_at: dt.datetime | None = None
    importance_weight: float | None = None
    tier: Tier | None = None
    context_type: ContextType | None = None
    channel: str | None = None
    session_id: str | None = None
    trigger_phrases: tuple[str, ...] = ()
    usage: Usage = UNUSED

    def seed(self, now: dt.datetime) -> Entry:
        """
        Return the entry that its file is indexed over.

        It is created when the older program says, else *now*.

        Raises:
            InvalidEntryError: a value breaks a rule of `Entry`.
        """
        created = self.created_at or now
        name = self.title or PurePath(self.path).stem
        text = self.content or name
        return redact_entry(
            Entry(
                kind="document",
                name=name,
                description=text,
                file_path=self.path,
                source="import",
                created_at=created,
                updated_at=created,
            )
        )

    def merged_into(self, entry: Entry) -> Entry:
        """
        Return *entry* with all values of the older index, without secrets.

        Both are of the same text.

        Raises:
            InvalidEntryError: a value breaks a rule of `Entry`.
        """
        known: dict[str, Any] = {
            "name": self.title,
            "importance_weight": self.importance_weight,
            "tier": self.tier,
            "own_tier": bool(self.anchor_id and self.tier not in {None, entry.tier}) or None,
            "context_type": self.context_type,
            "channel": self.channel,
            "session_id": self.session_id,
            "trigger_phrases": usable_phrases(self.trigger_phrases) or None,
            "spec_folder": self.spec_folder if entry.kind == "document" else None,
        }
        return redact_entry(
            attrs.evolve(
                entry, **{field: value for field, value in known.items() if value is not None}
            )
        )
