"""
The columns of entries, by the names of their fields.

Does without cattrs, which would slow down the hook.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hardwon.domain.model.activity import Usage, Validations
from hardwon.domain.model.ranking.decay import NEVER_SEARCHED

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

FACTS = (
    *(
        "kind",
        "category",
        "observation_count",
        "confidence",
        "updated_at",
        "project",
        "reach",
        "superseded_by",
    ),
    *(
        "source_project",
        "workspace",
        "branch",
        "permanent",
        "tier",
        "importance_weight",
        "context_type",
        "spec_folder",
    ),
)
"""The mutable fields of `Entry` in columns of `entry`."""

TEXTS = (
    *("name", "description", "reasoning", "notes", "keywords", "tags", "references", "source"),
    *(
        "file_path",
        "file_mtime",
        "file_hash",
        "trigger_phrases",
        "channel",
        "session_id",
        "own_tier",
        "door",
    ),
)
"""The mutable fields of `Entry` in columns of `entry_text`."""

COUNTERS = (
    "recall_count",
    "last_recalled_at",
    "access_count",
    "last_accessed",
    "validation_count",
    "useful_count",
)
LISTS = ("keywords", "tags", "references", "trigger_phrases")

ENTRY_FIELDS = ("number", *FACTS, "created_at", *TEXTS, "anchor_id", *COUNTERS)
"""The fields of an `Entry` that are read. Its id is derived from them."""


def columns_of(places: Mapping[str, str], fields: Iterable[str], **others: str) -> str:
    """Return the columns of *fields* at *places*, overridden by *others*."""
    return ", ".join(others.get(field) or places[field] for field in fields)


def text_hash(text: str) -> str:
    """Return the hash that identifies the text of a vector."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """
    Return whether *entry* is left out of all indexes from the start.

    Other entries are retired when they expire.
    """
    return entry.tier == NEVER_SEARCHED


def entry_of(row: Iterable[Any]) -> "Entry":
    """
    Return the entry with the values of `ENTRY_FIELDS`.

    Raises:
        InvalidEntryError: the values make no valid entry.
    """
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    values = dict(zip(ENTRY_FIELDS, row, strict=True))
    validations = Validations(values.pop("validation_count"), values.pop("useful_count"))
    usage = Usage(values.pop("access_count"), values.pop("last_accessed"), validations)
    return Entry(usage=usage, **values)
