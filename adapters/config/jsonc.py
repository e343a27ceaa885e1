"""Parse JSON with comments and trailing commas, and its settings."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hardwon.adapters.config.table import NONE

OLDER_NAMES = {
    "memory.decay.enabled": "memory_decay_enabled",
    "memory.decay.mode": "memory_decay_mode",
    "memory.decay.minFloor": "memory_decay_floor",
    "memory.decay.exemptTiers": "memory_decay_exempt_tiers",
    "memory.defaultTier": "memory_default_tier",
    "memory.defaultContextType": "memory_default_context_type",
    "triggers.phrases": "memory_trigger_phrases",
    "triggers.autoSaveInterval": "memory_capture_interval",
}
"""Keys of settings by their names in `config.jsonc`."""

# An unclosed string or comment runs to the end: that keeps the search linear on a hostile
# file, and the parser complains anyway.
STRING = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
COMMENT = re.compile(rf"({STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
TRAILING_COMMA = re.compile(rf"({STRING})|,(?=\s*[}}\]])", re.DOTALL)


def read_jsonc(text: str) -> dict[str, Any]:
    """
    Parse the object in *text*.

    Raises:
        ValueError: *text* is no such JSON, or no object.
    """
    try:
        document = json.loads(_without(TRAILING_COMMA, _without(COMMENT, text)))
    except RecursionError as error:
        raise ValueError("too deeply nested") from error
    if isinstance(document, dict):
        return document
    raise ValueError("not an object")


def scalars(document: Mapping[str, Any], keys: Iterable[str]) -> dict[str, str]:
    """
    Return the values of *keys* as text, as in the other sources.

    A list becomes its texts with commas between; null and objects are left out.
    """
    return {key: text for key in keys if (text := _text(document.get(key))) is not None}


def older_names(document: Mapping[str, Any]) -> dict[str, str]:
    """
    Return the settings under older names in *document*, by their present keys.

    The names are paths: in nested objects, or with dots at the top. Of `semantic`, only `enabled:
    false` and the models `local` and `openai` ask for an embedding provider; `dimensions` are for
    `openai`, as the others' models have their own.
    """
    is_openai = at(document, "semantic.model") == "openai"
    wanted = {
        **OLDER_NAMES,
        **({"semantic.dimensions": "memory_embedding_dimensions"} if is_openai else {}),
    }
    named = {
        key: text
        for older, key in wanted.items()
        if (text := _text(at(document, older))) is not None
    }
    if at(document, "semantic.enabled") is False:
        return {**named, "memory_embedding_provider": "off"}
    model = at(document, "semantic.model")
    return {**named, "memory_embedding_provider": model} if model in ("local", "openai") else named


def at(document: Mapping[str, Any], older: str) -> Any:
    """Return the value under an older name, nested or dotted, or None."""
    if older in document:
        return document[older]
    first, _, rest = older.partition(".")
    nested = document.get(first)
    return at(nested, rest) if rest and isinstance(nested, dict) else None


def _text(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(item.replace(",", " ") for item in value) or NONE
    if isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, (str, int, float)) else None


def _without(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(lambda match: match[1] or " ", text)
