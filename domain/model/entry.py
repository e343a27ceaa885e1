"""One memory, and the words its fields may hold."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import attrs

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.vocabulary import (
    CATEGORIES,
    CONFIDENCES,
    KINDS,
    SOURCES,
    Category,
    Confidence,
    Kind,
    Source,
)

MAX_KEYWORDS = 10
MAX_TEXT_BYTES = 4 * 1024 * 1024
MAX_COUNT = 2**31 - 1


Check = Callable[[object, "attrs.Attribute[Any]", Any], None]


def _storable(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
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


def _all_storable(entry: object, field: "attrs.Attribute[Any]", values: tuple[str, ...]) -> None:
    for value in values:
        _storable(entry, field, value)


def _not_blank(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
    if not value.strip():
        raise InvalidEntryError(f"{field.name} is blank: give it some text")


def _one_of(words: tuple[str, ...]) -> Check:
    def check(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
        if value not in words:
            raise InvalidEntryError(f"{field.name} is {value[:80]!r}: use one of {', '.join(words)}")

    return check


def _count_from(smallest: int) -> Check:
    def check(_: object, field: "attrs.Attribute[Any]", value: int) -> None:
        if not smallest <= value <= MAX_COUNT:
            raise InvalidEntryError(f"{field.name} is {value}: use {smallest} to {MAX_COUNT}")

    return check


def _aware(_: object, field: "attrs.Attribute[Any]", value: dt.datetime) -> None:
    if value.tzinfo is None:
        raise InvalidEntryError(f"{field.name} is {value.isoformat()!r}: it needs a time zone")
    try:
        value.astimezone(dt.UTC)
    except OverflowError as error:
        raise InvalidEntryError(f"{field.name} is {value.isoformat()!r}: it has no place in UTC") from error


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in values if (text := _one_line(value))))


def _keywords(values: tuple[str, ...]) -> tuple[str, ...]:
    return _distinct(values)[:MAX_KEYWORDS]


def _stripped(value: str) -> str:
    return value.strip()


@attrs.frozen(kw_only=True)
class Entry:
    """
    One thing worth remembering; an `Entry` that exists is valid.

    Attributes:
        name: Short title, one line.
        description: The lesson with its conclusion; its hash is the identity.
        reasoning: Why it matters and how it was found.
        notes: Further metadata lines of a knowledge-bank file, as they stood there.
        category: Which section it is printed in.
        keywords: At most 10 labels, in order, without repeats.
        references: Files, features and projects it is about.
        observation_count: In how many retrospectives it was seen, from 1.
        updated_at: When its content changed or it was last observed.
        source_project: Where it comes from; None for a universal one.
        recall_count: How often it was put in front of an agent.

    """

    kind: Kind = attrs.field(default="learning", validator=_one_of(KINDS))
    name: str = attrs.field(converter=_one_line, validator=[_not_blank, _storable])
    description: str = attrs.field(converter=_stripped, validator=[_not_blank, _storable])
    reasoning: str = attrs.field(default="", converter=_stripped, validator=_storable)
    notes: str = attrs.field(default="", converter=_stripped, validator=_storable)
    category: Category = attrs.field(validator=_one_of(CATEGORIES))
    keywords: tuple[str, ...] = attrs.field(default=(), converter=_keywords, validator=_all_storable)
    references: tuple[str, ...] = attrs.field(default=(), converter=_distinct, validator=_all_storable)
    observation_count: int = attrs.field(default=1, validator=_count_from(1))
    confidence: Confidence = attrs.field(default="medium", validator=_one_of(CONFIDENCES))
    created_at: dt.datetime = attrs.field(validator=_aware)
    updated_at: dt.datetime = attrs.field(validator=_aware)
    source: Source = attrs.field(default="manual", validator=_one_of(SOURCES))
    source_project: str | None = attrs.field(default=None, validator=attrs.validators.optional((_not_blank, _storable)))
    recall_count: int = attrs.field(default=0, validator=_count_from(0))
    last_recalled_at: dt.datetime | None = attrs.field(default=None, validator=attrs.validators.optional(_aware))
    entry_id: str = attrs.field(init=False)

    @entry_id.default
    def _identify(self) -> str:
        return content_hash(self.description)

    def searchable_text(self) -> str:
        """Return what is turned into a vector: the texts a reader would judge it by."""
        return "\n".join(filter(None, (self.name, self.description, self.notes, self.reasoning)))

    def observed_again(self, other: "Entry") -> "Entry":
        """
        Return this entry after *other*, the same lesson, was learned once more.

        The first name and category stay, keywords and references unite, an empty
        reasoning is filled, the count rises by one (requirement A-TD6.2, M-A39).
        """
        return attrs.evolve(
            self,
            observation_count=min(self.observation_count + 1, MAX_COUNT),
            keywords=self.keywords + other.keywords,
            references=self.references + other.references,
            reasoning=self.reasoning or other.reasoning,
            updated_at=max(self.updated_at, other.updated_at),
        )
