"""Changes of an entry's fields by a user, and their history lines."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from hardwon.domain.model.activity import FieldChange, PastChange
from hardwon.domain.model.entry import (
    Entry,
    all_storable,
    distinct,
    fraction,
    not_blank,
    one_line,
    one_of,
    storable,
)
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.triggers import LONGEST, MAX_PHRASES, SHORTEST, usable_phrases
from hardwon.domain.model.vocabulary import CONFIDENCES, REACHES, TIERS, Confidence, Reach, Tier

ENTRY_FIELDS: Mapping[str, str] = {
    "title": "name",
    "description": "description",
    "trigger_phrases": "trigger_phrases",
    "importance_weight": "importance_weight",
    "importance_tier": "tier",
    "keywords": "keywords",
    "tags": "tags",
    "permanent": "permanent",
    "confidence": "confidence",
    "reasoning": "reasoning",
    "reach": "reach",
    "superseded_by": "superseded_by",
}
"""The fields that can be changed: public name to name in `Entry`."""

SHOWN_CHARACTERS = 80


def _title(text: str) -> str:
    return one_line(stored_form(text))


def _text(text: str) -> str:
    return stored_form(text).strip()


def _labels(texts: Iterable[str]) -> tuple[str, ...]:
    return distinct(tuple(map(stored_form, texts)))


def _phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """
    Return the distinct phrases.

    Unlike in a file, an unusable phrase is an error.
    """
    phrases = _labels(texts)
    for phrase in phrases:
        if not usable_phrases([phrase]):
            raise InvalidEntryError(
                f"the trigger phrase {phrase[:SHOWN_CHARACTERS]!r} has {len(phrase)} characters:"
                f" use {SHORTEST} to {LONGEST}"
            )
    if len(phrases) > MAX_PHRASES:
        raise InvalidEntryError(
            f"there are {len(phrases)} trigger phrases: use {MAX_PHRASES} at most"
        )
    return usable_phrases(phrases)


@attrs.frozen(kw_only=True)
class EntryChange:
    """
    New values of some fields, redacted.

    None keeps a field, an empty tuple empties it.

    Attributes:
        description: The lesson of a learning, whose id changes with it.
        superseded_by: The id of the learning that replaces it; empty for none.

    Raises:
        InvalidEntryError: a value is not valid for its field.
    """

    title: str | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_title),
        validator=attrs.validators.optional((not_blank, storable)),
    )
    description: str | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_text),
        validator=attrs.validators.optional((not_blank, storable)),
    )
    trigger_phrases: tuple[str, ...] | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_phrases),
        validator=attrs.validators.optional(all_storable),
    )
    importance_weight: float | None = attrs.field(
        default=None, validator=attrs.validators.optional(fraction)
    )
    importance_tier: Tier | None = attrs.field(
        default=None, validator=attrs.validators.optional(one_of(TIERS))
    )
    keywords: tuple[str, ...] | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_labels),
        validator=attrs.validators.optional(all_storable),
    )
    tags: tuple[str, ...] | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_labels),
        validator=attrs.validators.optional(all_storable),
    )
    permanent: bool | None = None
    confidence: Confidence | None = attrs.field(
        default=None, validator=attrs.validators.optional(one_of(CONFIDENCES))
    )
    reasoning: str | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_text),
        validator=attrs.validators.optional(storable),
    )
    reach: Reach | None = attrs.field(
        default=None, validator=attrs.validators.optional(one_of(REACHES))
    )
    superseded_by: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it keeps every field."""
        return self == NO_CHANGE

    def applied_to(self, entry: Entry) -> Entry:
        """
        Apply the new values to *entry*.

        A tier given to a section is its own from then on.

        Raises:
            InvalidEntryError: the entry can't have that reach, or its text is that of a file.
        """
        if self.description is not None and entry.kind != "learning":
            raise InvalidEntryError(f"its text is that of its file: edit {entry.file_path}")
        if self.reach and entry.kind != "learning":
            raise InvalidEntryError(
                f"a {entry.kind} is shown in its project only: learnings go elsewhere, or stay"
            )
        if self.reach == "home" and entry.project is None:
            raise InvalidEntryError("it belongs to no project in which it could stay")
        if self.superseded_by and entry.kind != "learning":
            raise InvalidEntryError(f"it is a {entry.kind}: only a learning is superseded")
        wanted = {
            ENTRY_FIELDS[name]: value
            for name, value in attrs.asdict(self, recurse=False).items()
            if value is not None
        }
        own_tier = entry.own_tier or (self.importance_tier is not None and entry.anchor_id != "")
        if self.superseded_by == "":
            wanted["superseded_by"] = None
        return attrs.evolve(entry, **wanted, own_tier=own_tier)


NO_CHANGE = EntryChange()


def changes_between(before: Entry, after: Entry) -> tuple[FieldChange, ...]:
    """Return the changeable fields in which two states differ."""
    pairs = (
        (field, getattr(before, own), getattr(after, own)) for field, own in ENTRY_FIELDS.items()
    )
    return tuple(
        FieldChange(field, as_text(old), as_text(new)) for field, old, new in pairs if old != new
    )


def as_text(value: object) -> str:
    """
    Return the value of a field as the history stores it.

    A text is stored as it is, anything else as JSON.
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def undoing(change: FieldChange | PastChange) -> EntryChange:
    """
    Return the change that restores the value before *change*.

    Raises:
        InvalidEntryError: it is no field that can be changed, or its old value can't be read.

    Examples:
        >>> undoing(FieldChange("importance_tier", "normal", "critical")).importance_tier
        'normal'
    """
    if change.field not in ENTRY_FIELDS or change.old is None:
        raise InvalidEntryError(f"{change.field} can't be undone: what it was before is not kept")
    if change.field == "superseded_by":
        return EntryChange(superseded_by="" if change.old == "null" else change.old)
    is_text = change.field in {
        "title",
        "description",
        "importance_tier",
        "confidence",
        "reasoning",
        "reach",
    }
    try:
        value: Any = change.old if is_text else json.loads(change.old)
    except (ValueError, RecursionError) as error:
        raise InvalidEntryError(
            f"{change.field} can't be undone: {change.old[:SHOWN_CHARACTERS]!r} is no value"
        ) from error
    fields: dict[str, Any] = {change.field: tuple(value) if isinstance(value, list) else value}
    return EntryChange(**fields)
