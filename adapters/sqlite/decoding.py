"""Decoding of rows, which refuses values that hardwon never stores."""

import datetime as dt
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from hardwon.adapters.sqlite.database import UNREADABLE, from_text
from hardwon.domain.model.project import AUTHORSHIPS, TRUSTS
from hardwon.domain.model.vocabulary import (
    CATEGORIES,
    CONFIDENCES,
    CONTEXT_TYPES,
    DOORS,
    KINDS,
    REACHES,
    SOURCES,
    TIERS,
)

Decode: TypeAlias = Callable[[Any], Any]
"""
Returns a column's value in Python.

Raises ValueError or TypeError for a value that no version of hardwon stores.
"""


def text(value: Any) -> str:
    """Return a text."""
    if value.__class__ is str:
        return str(value)
    raise TypeError(f"{value!r:.40} is no text")


def integer(value: Any) -> int:
    """Return an integer."""
    if value.__class__ is int:
        return int(value)
    raise TypeError(f"{value!r:.40} is no whole number")


def at_least(least: int) -> Decode:
    """Return the decoder of integers from *least*."""

    def decode(value: Any) -> int:
        if integer(value) < least:
            raise ValueError(f"{value} is less than {least}")
        return int(value)

    return decode


def fraction(value: Any) -> float:
    """Return a number in `[0, 1]`."""
    if not 0 <= number(value) <= 1:
        raise ValueError(f"{value!r} is not between 0 and 1")
    return float(value)


def number(value: Any) -> float:
    """Return a finite number."""
    if value.__class__ not in {int, float} or not math.isfinite(value):
        raise TypeError(f"{value!r:.40} is no number")
    return float(value)


def timestamp(value: Any) -> dt.datetime:
    """Return a time with its time zone."""
    at = from_text(text(value))
    if at.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return at


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of texts, stored as JSON."""
    found = json.loads(text(value))
    if not isinstance(found, list):
        raise TypeError(f"{value!r:.40} is no list")
    return tuple(map(text, found))


def parts(value: Any) -> Mapping[str, float]:
    """Return the named parts of a score, stored as JSON."""
    return {name: number(part) for name, part in json.loads(text(value)).items()}


def optional(decode: Decode) -> Decode:
    """Return a decoder that also accepts NULL."""
    return lambda value: None if value is None else decode(value)


def one_of(values: Iterable[str]) -> Decode:
    """Return the decoder of an enumeration."""
    known = frozenset(values)

    def decode(value: Any) -> str:
        if value not in known:
            raise ValueError(f"{value!r:.40} is none of {', '.join(sorted(known))}")
        return str(value)

    return decode


def or_else(decode: Decode, default: object) -> Decode:
    """
    Return *decode* with a *default* for values it can't decode.

    Used where the rest of the row matters more.
    """

    def decode_or_default(value: Any) -> Any:
        try:
            return decode(value)
        except UNREADABLE:
            return default

    return decode_or_default


DECODERS: Mapping[str, Decode] = {
    **dict.fromkeys(("seq", "number"), integer),
    **dict.fromkeys(
        ("entry_id", "content_hash", "name", "description", "reasoning", "notes", "anchor_id"), text
    ),
    **dict.fromkeys(
        ("project", "superseded_by", "source_project", "workspace", "branch", "spec_folder"),
        optional(text),
    ),
    **dict.fromkeys(("file_path", "file_hash", "channel", "session_id"), optional(text)),
    **dict.fromkeys(("keywords", "tags", "references", "trigger_phrases"), texts),
    "citations": or_else(texts, ()),
    **dict.fromkeys(("created_at", "updated_at"), timestamp),
    **dict.fromkeys(("permanent", "own_tier", "is_gone"), bool),
    **dict.fromkeys(
        ("recall_count", "access_count", "validation_count", "useful_count", "words"), at_least(0)
    ),
    **dict.fromkeys(("last_recalled_at", "last_accessed"), or_else(optional(timestamp), None)),
    "observation_count": at_least(1),
    "importance_weight": fraction,
    "file_mtime": optional(integer),
    "kind": one_of(KINDS),
    "category": optional(one_of(CATEGORIES)),
    "confidence": one_of(CONFIDENCES),
    "reach": one_of(REACHES),
    "tier": one_of(TIERS),
    "context_type": one_of(CONTEXT_TYPES),
    "source": one_of(SOURCES),
    "door": optional(one_of(DOORS)),
}
"""The decoders of an entry's fields."""

PROJECT_DECODERS: Mapping[str, Decode] = {
    **dict.fromkeys(("id", "label", "key", "root", "remote"), or_else(text, "")),
    **dict.fromkeys(("first_commit", "joined", "conversations"), or_else(optional(text), None)),
    **dict.fromkeys(("device", "inode"), or_else(integer, 0)),
    "is_repository": bool,
    "authorship": or_else(one_of(AUTHORSHIPS), "unknown"),
    "trust": or_else(one_of(TRUSTS), "unsaid"),
}
"""
The decoders of a project's columns.

They use defaults, as without its project no entry could be shown.
"""


class RowDecoder:
    """
    Decodes rows.

    Args:
        fields: The fields of a row's columns, in order.
        known: The decoder of each field.

    """

    def __init__(self, fields: Iterable[str], known: Mapping[str, Decode] = DECODERS) -> None:
        self._columns = [(field, known[field]) for field in fields]

    def __call__(self, row: Sequence[Any]) -> list[Any]:
        """
        Return the decoded values of *row*.

        Raises:
            ValueError: one can't be decoded. The message names its field.
        """
        values = list[Any]()
        try:
            for (_, decode), value in zip(self._columns, row, strict=True):
                values.append(decode(value))
        except UNREADABLE as error:
            raise ValueError(f"{self._columns[len(values)][0]}: {error}") from error
        return values
