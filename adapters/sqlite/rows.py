"""Mapping between entries and rows, without cattrs, which would slow down the hook."""

import datetime as dt
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from hardwon.adapters.sqlite.database import Row, from_text, to_text
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.entry_text import PrintedEntry
from hardwon.domain.model.injection.related_conversations import SUMMARISED_CHARACTERS, ConversationSummary
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

FACTS = (
    *("entry_id", "kind", "category", "observation_count", "confidence", "updated_at", "project", "reach"),
    *("source_project", "workspace", "branch", "permanent", "tier", "importance_weight", "context_type", "spec_folder"),
)
"""The fields of `Entry` in the table `entry`, in columns of the same name but for `RENAMED`."""

TEXTS = (
    *("name", "description", "reasoning", "notes", "keywords", "tags", "references", "created_at", "source"),
    *(
        "file_path",
        "file_mtime",
        "file_hash",
        "anchor_id",
        "trigger_phrases",
        "channel",
        "session_id",
        "own_tier",
        "door",
    ),
)
"""The fields of `Entry` in the table `entry_text`."""

RENAMED = {"entry_id": "id"}

DERIVED = ("seq", "content_hash", "words")
"""The other columns of the table `entry` that are read."""

COUNTERS = {
    "recall_count": "coalesce(r.recall_count, 0)",
    "last_recalled_at": "r.last_recalled_at",
    "access_count": "coalesce(u.access_count, 0)",
    "last_accessed": "u.last_accessed",
    "validation_count": "coalesce(u.validation_count, 0)",
    "useful_count": "coalesce(u.useful_count, 0)",
}

COLUMNS: Mapping[str, str] = {
    **{field: f"e.{RENAMED.get(field, field)}" for field in (*FACTS, *DERIVED)},
    **{field: f't."{field}"' for field in TEXTS},
    **COUNTERS,
    "number": "e.seq",
}
"""The columns that fields are read from; the tables are `entry e`, `entry_text t`, `recall r` and `usage u`."""

LISTS = ("keywords", "tags", "references", "trigger_phrases")
TIMESTAMPS = ("created_at", "updated_at")
OPTIONAL_TIMESTAMPS = ("last_recalled_at", "last_accessed")
FLAGS = ("permanent", "own_tier")

Convert: TypeAlias = Callable[[Any], object]


def _timestamp_of(text: str | None) -> dt.datetime | None:
    return from_text(text) if text else None


