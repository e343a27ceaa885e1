"""Mapping between entries and rows."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hardwon.adapters.postgres.session import Row
from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.entry_text import PrintedEntry
from hardwon.domain.model.injection.related_conversations import SUMMARISED_CHARACTERS, ConversationSummary
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

FACTS = (
    *("kind", "category", "observation_count", "confidence", "updated_at", "project", "reach", "superseded_by"),
    *("source_project", "workspace", "branch", "permanent", "tier", "importance_weight", "context_type", "spec_folder"),
)
"""The fields of `Entry` in the table `entry` that may change, in columns of the same name."""

TEXTS = (
    *("name", "description", "reasoning", "notes", "keywords", "tags", "references", "source"),
    *("file_path", "file_mtime", "file_hash", "trigger_phrases", "channel", "session_id", "own_tier", "door"),
)
"""The fields of `Entry` in the table `entry_text` that may change, in columns of the same name."""

COUNTERS = ("recall_count", "last_recalled_at", "access_count", "last_accessed", "validation_count", "useful_count")
LISTS = ("keywords", "tags", "references", "trigger_phrases")

COLUMNS: Mapping[str, str] = {
    **{field: f"e.{field}" for field in (*FACTS, "created_at", "content_hash", "words")},
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
"""The columns that fields are read from; the tables are `entry e`, `entry_text t`, `recall r` and `usage u`."""


def columns(fields: Iterable[str], **others: str) -> str:
    """Return the columns of *fields*; *others* override those of `COLUMNS`."""
    places = {**COLUMNS, **others}
    return ", ".join(places[field] for field in fields)


TEXT = "JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number"
RECALL = "LEFT JOIN hardwon.recall r ON r.tenant = e.tenant AND r.number = e.number"
USAGE = "LEFT JOIN hardwon.usage u ON u.tenant = e.tenant AND u.number = e.number"
AMONG = "e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s)"
IN_ORDER = "ORDER BY array_position(%(numbers)s::bigint[], e.number)"

ENTRY_FIELDS = ("number", *FACTS, "created_at", *TEXTS, "anchor_id", *COUNTERS)
"""The fields of an `Entry` that are read; its id is derived from them."""

SELECT_ENTRY = f"SELECT {columns(ENTRY_FIELDS)} FROM hardwon.entry e {TEXT} {RECALL} {USAGE}"

SELECT_PRINTED = f"SELECT {columns(PrintedEntry._fields[:-1])} FROM hardwon.entry e {TEXT} WHERE {AMONG} {IN_ORDER}"

SUMMARY_COLUMNS = columns(ConversationSummary._fields, description=f"left(t.description, {SUMMARISED_CHARACTERS})")
SELECT_SUMMARIES = f"SELECT {SUMMARY_COLUMNS} FROM hardwon.entry e {TEXT} WHERE {AMONG} {IN_ORDER}"

FACT_COLUMNS = columns(RankingFacts._fields)
SELECT_FACTS = f"SELECT {FACT_COLUMNS} FROM hardwon.entry e {RECALL} WHERE {AMONG}"

RANKING_VALUES = len(RankingFacts._fields)
RECALL_COLUMNS = columns(RecallFacts._fields[1:], created_at="date_trunc('second', e.created_at)")
SELECT_RECALL_FACTS = f"SELECT {FACT_COLUMNS}, {RECALL_COLUMNS} FROM hardwon.entry e {TEXT} {RECALL} WHERE {AMONG}"


def text_hash(text: str) -> str:
    """Return the hash that identifies the text of a vector."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """Return whether *entry* is in no index from the beginning; others are retired when they expire."""
    return entry.tier == NEVER_SEARCHED


def facts_of(entry: "Entry") -> dict[str, object]:
    """Return the columns of *entry* in the table `entry` that may change."""
    return {
        **{field: getattr(entry, field) for field in FACTS},
        "content_hash": entry.content_hash,
        "words": word_count(entry.searchable_text()),
        "expires_at": entry.expires_at,
    }


def texts_of(entry: "Entry") -> dict[str, object]:
    """Return the columns of *entry* in the table `entry_text` that may change."""
    values = {field: getattr(entry, field) for field in TEXTS}
    return {
        **values,
        **{field: list(values[field]) for field in LISTS},
        "text_hash": text_hash(entry.searchable_text()),
    }


def to_entry(row: Row) -> "Entry":
    """
    Return the entry of a row of `SELECT_ENTRY`.

    Raises:
        InvalidEntryError: it is no entry.
    """
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    values = dict(zip(ENTRY_FIELDS, row, strict=True))
    for field in LISTS:
        values[field] = tuple(values[field])
    return Entry(usage=taken_usage(values), **values)


def taken_usage(values: dict[str, Any]) -> Usage:
    """Pop the counters of searches and judgements from *values*."""
    validations = Validations(values.pop("validation_count"), values.pop("useful_count"))
    return Usage(values.pop("access_count"), values.pop("last_accessed"), validations)


def to_recall_facts(row: Row) -> RecallFacts:
    """Return the facts of a row of `SELECT_RECALL_FACTS`."""
    return RecallFacts(RankingFacts(*row[:RANKING_VALUES]), *row[RANKING_VALUES:])
