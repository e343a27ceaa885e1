"""Values of JSON that nobody promised."""

from typing import Any


def text_or(value: Any, otherwise: str = "") -> str:
    """Return *value* if it is a text."""
    return value if isinstance(value, str) else otherwise


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects of a list; none where *value* is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
