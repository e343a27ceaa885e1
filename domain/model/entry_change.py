"""What somebody wants changed of an entry, and what that changed."""

import json
from collections.abc import Iterable, Mapping

import attrs

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.entry import Entry, all_storable, distinct, fraction, not_blank, one_line, one_of, storable
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.triggers import LONGEST, MAX_PHRASES, SHORTEST, usable_phrases
from hardwon.domain.model.vocabulary import CONFIDENCES, TIERS, Confidence, Tier

ENTRY_FIELDS: Mapping[str, str] = {
    "title": "name",
    "trigger_phrases": "trigger_phrases",
    "importance_weight": "importance_weight",
    "importance_tier": "tier",
    "keywords": "keywords",
    "tags": "tags",
    "permanent": "permanent",
    "confidence": "confidence",
    "reasoning": "reasoning",
}
"""What an entry's fields are called that can be changed, by the customer's names."""

SHOWN_CHARACTERS = 80


def _title(text: str) -> str:
    return one_line(redact(text))


def _text(text: str) -> str:
    return redact(text).strip()


def _labels(texts: Iterable[str]) -> tuple[str, ...]:
    return distinct(tuple(map(redact, texts)))


def _phrases(texts: Iterable[str]) -> tuple[str, ...]:
    """Return phrases as those of files are; unlike those, one that can't be used is told, not left out."""
    phrases = _labels(texts)
    for phrase in phrases:
        if not usable_phrases([phrase]):
            raise InvalidEntryError(
                f"the trigger phrase {phrase[:SHOWN_CHARACTERS]!r} has {len(phrase)} characters:"
                f" use {SHORTEST} to {LONGEST}"
            )
    if len(phrases) > MAX_PHRASES:
        raise InvalidEntryError(f"there are {len(phrases)} trigger phrases: use {MAX_PHRASES} at most")
    return usable_phrases(phrases)


@attrs.frozen(kw_only=True)
class EntryChange:
    """
    New values of some fields; None leaves a field as it is, no texts empty a list. Secrets are taken out.

    What identifies an entry, a learning's description, is no field of these.

    Attributes:
        title: Its name, one line.
        trigger_phrases: What a user says when it matters: 20 at most, each of 3 to 100 characters.
        importance_weight: In `[0, 1]`.
        importance_tier: One of the six.
        keywords: Words to find it by; of a learning the first 10 are kept.
        tags: The user's own labels.
        permanent: Whether it is kept for good.
        confidence: How sure it is: `high`, `medium` or `low`.
        reasoning: Why it matters and how it was found.

    Raises:
        InvalidEntryError: a value is not fit for its field.

    """

    title: str | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_title),
        validator=attrs.validators.optional((not_blank, storable)),
    )
    trigger_phrases: tuple[str, ...] | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_phrases),
        validator=attrs.validators.optional(all_storable),
    )
    importance_weight: float | None = attrs.field(default=None, validator=attrs.validators.optional(fraction))
    importance_tier: Tier | None = attrs.field(default=None, validator=attrs.validators.optional(one_of(TIERS)))
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
    confidence: Confidence | None = attrs.field(default=None, validator=attrs.validators.optional(one_of(CONFIDENCES)))
    reasoning: str | None = attrs.field(
        default=None,
        converter=attrs.converters.optional(_text),
        validator=attrs.validators.optional(storable),
    )

    @property
    def is_empty(self) -> bool:
        """Whether it leaves every field as it is."""
        return self == NO_CHANGE

    def applied_to(self, entry: Entry) -> Entry:
        """Return *entry* with the new values; a section to which a tier is given has its own from then on."""
        wanted = {
            ENTRY_FIELDS[name]: value for name, value in attrs.asdict(self, recurse=False).items() if value is not None
        }
        own_tier = entry.own_tier or (self.importance_tier is not None and entry.anchor_id != "")
        return attrs.evolve(entry, **wanted, own_tier=own_tier)


NO_CHANGE = EntryChange()


def changes_between(before: Entry, after: Entry) -> tuple[FieldChange, ...]:
    """Return the fields in which two states of an entry differ, of those that can be changed, in their order."""
    pairs = ((field, getattr(before, own), getattr(after, own)) for field, own in ENTRY_FIELDS.items())
    return tuple(FieldChange(field, as_text(old), as_text(new)) for field, old, new in pairs if old != new)


def as_text(value: object) -> str:
    """Return the value of a field as the history keeps it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
