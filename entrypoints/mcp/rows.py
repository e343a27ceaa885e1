"""A memory as tools answer with it."""

import datetime as dt
import math
from typing import Any

from pydantic import Field

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import ContextType, Kind, Tier
from hardwon.entrypoints.mcp.tool import WireModel


class MemoryRow(WireModel):
    """One memory, without its text."""

    id: int = Field(description="Its number, by which tools take it")
    entry_id: str = Field(description="Its id of 16 hex digits; tools take this as well")
    kind: Kind
    spec_folder: str | None = Field(description="The folder of the specification it belongs to")
    file_path: str | None = Field(description="Its file; a learning has none")
    anchor_id: str | None = Field(description="The section of that file; null for the whole file")
    title: str
    importance_tier: Tier
    importance_weight: float
    context_type: ContextType
    channel: str | None
    session_id: str | None
    created_at: dt.datetime
    created_at_epoch: int
    updated_at: dt.datetime
    access_count: int = Field(description="How often it was found or loaded")
    last_accessed: dt.datetime | None
    validation_count: int = Field(description="How often it was judged")
    confidence_score: float = Field(description="The share of judgements that called it useful; 0.5 before any")
    trigger_phrases: list[str]
    expires_at: dt.datetime | None


def row_of(entry: Entry) -> MemoryRow:
    """
    Return the row of *entry*, which the store has numbered.

    Raises:
        ValidationError: it has no number.
    """
    return MemoryRow(**row_fields(entry))


def row_fields(entry: Entry) -> dict[str, Any]:
    """Return the fields of *entry*'s row, for rows that tell more."""
    usage = entry.usage
    return {
        "id": entry.number,
        "entry_id": entry.entry_id,
        "kind": entry.kind,
        "spec_folder": entry.spec_folder,
        "file_path": entry.file_path,
        "anchor_id": entry.anchor_id or None,
        "title": entry.name,
        "importance_tier": entry.tier,
        "importance_weight": entry.importance_weight,
        "context_type": entry.context_type,
        "channel": entry.channel,
        "session_id": entry.session_id,
        "created_at": entry.created_at,
        "created_at_epoch": math.floor(entry.created_at.timestamp()),
        "updated_at": entry.updated_at,
        "access_count": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validation_count": usage.validations.total,
        "confidence_score": usage.validations.confidence_score,
        "trigger_phrases": [*entry.trigger_phrases],
        "expires_at": entry.expires_at,
    }
