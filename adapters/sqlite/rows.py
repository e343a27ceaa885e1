"""Mapping between entries and rows."""

import datetime as dt
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from hardwon.adapters.sql.entries import (
    ENTRY_FIELDS,
    FACTS,
    LISTS,
    PRINTED_FIELDS,
    RECALL_FIELDS,
    TEXTS,
    columns_of,
    entry_of,
    is_retired,
    text_hash,
)
from hardwon.adapters.sqlite.database import Row, SqliteDatabase, to_text
from hardwon.adapters.sqlite.decoding import DECODERS, RowDecoder
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.related_conversations import (
    SUMMARISED_CHARACTERS,
    ConversationSummary,
)
from hardwon.domain.model.ranking.candidates import RankingFacts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

COLUMNS_OF_ENTRY = ("entry_id", *FACTS)
"""
The fields of `Entry` in the table `entry`.

Columns have the same name but for `RENAMED`.
"""

COLUMNS_OF_TEXT = ("created_at", *TEXTS, "anchor_id")
"""The fields of `Entry` in the table `entry_text`."""

RENAMED = {"entry_id": "id"}

DERIVED = ("seq", "content_hash", "words", "is_gone")
"""The other columns of the table `entry` that are read."""


def _counter(column: str) -> str:
    """
    Return the expression of a counter, 0 if it can't be read.

    A damaged counter is no reason to lose the entry.
    """
    return f"max(coalesce(CAST({column} AS INTEGER), 0), 0)"


PLACES_OF_COUNTERS = {
    "recall_count": _counter("r.recall_count"),
    "last_recalled_at": "r.last_recalled_at",
    "access_count": _counter("u.access_count"),
    "last_accessed": "u.last_accessed",
    "validation_count": _counter("u.validation_count"),
    "useful_count": _counter("u.useful_count"),
}

COLUMNS: Mapping[str, str] = {
    **{field: f"e.{RENAMED.get(field, field)}" for field in (*COLUMNS_OF_ENTRY, *DERIVED)},
    **{field: f't."{field}"' for field in COLUMNS_OF_TEXT},
    **PLACES_OF_COUNTERS,
    "number": "e.seq",
}
"""
The columns of fields.

The tables are `entry e`, `entry_text t`, `recall r` and `usage u`.
"""

TIMESTAMPS = ("created_at", "updated_at")


def _text_of(texts: Iterable[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)


ENCODERS: Mapping[str, Callable[[Any], object]] = {
    **dict.fromkeys(LISTS, _text_of),
    **dict.fromkeys(TIMESTAMPS, to_text),
}


columns = partial(columns_of, COLUMNS)

KEPT_FACTS = ("id", "kind", "created_at_epoch", "retired")
STAYS_RETIRED = """retired = max(excluded.retired,
    entry.retired AND excluded.expires_at IS NOT NULL AND excluded.expires_at IS entry.expires_at)"""

decode_entry = RowDecoder(ENTRY_FIELDS)

SELECT_ENTRY = f"""
    SELECT {columns(ENTRY_FIELDS)}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq LEFT JOIN recall r ON r.entry_seq = e.seq
        LEFT JOIN usage u ON u.entry_seq = e.seq
"""

WANTED = """
    FROM json_each(:numbers) wanted JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    ORDER BY wanted.key
"""

SELECT_PRINTED = f"SELECT {columns(PRINTED_FIELDS)} {WANTED}"

decode_printed = RowDecoder(PRINTED_FIELDS)

SUMMARY_COLUMNS = columns(
    ConversationSummary._fields, description=f"substr(t.description, 1, {SUMMARISED_CHARACTERS})"
)

decode_summary = RowDecoder(ConversationSummary._fields)

SELECT_SUMMARIES = f"SELECT {SUMMARY_COLUMNS} {WANTED}"

SELECT_NEWEST_SUMMARIES = f"""
    SELECT {SUMMARY_COLUMNS}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE {{within}}
    ORDER BY e.updated_at DESC, e.id LIMIT :limit
"""


def fact_columns(recall_count: str) -> str:
    """Return the columns of `RankingFacts` with that expression for *recall_count*."""
    return columns(RankingFacts._fields, recall_count=recall_count)


SELECT_FACTS = f"""
    SELECT {columns(RankingFacts._fields)} FROM json_each(:numbers) wanted JOIN entry e ON e.seq = wanted.value
    LEFT JOIN recall r ON r.entry_seq = e.seq
"""

decode_facts = RowDecoder(RankingFacts._fields)

RECALL_COLUMNS = columns(RECALL_FIELDS, created_at="e.created_at_epoch")
decode_recall = RowDecoder(
    RECALL_FIELDS,
    {**DECODERS, "created_at": lambda epoch: dt.datetime.fromtimestamp(epoch, dt.UTC)},
)

SELECT_RECALL_FACTS = f"""
    SELECT {columns(RankingFacts._fields)}, {RECALL_COLUMNS} FROM json_each(:numbers) wanted
    JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    LEFT JOIN recall r ON r.entry_seq = e.seq
"""


def encoded(fields: Iterable[str], source: object) -> dict[str, object]:
    """Encode *fields* of *source* for SQLite, by column."""
    values = ((field, getattr(source, field)) for field in fields)
    return {
        RENAMED.get(field, field): ENCODERS[field](value) if field in ENCODERS else value
        for field, value in values
    }


@cache
def upsert(table: str, key: str, names: tuple[str, ...], kept: tuple[str, ...]) -> str:
    """
    Return the statement that inserts a row of the columns *names*.

    It updates an existing row with that *key*, except the columns *kept*.
    """
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in kept)
    quoted = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join(f":{name}" for name in names)
    return (
        f"INSERT INTO {table} ({quoted}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET"
        f" {changed}"
    )


def upsert_entry(entry: "Entry") -> tuple[str, Mapping[str, object]]:
    """
    Return the statement that upserts *entry* in the table `entry`.

    It returns the entry's number and whether it is retired.
    """
    values = encoded(COLUMNS_OF_ENTRY, entry) | {
        "content_hash": entry.content_hash,
        "words": word_count(entry.searchable_text()),
        "is_gone": entry.is_gone,
        "created_at_epoch": math.floor(entry.created_at.timestamp()),
        "expires_at": to_text(entry.expires_at) if entry.expires_at else None,
        "retired": is_retired(entry),
    }
    return (
        f"{upsert('entry', 'id', (*values,), kept=KEPT_FACTS)}, {STAYS_RETIRED} RETURNING seq, retired",
        values,
    )


def upsert_text(number: int, entry: "Entry") -> tuple[str, Mapping[str, object]]:
    """Return the statement that upserts *entry* in the table `entry_text`."""
    values = {
        "entry_seq": number,
        **encoded(COLUMNS_OF_TEXT, entry),
        "text_hash": text_hash(entry.searchable_text()),
    }
    return (
        upsert(
            "entry_text", "entry_seq", (*values,), kept=("entry_seq", "created_at", "anchor_id")
        ),
        values,
    )


def to_entry(row: Row) -> "Entry":
    """Return the entry of a row of `SELECT_ENTRY`."""
    return entry_of(decode_entry(row))


def to_entries(database: SqliteDatabase, rows: Iterable[Row]) -> "Iterator[Entry]":
    """Yield the readable entries of rows of `SELECT_ENTRY`."""
    return database.readable("entry", rows, to_entry)


def to_facts(row: Row) -> RankingFacts:
    """
    Return the facts of a row of `fact_columns`.

    Raises ValueError for a row that can't be decoded.
    """
    return RankingFacts(*decode_facts(row))
