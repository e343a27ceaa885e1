"""`Entry`, a memory, with the checks and converters of its fields."""

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NewType

import attrs

from hardwon.domain.model.activity import UNUSED, Usage
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import IDENTITY, content_hash, file_identity, searchable_text
from hardwon.domain.model.redaction import redact, stored_form
from hardwon.domain.model.vocabulary import (
    CATEGORIES,
    CONFIDENCES,
    CONTEXT_TYPES,
    CONVERSATION_KINDS,
    DOORS,
    KINDS,
    REACHES,
    SOURCES,
    TIERS,
    Category,
    Confidence,
    ContextType,
    Door,
    Kind,
    Reach,
    Source,
    Tier,
)

if TYPE_CHECKING:
    from hardwon.domain.model.cited_place import CitedPlace

MAX_TEXT_BYTES = 4 * 1024 * 1024
MAX_COUNT = 2**31 - 1

Check = Callable[[object, "attrs.Attribute[Any]", Any], None]


def storable(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
    """Raise for a text that the store can't hold."""
    if "\0" in value:
        raise InvalidEntryError(
            f"{field.name} holds a NUL character at position {value.index(chr(0))}: remove it"
        )
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidEntryError(
            f"{field.name} holds half a surrogate pair at position {error.start}: it is not valid"
            " text"
        ) from error
    if size > MAX_TEXT_BYTES:
        raise InvalidEntryError(
            f"{field.name} has {size} bytes, at most {MAX_TEXT_BYTES} (4 MB) fit: shorten it"
        )


def all_storable(entry: object, field: "attrs.Attribute[Any]", values: tuple[str, ...]) -> None:
    """Raise for a list with a text that the store can't hold."""
    for value in values:
        storable(entry, field, value)


def not_blank(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
    """Raise for a blank text."""
    if not value.strip():
        raise InvalidEntryError(f"{field.name} is blank: give it some text")


def one_of(words: tuple[str, ...]) -> Check:
    """Return a check that accepts *words* only."""

    def check(_: object, field: "attrs.Attribute[Any]", value: str) -> None:
        if value not in words:
            raise InvalidEntryError(
                f"{field.name} is {value[:80]!r}: use one of {', '.join(words)}"
            )

    return check


def count_from(smallest: int) -> Check:
    """Return a check that accepts counts from *smallest* to 31 bits."""

    def check(_: object, field: "attrs.Attribute[Any]", value: int) -> None:
        if not smallest <= value <= MAX_COUNT:
            raise InvalidEntryError(f"{field.name} is {value}: use {smallest} to {MAX_COUNT}")

    return check


def aware(_: object, field: "attrs.Attribute[Any]", value: dt.datetime) -> None:
    """Raise for a time without a time zone, or outside the calendar."""
    if value.tzinfo is None:
        raise InvalidEntryError(f"{field.name} is {value.isoformat()!r}: it needs a time zone")
    try:
        value.astimezone(dt.UTC)
    except OverflowError as error:
        raise InvalidEntryError(
            f"{field.name} is {value.isoformat()!r}: it has no place in UTC"
        ) from error


def one_line(value: str) -> str:
    """Reduce runs of white space to one space."""
    return " ".join(value.split())


def distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    """Drop repeats and blank texts, keeping the order."""
    return tuple(dict.fromkeys(text for value in values if (text := one_line(value))))


def as_tuple(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return *values* as a tuple."""
    return tuple(values)


def stripped(value: str) -> str:
    """Strip white space."""
    return value.strip()


def fraction(_: object, field: "attrs.Attribute[Any]", value: float) -> None:
    """Raise for a number outside of 0 to 1."""
    if not 0 <= value <= 1:
        raise InvalidEntryError(f"{field.name} is {value!r}: use a number from 0 to 1")


optional_text = attrs.validators.optional((not_blank, storable))

MAX_KEYWORDS = 10

REPAIR_TAG = "repair"
"""The tag of a gotcha that tells how a failed command was repaired."""


TEMPORARY_LIFETIME = dt.timedelta(days=7)


def expires_at(tier: Tier, created_at: dt.datetime, *, permanent: bool) -> dt.datetime | None:
    """Return when an entry expires: after 7 days if temporary, else None."""
    is_last = created_at > dt.datetime.max.replace(tzinfo=dt.UTC) - TEMPORARY_LIFETIME
    return None if tier != "temporary" or permanent or is_last else created_at + TEMPORARY_LIFETIME


def goes_by_its_anchor(kind: Kind, anchor_id: str) -> bool:
    """
    Return whether a section is identified by its anchor alone.

    That holds for captured sections, in whatever file they are.
    """
    return kind in CONVERSATION_KINDS and IDENTITY.fullmatch(anchor_id) is not None


def _of_learnings_only(entry: "Entry", _: object, value: Category | None) -> None:
    if (value is not None) != (entry.kind == "learning"):
        raise InvalidEntryError(
            f"category is {value!r}: a learning needs one, other kinds have none"
        )


def _of_learnings_at_most(entry: "Entry", _: object, value: str | None) -> None:
    if value is not None and entry.kind != "learning":
        raise InvalidEntryError(f"superseded_by is {value!r}: only a learning is superseded")


def _of_files_only(entry: "Entry", _: object, value: str | None) -> None:
    if (value is None) != (entry.kind == "learning"):
        raise InvalidEntryError(
            f"file_path is {value!r}: a learning has none, other kinds need one"
        )


def _of_file_sections_only(entry: "Entry", _: object, value: str) -> None:
    if value and entry.kind == "learning":
        raise InvalidEntryError(
            f"anchor_id is {value!r}: a learning has no file it could be a section of"
        )


@attrs.frozen(kw_only=True)
class Entry:
    """
    A valid memory.

    A learning is in the store alone; every other kind is made of a file.

    Attributes:
        description: The lesson with its conclusion, or the text of a file.
        notes: Further metadata lines of a knowledge-bank file, verbatim.
        category: The section of the block for a learning; None for other kinds.
        keywords: Labels, in order, without repeats; a learning has at most 10.
        observation_count: How often it was observed, from 1.
        updated_at: When its content changed or it was last observed.
        project: Id of the project of its file or session, if any.
        citations: The present state of the files in its references (`CitedPlace.stored`).
        reach: Where it may be shown without a query: `everywhere`, only at `home` in its project, or
            `shared` with the projects that trust in its project allows.
        door: The way by which it came into the store; `checkout` if the checked-out version of its
            file is not the user's.
        superseded_by: Id of the learning that replaces it, if any.
        source_project: The label of the project it comes from, as displayed; None for a universal
            one.
        tier: Its importance; deprecated entries are never searched.
        own_tier: Whether the tier was set for this section; otherwise it is that of its file.
        importance_weight: The order of entries that are always injected, `[0, 1]`; at 1 it does not
            decay.
        file_path: Absolute path of its file, links resolved.
        file_mtime: When that file was changed, in Unix seconds.
        file_hash: sha256 of that file, or of a captured section alone.
        anchor_id: Its section of that file; empty for the whole file.
        channel: The stream of work it was written in, as its file states.
        session_id: Id of the session it is about, as its file states.
        number: Its number in the store; None before it is stored.
        entry_id: The hash of a learning's description, the hash of another entry's kind and path,
            or the anchor of a captured section.

    Examples:
        >>> entry = Entry(
        ...     name="Quotes in CSV",
        ...     description="Escape quotes by doubling them.",
        ...     category="patterns",
        ...     created_at=dt.datetime(2026, 1, 5, tzinfo=dt.UTC),
        ...     updated_at=dt.datetime(2026, 1, 5, tzinfo=dt.UTC),
        ... )
        >>> entry.entry_id, entry.kind, entry.tier
        ('22a2529afcbf4fbe', 'learning', 'normal')
        >>> attrs.evolve(entry, category="tips")
        Traceback (most recent call last):
        ...
        hardwon.domain.model.errors.InvalidEntryError: category is 'tips': use one of anti-patterns, heuristics, patterns
    """

    kind: Kind = attrs.field(default="learning", validator=one_of(KINDS))
    name: str = attrs.field(converter=one_line, validator=[not_blank, storable])
    description: str = attrs.field(converter=stripped, validator=[not_blank, storable])
    reasoning: str = attrs.field(default="", converter=stripped, validator=storable)
    notes: str = attrs.field(default="", converter=stripped, validator=storable)
    category: Category | None = attrs.field(
        default=None, validator=[attrs.validators.optional(one_of(CATEGORIES)), _of_learnings_only]
    )
    keywords: tuple[str, ...] = attrs.field(default=(), converter=distinct, validator=all_storable)
    tags: tuple[str, ...] = attrs.field(default=(), converter=distinct, validator=all_storable)
    references: tuple[str, ...] = attrs.field(
        default=(), converter=distinct, validator=all_storable
    )
    citations: tuple[str, ...] = attrs.field(
        default=(), converter=as_tuple, validator=all_storable, repr=False
    )
    observation_count: int = attrs.field(default=1, validator=count_from(1))
    confidence: Confidence = attrs.field(default="medium", validator=one_of(CONFIDENCES))
    created_at: dt.datetime = attrs.field(validator=aware)
    updated_at: dt.datetime = attrs.field(validator=aware)
    source: Source = attrs.field(default="manual", validator=one_of(SOURCES))
    project: str | None = attrs.field(default=None, validator=optional_text)
    reach: Reach = attrs.field(default="shared", validator=one_of(REACHES))
    door: Door | None = attrs.field(
        default=None, validator=attrs.validators.optional(one_of(DOORS))
    )
    superseded_by: str | None = attrs.field(
        default=None, validator=[optional_text, _of_learnings_at_most]
    )
    source_project: str | None = attrs.field(default=None, validator=optional_text)
    workspace: str | None = attrs.field(default=None, validator=optional_text)
    branch: str | None = attrs.field(default=None, validator=optional_text)
    permanent: bool = False
    file_path: str | None = attrs.field(default=None, validator=[optional_text, _of_files_only])
    file_mtime: int | None = None
    file_hash: str | None = None
    anchor_id: str = attrs.field(default="", validator=[storable, _of_file_sections_only])
    tier: Tier = attrs.field(default="normal", validator=one_of(TIERS))
    own_tier: bool = False
    importance_weight: float = attrs.field(default=0.5, validator=fraction)
    context_type: ContextType = attrs.field(default="general", validator=one_of(CONTEXT_TYPES))
    trigger_phrases: tuple[str, ...] = attrs.field(
        default=(), converter=distinct, validator=all_storable
    )
    spec_folder: str | None = attrs.field(default=None, validator=optional_text)
    channel: str | None = attrs.field(default=None, validator=optional_text)
    session_id: str | None = attrs.field(default=None, validator=optional_text)
    usage: Usage = UNUSED
    number: int | None = attrs.field(default=None, eq=False)
    recall_count: int = attrs.field(default=0, validator=count_from(0))
    last_recalled_at: dt.datetime | None = attrs.field(
        default=None, validator=attrs.validators.optional(aware)
    )
    entry_id: str = attrs.field(init=False)

    @entry_id.default
    def _identify(self) -> str:
        if goes_by_its_anchor(self.kind, self.anchor_id):
            return self.anchor_id
        if self.file_path:
            return file_identity(self.kind, self.file_path, self.anchor_id)
        return content_hash(self.description)

    def __attrs_post_init__(self) -> None:
        """Keep a learning's first 10 keywords."""
        if self.kind == "learning":
            object.__setattr__(self, "keywords", self.keywords[:MAX_KEYWORDS])

    @property
    def place(self) -> str:
        """
        The key under which its absence is noted.

        It is the path of its file, or the anchor of a captured section.
        """
        return (
            f"#{self.anchor_id}"
            if goes_by_its_anchor(self.kind, self.anchor_id)
            else self.file_path or ""
        )

    @property
    def is_of_others(self) -> bool:
        """Whether it is kept at home as others' version of a file."""
        return self.door == "checkout" and self.reach == "home"

    @property
    def is_unconfirmed(self) -> bool:
        """Whether it is an unconfirmed repair, which is shown only in its project."""
        return self.door == "capture" and self.reach == "home" and REPAIR_TAG in self.tags

    @property
    def cited(self) -> "tuple[CitedPlace, ...]":
        """The places of its citations."""
        if not self.citations:
            return ()
        from hardwon.domain.model.cited_place import cited_places  # noqa: PLC0415  # rarely needed

        return tuple(cited_places(self.citations))

    @property
    def warning(self) -> str:
        """The sentence on what changed since it was cited, empty for nothing."""
        if not self.citations:
            return ""
        from hardwon.domain.model.cited_place import warning_of  # noqa: PLC0415  # rarely needed

        return warning_of(self.citations)

    @property
    def is_gone(self) -> bool:
        """Whether it cites files, and all of them are gone."""
        states = {place.state for place in self.cited if place.is_of_file}
        return states == {"gone"}

    @property
    def content_hash(self) -> str:
        """The hash of its description."""
        return content_hash(self.description)

    @property
    def expires_at(self) -> dt.datetime | None:
        """When it expires, None for never."""
        return expires_at(self.tier, self.created_at, permanent=self.permanent)

    @property
    def labels(self) -> tuple[str, ...]:
        """Keywords, tags, trigger phrases and places, to search it by."""
        places = filter(None, (self.spec_folder, self.anchor_id))
        return (*self.keywords, *self.tags, *self.trigger_phrases, *places)

    def searchable_text(self) -> str:
        """Return the text that is embedded."""
        return searchable_text(
            self.name, self.description, notes=self.notes, reasoning=self.reasoning
        )

    def observed_again(self, other: "Entry") -> "Entry":
        """
        Merge *other*, the same lesson learned once more.

        Name and category stay, keywords and references unite, an empty reasoning is filled, the
        count rises by one. The citations are those of *other*, which are newer.
        """
        return attrs.evolve(
            self,
            observation_count=min(self.observation_count + 1, MAX_COUNT),
            keywords=self.keywords + other.keywords,
            references=self.references + other.references,
            citations=other.citations,
            reasoning=self.reasoning or other.reasoning,
            updated_at=max(self.updated_at, other.updated_at),
        )


PublicEntry = NewType("PublicEntry", Entry)
"""An entry without secrets, as `redact_entry` makes it."""


def redact_entry(entry: Entry) -> PublicEntry:
    """
    Return *entry* with every text in its `stored_form`.

    Its id follows its description.

    Raises:
        InvalidEntryError: nothing is left of a text that must not be blank.
    """
    public: dict[str, Any] = {
        "name": stored_form(entry.name),
        "description": stored_form(entry.description),
        "reasoning": stored_form(entry.reasoning),
        "notes": stored_form(entry.notes),
        "keywords": tuple(map(stored_form, entry.keywords)),
        "tags": tuple(map(stored_form, entry.tags)),
        "references": tuple(map(stored_form, entry.references)),
        "citations": tuple(text for text in entry.citations if redact(text) == text),
        "source_project": _redact_optional(entry.source_project),
        "workspace": _redact_optional(entry.workspace),
        "branch": _redact_optional(entry.branch),
        "trigger_phrases": tuple(map(stored_form, entry.trigger_phrases)),
        "channel": _redact_optional(entry.channel),
        "session_id": _redact_optional(entry.session_id),
    }
    changed = {field: value for field, value in public.items() if value != getattr(entry, field)}
    return PublicEntry(attrs.evolve(entry, **changed) if changed else entry)


def _redact_optional(text: str | None) -> str | None:
    return redact(text).strip() or None if text else None
