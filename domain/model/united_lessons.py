"""Two rows of one lesson, stored in two spellings before its id was taken of the composed text, become one."""

from collections.abc import Mapping
from typing import Any

from hardwon.domain.model.entry import MAX_COUNT, MAX_KEYWORDS
from hardwon.domain.model.identity import content_hash, searchable_text, word_count

LISTS = ("keywords", "tags", "trigger_phrases", "references")
TEXTS = ("reasoning", "notes")
FACTS = (
    *("id", "content_hash", "words", "observation_count", "updated_at", "reach", "project", "source_project"),
    *("tier", "importance_weight", "permanent", "expires_at", "retired", "superseded_by"),
)
"""The columns of the table of facts that change; all others are those of the table of texts."""

_OF_PLACE = ("reach", "project", "source_project")
_OF_LIFE = ("tier", "importance_weight", "permanent", "expires_at", "retired")
_REACHES = ("home", "shared", "everywhere")


def united(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the columns of *older* after *newer*, the same lesson, was merged into it.

    Counts add up, labels and references unite, an empty reasoning or note is filled. The wider reach stays, and so does
    the life of the one that is still found.
    """
    values: dict[str, Any] = {name: [*dict.fromkeys((*older[name], *newer[name]))] for name in LISTS}
    values["keywords"] = values["keywords"][:MAX_KEYWORDS]
    values |= {name: older[name] or newer[name] for name in TEXTS}
    values["observation_count"] = min(older["observation_count"] + newer["observation_count"], MAX_COUNT)
    values["updated_at"] = max(older["updated_at"], newer["updated_at"])
    if _REACHES.index(newer["reach"]) > _REACHES.index(older["reach"]):
        values |= {name: newer[name] for name in _OF_PLACE}
    if older["retired"] and not newer["retired"]:
        values |= {name: newer[name] for name in _OF_LIFE}
    if not newer["superseded_by"]:
        values["superseded_by"] = None
    return {**older, **values}


def identified(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of *row* with what follows from its texts."""
    identity = content_hash(row["description"])
    text = searchable_text(row["name"], row["description"], row["notes"], row["reasoning"])
    return {**row, "id": identity, "content_hash": identity, "words": word_count(text)}
