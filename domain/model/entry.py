"""One memory, and the words its fields may hold."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import attrs

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import content_hash, file_identity
from hardwon.domain.model.searchable import searchable_text
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


def _stripped(value: str) -> str:
    return value.strip()


def _of_learnings_only(entry: "Entry", _: object, value: Category | None) -> None:
    if (value is not None) != (entry.kind == "learning"):
        raise InvalidEntryError(f"category is {value!r}: a learning needs one, other kinds have none")


def _of_files_only(entry: "Entry", _: object, value: str | None) -> None:
    if (value is None) != (entry.kind == "learning"):
        raise InvalidEntryError(f"file_path is {value!r}: a learning has none, other kinds need one")


_optional_text = attrs.validators.optional((_not_blank, _storable))


@attrs.frozen(kw_only=True)
class Entry:
    """
    One thing worth remembering; an `Entry` that exists is valid.

    A learning lives in the store alone; every other kind stands for a file.

    Attributes:
        name: Short title, one line.
        description: The lesson with its conclusion, or the text of a file.
        reasoning: Why it matters and how it was found.
        notes: Further metadata lines of a knowledge-bank file, as they stood there.
        category: Which section a learning is printed in; None for other kinds.
        keywords: Labels, in order, without repeats; a learning has at most 10.
        tags: The user's own labels, in order, without repeats.
        references: Files, features and projects it is about.
        observation_count: In how many retrospectives it was seen, from 1.
        updated_at: When its content changed or it was last observed.
        source_project: Where it comes from; None for a universal one.
        workspace: The folder of projects it comes from.
        branch: The git branch it comes from.
        permanent: Kept for good: it never expires and is never pruned.
        file_path: Absolute path of its file, links resolved.
        file_mtime: When that file was changed, in Unix seconds.
        file_hash: sha256 of that file.
        recall_count: How often it was put in front of an agent.
        entry_id: The hash of a learning's description, of any other's kind and path.

    """

    kind: Kind = attrs.field(default="learning", validator=_one_of(KINDS))
    name: str = attrs.field(converter=_one_line, validator=[_not_blank, _storable])
    description: str = attrs.field(converter=_stripped, validator=[_not_blank, _storable])
    reasoning: str = attrs.field(default="", converter=_stripped, validator=_storable)
    notes: str = attrs.field(default="", converter=_stripped, validator=_storable)
    category: Category | None = attrs.field(
        default=None, validator=[attrs.validators.optional(_one_of(CATEGORIES)), _of_learnings_only]
    )
    keywords: tuple[str, ...] = attrs.field(default=(), converter=_distinct, validator=_all_storable)
    tags: tuple[str, ...] = attrs.field(default=(), converter=_distinct, validator=_all_storable)
    references: tuple[str, ...] = attrs.field(default=(), converter=_distinct, validator=_all_storable)
    observation_count: int = attrs.field(default=1, validator=_count_from(1))
    confidence: Confidence = attrs.field(default="medium", validator=_one_of(CONFIDENCES))
    created_at: dt.datetime = attrs.field(validator=_aware)
    updated_at: dt.datetime = attrs.field(validator=_aware)
    source: Source = attrs.field(default="manual", validator=_one_of(SOURCES))
    source_project: str | None = attrs.field(default=None, validator=_optional_text)
    workspace: str | None = attrs.field(default=None, validator=_optional_text)
    branch: str | None = attrs.field(default=None, validator=_optional_text)
    permanent: bool = False
    file_path: str | None = attrs.field(default=None, validator=[_optional_text, _of_files_only])
    file_mtime: int | None = None
    file_hash: str | None = None
    recall_count: int = attrs.field(default=0, validator=_count_from(0))
    last_recalled_at: dt.datetime | None = attrs.field(default=None, validator=attrs.validators.optional(_aware))
    entry_id: str = attrs.field(init=False)

    @entry_id.default
    def _identify(self) -> str:
        return file_identity(self.kind, self.file_path) if self.file_path else content_hash(self.description)

    def __attrs_post_init__(self) -> None:
        """Keep a learning's first 10 keywords (requirement A-D1.9)."""
        if self.kind == "learning":
            object.__setattr__(self, "keywords", self.keywords[:MAX_KEYWORDS])

    @property
    def content_hash(self) -> str:
        """What two entries share that say the same, wherever they stand."""
        return content_hash(self.description)

    def searchable_text(self) -> str:
        """Return what is turned into a vector: the texts a reader would judge it by."""
        return searchable_text(self.name, self.description, self.notes, self.reasoning)

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
