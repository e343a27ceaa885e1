"""Mapping between entries and rows."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from hardwon.adapters.postgres.session import Row
from hardwon.adapters.sql.database import as_given
from hardwon.adapters.sql.entries import (
    ENTRY_FIELDS,
    FACTS,
    LISTS,
    PRINTED_FIELDS,
    RECALL_FIELDS,
    TEXTS,
    columns_of,
    entry_of,
    text_hash,
)
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.related_conversations import (
    SUMMARISED_CHARACTERS,
    ConversationSummary,
)
from hardwon.domain.model.ranking.candidates import RankingFacts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

COLUMNS: Mapping[str, str] = {
    **{field: f"e.{field}" for field in (*FACTS, "created_at", "content_hash", "words", "is_gone")},
    **{field: f't."{field}"' for field in (*TEXTS, "anchor_id")},
    "entry_id": "e.id",
    "seq": "e.number",
    "number": "e.number",
    "recall_count": "coalesce(r.recall_count, 0)",
    "last_recalled_at": "r.last_recalled_at",
    "access_count": "coalesce(u.access_count, 0)",
    "last_accessed": "u.last_accessed",
    "validation_count": "coalesce(u.validation_count, 0)",
    "useful_count": "coalesce(u.useful_count, 0)",
}
"""
SQL expressions of fields.

The tables are `entry e`, `entry_text t`, `recall r` and `usage u`.
"""


columns = partial(columns_of, COLUMNS)

TEXT = "JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number"
RECALL = "LEFT JOIN hardwon.recall r ON r.tenant = e.tenant AND r.number = e.number"
USAGE = "LEFT JOIN hardwon.usage u ON u.tenant = e.tenant AND u.number = e.number"
AMONG = "e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s)"
IN_ORDER = "ORDER BY array_position(%(numbers)s::bigint[], e.number)"

SELECT_ENTRY = f"SELECT {columns(ENTRY_FIELDS)} FROM hardwon.entry e {TEXT} {RECALL} {USAGE}"

SELECT_PRINTED = (
    f"SELECT {columns(PRINTED_FIELDS)} FROM hardwon.entry e {TEXT} WHERE {AMONG} {IN_ORDER}"
)

SUMMARY_COLUMNS = columns(
    ConversationSummary._fields, description=f"left(t.description, {SUMMARISED_CHARACTERS})"
)
SELECT_SUMMARIES = f"SELECT {SUMMARY_COLUMNS} FROM hardwon.entry e {TEXT} WHERE {AMONG} {IN_ORDER}"

FACT_COLUMNS = columns(RankingFacts._fields)
SELECT_FACTS = f"SELECT {FACT_COLUMNS} FROM hardwon.entry e {RECALL} WHERE {AMONG}"

RECALL_COLUMNS = columns(RECALL_FIELDS, created_at="date_trunc('second', e.created_at)")
SELECT_RECALL_FACTS = (
    f"SELECT {FACT_COLUMNS}, {RECALL_COLUMNS} FROM hardwon.entry e {TEXT} {RECALL} WHERE {AMONG}"
)


def facts_of(entry: "Entry") -> dict[str, object]:
    """Return the mutable columns of *entry* in the table `entry`."""
    return {
        **{field: getattr(entry, field) for field in FACTS},
        "content_hash": entry.content_hash,
        "words": word_count(entry.searchable_text()),
        "is_gone": entry.is_gone,
        "expires_at": entry.expires_at,
    }


def texts_of(entry: "Entry") -> dict[str, object]:
    """Return the mutable columns of *entry* in the table `entry_text`."""
    values = {field: getattr(entry, field) for field in TEXTS}
    return {
        **values,
        **{field: list(values[field]) for field in LISTS},
        "text_hash": text_hash(entry.searchable_text()),
    }


def to_entry(row: Row) -> "Entry":
    """Return the entry of a row of `SELECT_ENTRY`."""
    return entry_of(as_given(row))