def _list_of(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _text_of(texts: Iterable[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)


DECODERS: Mapping[str, Convert] = {
    **dict.fromkeys(LISTS, _list_of),
    **dict.fromkeys(TIMESTAMPS, from_text),
    **dict.fromkeys(OPTIONAL_TIMESTAMPS, _timestamp_of),
    **dict.fromkeys(FLAGS, bool),
}
ENCODERS: Mapping[str, Convert] = {
    **dict.fromkeys(LISTS, _text_of),
    **dict.fromkeys(TIMESTAMPS, to_text),
}


def columns(fields: Iterable[str], **others: str) -> str:
    """Return the columns of *fields*; *others* override those of `COLUMNS`."""
    places = {**COLUMNS, **others}
    return ", ".join(places[field] for field in fields)


def decoders(fields: Iterable[str], known: Mapping[str, Convert] = DECODERS) -> Sequence[tuple[int, Convert]]:
    """Return the positions and decoders of the *fields* that are decoded."""
    return [(at, known[field]) for at, field in enumerate(fields) if field in known]


def decoded(row: Sequence[Any], how: Sequence[tuple[int, Convert]]) -> list[Any]:
    """Decode the values of *row*."""
    values = [*row]
    for at, decode in how:
        values[at] = decode(values[at])
    return values


KEPT_FACTS = ("id", "kind", "created_at_epoch", "retired")
STAYS_RETIRED = """retired = max(excluded.retired,
    entry.retired AND excluded.expires_at IS NOT NULL AND excluded.expires_at IS entry.expires_at)"""

ENTRY_FIELDS = (*(field for field in FACTS if field != "entry_id"), *TEXTS, *COUNTERS, "number")
"""The fields of an `Entry` that are read; its id is derived from them."""

ENTRY_DECODERS = decoders(ENTRY_FIELDS)

SELECT_ENTRY = f"""
    SELECT {columns(ENTRY_FIELDS)}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq LEFT JOIN recall r ON r.entry_seq = e.seq
        LEFT JOIN usage u ON u.entry_seq = e.seq
"""

WANTED = """
    FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    ORDER BY wanted.key
"""

SELECT_PRINTED = f"SELECT {columns(PrintedEntry._fields[:-1])} {WANTED}"

SUMMARY_COLUMNS = columns(ConversationSummary._fields, description=f"substr(t.description, 1, {SUMMARISED_CHARACTERS})")

SUMMARY_DECODERS = decoders(ConversationSummary._fields)

SELECT_SUMMARIES = f"SELECT {SUMMARY_COLUMNS} {WANTED}"

SELECT_NEWEST_SUMMARIES = f"""
    SELECT {SUMMARY_COLUMNS}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE {{within}}
    ORDER BY e.updated_at DESC, e.id LIMIT ?
"""


def fact_columns(recall_count: str) -> str:
    """Return the columns of `RankingFacts`, with *recall_count* for that of the recall count."""
    return columns(RankingFacts._fields, recall_count=recall_count)


SELECT_FACTS = f"""
    SELECT {columns(RankingFacts._fields)} FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value
    LEFT JOIN recall r ON r.entry_seq = e.seq
"""

FACT_DECODERS = decoders(RankingFacts._fields)

RANKING_VALUES = len(RankingFacts._fields)

RECALL_FIELDS = RecallFacts._fields[1:]
"""The fields that only recall reads; it needs the time of creation only to the second."""

RECALL_COLUMNS = columns(RECALL_FIELDS, created_at="e.created_at_epoch")
RECALL_DECODERS = decoders(
    RECALL_FIELDS, {**DECODERS, "created_at": lambda epoch: dt.datetime.fromtimestamp(epoch, dt.UTC)}
)

SELECT_RECALL_FACTS = f"""
    SELECT {columns(RankingFacts._fields)}, {RECALL_COLUMNS} FROM json_each(?) wanted
    JOIN entry e ON e.seq = wanted.value JOIN entry_text t ON t.entry_seq = e.seq
    LEFT JOIN recall r ON r.entry_seq = e.seq
"""


def text_hash(text: str) -> str:
    """Return the hash that identifies the text of a vector."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """Return whether *entry* is in no index from the beginning; others are retired when they expire."""
    return entry.tier == NEVER_SEARCHED


def encoded(fields: Iterable[str], source: object) -> dict[str, object]:
    """Encode *fields* of *source* for SQLite, by column."""
    values = ((field, getattr(source, field)) for field in fields)
    return {
        RENAMED.get(field, field): ENCODERS[field](value) if field in ENCODERS else value for field, value in values
    }


def upsert(table: str, key: str, values: Iterable[str], kept: Collection[str]) -> str:
    """Return the statement that inserts a row of *values*, or updates the row of that *key* except the columns *kept*."""
    names = [*values]
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in kept)
    quoted = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table} ({quoted}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {changed}"


def upsert_entry(entry: "Entry") -> tuple[str, Mapping[str, object]]:
    """Return the statement that upserts *entry* in the table `entry` and returns its number and whether it is retired."""
    values = encoded(FACTS, entry) | {
        "content_hash": entry.content_hash,
        "words": word_count(entry.searchable_text()),
        "created_at_epoch": math.floor(entry.created_at.timestamp()),
        "expires_at": to_text(entry.expires_at) if entry.expires_at else None,
        "retired": is_retired(entry),
    }
    return f"{upsert('entry', 'id', values, KEPT_FACTS)}, {STAYS_RETIRED} RETURNING seq, retired", values


def upsert_text(seq: int, entry: "Entry") -> tuple[str, Mapping[str, object]]:
    """Return the statement that upserts the texts of *entry* in the table `entry_text`."""
    values = {"entry_seq": seq, **encoded(TEXTS, entry), "text_hash": text_hash(entry.searchable_text())}
    return upsert("entry_text", "entry_seq", values, ("entry_seq", "created_at", "anchor_id")), values


def to_entries(rows: Iterable[Row]) -> "Iterator[Entry]":
    """Yield the entries of rows of `SELECT_ENTRY`."""
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    for row in rows:
        values = dict(zip(ENTRY_FIELDS, decoded(row, ENTRY_DECODERS), strict=True))
        yield Entry(usage=taken_usage(values), **values)


def taken_usage(values: dict[str, Any]) -> Usage:
    """Pop the counters of searches and judgements from *values*."""
    validations = Validations(values.pop("validation_count"), values.pop("useful_count"))
    return Usage(values.pop("access_count"), values.pop("last_accessed"), validations)


def to_summary(row: Row) -> ConversationSummary:
    """Return the conversation of a row of `SUMMARY_COLUMNS`."""
    return ConversationSummary(*decoded(row, SUMMARY_DECODERS))


def to_facts(row: Row) -> RankingFacts:
    """Return the facts of a row of `fact_columns`."""
    return RankingFacts(*decoded(row, FACT_DECODERS))


def to_recall_facts(row: Row) -> RecallFacts:
    """Return the facts of a row of `SELECT_RECALL_FACTS`."""
    return RecallFacts(to_facts(row[:RANKING_VALUES]), *decoded(row[RANKING_VALUES:], RECALL_DECODERS))
