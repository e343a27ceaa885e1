"""Shapes of values read from JSON, and their quotes in messages."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

TEXT = "text"
TEXTS = "a list of texts"
TEXT_OR_NULL = "text or null"
CLAIM = "true or false"

SHOWN_CHARACTERS = 60


class RepeatedNameError(ValueError):
    """An object of the JSON has two values of the same name."""


def fits(shape: str, value: object) -> bool:
    """Return whether *value* has that shape, one of the constants above."""
    if shape == TEXTS:
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if shape == CLAIM:
        return isinstance(value, bool)
    return isinstance(value, str) or (shape == TEXT_OR_NULL and value is None)


def distinct_members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """
    Return an object of the JSON, given as its name-value pairs.

    Raises:
        RepeatedNameError: a name occurs twice.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedNameError(f"{shown(twice)} is given twice in one object: give it once")
    return members


def shown(value: object) -> str:
    """Return the beginning of *value* as JSON, for a message."""
    try:
        return json.dumps(value)[:SHOWN_CHARACTERS]
    except RecursionError:  # just deep enough to be read, too deep to be written
        return "nested too deeply"


def beginning(text: str) -> str:
    """Return the beginning of an invalid text, for a message."""
    return repr(text[:SHOWN_CHARACTERS])
