"""Settings in `.tlc.json` and `config.jsonc`: JSON with comments and trailing commas."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# What is never closed runs to the end: that keeps the search linear on a hostile
# file, and the parser complains anyway.
STRING = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
COMMENT = re.compile(rf"({STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
TRAILING_COMMA = re.compile(rf"({STRING})|,(?=\s*[}}\]])", re.DOTALL)


def read_jsonc(text: str) -> dict[str, Any]:
    """
    Return the object in *text*.

    Raises:
        ValueError: it is no such JSON, or no object.
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
    Return the values of *keys* as the text that the other sources would hold.

    A null is absent, and so is a list or an object.
    """
    found = {key: document[key] for key in keys if key in document}
    return {key: _text(value) for key, value in found.items() if isinstance(value, (str, bool, int, float))}


def older_names(document: Mapping[str, Any]) -> dict[str, str]:
    """
    Return the embedding provider that `semantic.enabled` and `semantic.model` ask for.

    Only `enabled: false` and the models `local` and `openai` ask for one; the
    keys stand in an object `semantic` or, dotted, at the top.
    """
    nested = document.get("semantic")
    semantic = nested if isinstance(nested, dict) else {}
    if semantic.get("enabled", document.get("semantic.enabled")) is False:
        return {"memory_embedding_provider": "off"}
    model = semantic.get("model", document.get("semantic.model"))
    return {"memory_embedding_provider": model} if model in ("local", "openai") else {}


def _text(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _without(unwanted: re.Pattern[str], text: str) -> str:
    return unwanted.sub(lambda match: match[1] or " ", text)
