"""What the fields of an entry must be: checks and converters for attrs."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import attrs

from hardwon.domain.model.errors import InvalidEntryError

MAX_TEXT_BYTES = 4 * 1024 * 1024
MAX_COUNT = 2**31 - 1

Check = Callable[[object, "attrs.Attribute[Any]", Any], None]


def storable(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
    """Refuse what a store of text can't hold."""
    if "\0" in value:
        raise InvalidEntryError(f"{field.name} holds a NUL character at position {value.index(chr(0))}: remove it")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidEntryError(
            f"{field.name} holds half a surrogate pair at position {error.start}: it is not valid text"
        ) from error
    if size > MAX_TEXT_BYTES:
        raise InvalidEntryError(f"{field.name} has {size} bytes, at most {MAX_TEXT_BYTES} (4 MB) fit: shorten it")


def all_storable(entry: object, field: "attrs.Attribute[Any]", values: tuple[str, ...]) -> None:
    """Refuse a list that holds such a text."""
    for value in values:
        storable(entry, field, value)


def not_blank(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
    """Refuse a text of nothing but white space."""
    if not value.strip():
        raise InvalidEntryError(f"{field.name} is blank: give it some text")


def one_of(words: tuple[str, ...]) -> Check:
    """Return a check that refuses all but *words*."""

    def check(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
        if value not in words:
            raise InvalidEntryError(f"{field.name} is {value[:80]!r}: use one of {', '.join(words)}")

    return check


def count_from(smallest: int) -> Check:
    """Return a check that refuses counts below *smallest*, or above 31 bits."""

    def check(_: object, field: "attrs.Attribute[Any]", value: int) -> None:
        if not smallest <= value <= MAX_COUNT:
            raise InvalidEntryError(f"{field.name} is {value}: use {smallest} to {MAX_COUNT}")

    return check


def aware(_: object, field: "attrs.Attribute[Any]", value: dt.datetime) -> None:
    """Refuse a moment without a time zone, or outside the calendar."""
    if value.tzinfo is None:
        raise InvalidEntryError(f"{field.name} is {value.isoformat()!r}: it needs a time zone")
    try:
        value.astimezone(dt.UTC)
    except OverflowError as error:
        raise InvalidEntryError(f"{field.name} is {value.isoformat()!r}: it has no place in UTC") from error


def one_line(value: str) -> str:
    """Return *value* with runs of white space made one space."""
    return " ".join(value.split())


def distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of *values* in order, each once, blank ones left out."""
    return tuple(dict.fromkeys(text for value in values if (text := one_line(value))))


def stripped(value: str) -> str:
    """Return *value* without white space around it."""
    return value.strip()


def fraction(_: object, field: "attrs.Attribute[Any]", value: float) -> None:
    """Refuse what is no number from 0 to 1."""
    if not 0 <= value <= 1:
        raise InvalidEntryError(f"{field.name} is {value!r}: use a number from 0 to 1")


optional_text = attrs.validators.optional((not_blank, storable))
