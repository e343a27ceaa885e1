"""What scripts and programs get: values of ours as JSON."""

import datetime as dt
from typing import Any

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.importance.usage import Usage


def entry_document(entry: Entry) -> dict[str, object]:
    """Return *entry* for JSON: its id first, its counters by name."""
    fields = attrs.asdict(entry, recurse=False, filter=lambda field, _: field.name not in {"entry_id", "usage"})
    return {"id": entry.entry_id, **fields, "expires_at": entry.expires_at, **_counters(entry.usage)}


def _counters(usage: Usage) -> dict[str, object]:
    return {
        "access_count": usage.access_count,
        "last_accessed": usage.last_accessed,
        "validation_count": usage.validations.total,
        "useful_count": usage.validations.useful,
        "confidence_score": usage.validations.confidence_score,
    }


def plain(document: object) -> Any:
    """Return *document* as JSON can hold it: values of ours as objects, moments as ISO 8601."""
    from cattrs import Converter  # 20 ms, for JSON only

    converter = Converter()
    converter.register_unstructure_hook(dt.datetime, lambda moment: moment.isoformat())
    return converter.unstructure(document)
