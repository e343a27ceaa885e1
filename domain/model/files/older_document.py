"""A document as the index of an older program knows it."""

import datetime as dt
from pathlib import PurePath
from typing import Any

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_redaction import redact_entry
from hardwon.domain.model.files.spec_folder import spec_folder
from hardwon.domain.model.files.trigger_phrases import usable_phrases
from hardwon.domain.model.importance.usage import UNUSED, Usage
from hardwon.domain.model.vocabulary import ContextType, Tier


@attrs.frozen(kw_only=True)
class OlderDocument:
    """
    One row of a `memory_index`; None where it is silent.

    Attributes:
        path: Of its file, absolute with links resolved.
        anchor_id: The section of the file it stands for; empty for the whole file.
        content: The text of the file as it was indexed, markdown.
        usage: How often it was found and judged.

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
        Return the entry that its file is indexed over: it was born when the older program says, else *now*.

        Raises:
            InvalidEntryError: a value breaks a rule of `Entry`.

        """
        born = self.created_at or now
        name = self.title or PurePath(self.path).stem
        text = self.content or name
        return redact_entry(
            Entry(
                kind="document",
                name=name,
                description=text,
                file_path=self.path,
                source="import",
                created_at=born,
                updated_at=born,
            )
        )

    def laid_over(self, entry: Entry) -> Entry:
        """
        Return *entry*, which stands for the same text, with all that the older index knew of it, without secrets.

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
            "spec_folder": (self.spec_folder or spec_folder(self.path)) if entry.kind == "document" else None,
        }
        return redact_entry(
            attrs.evolve(entry, **{field: value for field, value in known.items() if value is not None})
        )
