"""The columns of entries, by the names of their fields. Without cattrs, which would slow down the hook."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hardwon.domain.model.activity import Usage, Validations
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

ENTRY_FIELDS = ("number", *FACTS, "created_at", *TEXTS, "anchor_id", *COUNTERS)
"""The fields of an `Entry` that are read; its id is derived from them."""


def columns_of(places: Mapping[str, str], fields: Iterable[str], **others: str) -> str:
    """Return the columns of *fields*, which are at *places*; *others* override those."""
    return ", ".join(others.get(field) or places[field] for field in fields)


def text_hash(text: str) -> str:
    """Return the hash that identifies the text of a vector."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hashlib.sha256(text.encode()).hexdigest()


def is_retired(entry: "Entry") -> bool:
    """Return whether *entry* is in no index from the beginning; others are retired when they expire."""
    return entry.tier == NEVER_SEARCHED


def entry_of(row: Iterable[Any]) -> "Entry":
    """
    Return the entry of the values of `ENTRY_FIELDS`.

    Raises:
        InvalidEntryError: it is no entry.
    """
    from hardwon.domain.model.entry import Entry  # noqa: PLC0415  # brings attrs: not on the hook's path

    values = dict(zip(ENTRY_FIELDS, row, strict=True))
    validations = Validations(values.pop("validation_count"), values.pop("useful_count"))
    usage = Usage(values.pop("access_count"), values.pop("last_accessed"), validations)
    return Entry(usage=usage, **values)
