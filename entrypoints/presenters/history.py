"""Render the history of an entry in words."""

import json
from collections.abc import Collection, Mapping

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Door
from hardwon.entrypoints.presenters.projects import REACHES

BY_HAND = "by hand"
"""By a command, the page, or a tool of an agent."""

TEXTS: Mapping[str, str] = {"title": "Name", "description": "Text", "reasoning": "Reasoning"}
"""The fields whose values are too long for a sentence."""

VALUES: Mapping[str, str] = {
    "importance_tier": "Tier",
    "confidence": "Confidence",
    "importance_weight": "Weight",
}
LABELS: Mapping[str, str] = {
    "keywords": "Keywords",
    "tags": "Tags",
    "trigger_phrases": "Trigger phrases",
}


DOORS: Mapping[Door, str] = {
    "writer": "by a program",
    "add": "by hand",
    "mcp": "by an agent",
    "retro": "in a retrospective",
    "capture": "from a conversation",
    "bank": "from a knowledge bank",
    "global-bank": "from your own knowledge bank",
    "file": "from a file",
    "import": "by an import",
    "checkout": "from a file that others wrote",
}


def kept_text(entry: Entry) -> str:
    """Return how *entry* came into the store."""
    return f"Kept {DOORS[entry.door]}" if entry.door else "Kept"


def change_text(past: PastChange) -> str:
    """
    Return a change in words.

    >>> import datetime as dt
    >>> now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    >>> print(change_text(PastChange(1, "importance_tier", "normal", "critical", now)))
    Tier changed from normal to critical by hand
    >>> print(change_text(PastChange(1, "keywords", '["csv"]', '["csv", "quotes"]', now)))
    Keywords changed by hand: quotes added
    """
    field, old, new = past.field, past.old or "", past.new or ""
    if field in TEXTS:
        return f"{TEXTS[field]} changed {BY_HAND}"
    if field in VALUES:
        return f"{VALUES[field]} changed {f'from {old} ' if old else ''}to {new} {BY_HAND}"
    if field in LABELS:
        return f"{LABELS[field]} changed {BY_HAND}{_difference(_labels(old), _labels(new))}"
    return _other(field, old, new)


def _other(field: str, old: str, new: str) -> str:
    is_none = new in {"", "null", "false"}
    reach = next((words for name, words in REACHES.items() if name == new), new)
    is_better = _number(new) > _number(old)
    words = {
        "permanent": f"{'No longer' if is_none else 'Made'} permanent {BY_HAND}",
        "reach": f"Chosen {BY_HAND} to be shown {reach}",
        "superseded_by": "No longer superseded" if is_none else "Superseded by another lesson",
        "confidence_score": f"Judged to {'be of use' if is_better else 'mislead'}",
        "content": "Text changed in its file",
    }
    return words.get(field) or f"{field.replace('_', ' ').capitalize()} changed"


def _difference(old: Collection[str], new: Collection[str]) -> str:
    parts = {
        "added": [label for label in new if label not in old],
        "removed": [label for label in old if label not in new],
    }
    words = "; ".join(f"{', '.join(labels)} {did}" for did, labels in parts.items() if labels)
    return f": {words}" if words else ""


def _labels(value: str) -> list[str]:
    """Return the labels of a stored list, none if it can't be read."""
    try:
        found = json.loads(value or "[]")
    except (ValueError, RecursionError):
        return []
    return [*map(str, found)] if isinstance(found, list) else []


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return 0.0
