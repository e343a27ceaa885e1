"""The fields of a front matter that mean something to us."""

import datetime as dt
import math
from collections.abc import Mapping
from typing import TypeVar

import attrs

from hardwon.domain.model.files.markdown import FrontValue
from hardwon.domain.model.files.trigger_phrases import LONGEST, MOST_PHRASES, SHORTEST, usable_phrases
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, KINDS, TIERS, ContextType, Kind, Tier

Word = TypeVar("Word", ContextType, Tier)

FILE_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "learning")


@attrs.frozen(kw_only=True)
class FileFields:
    """
    What the head of a file says of it; None or nothing where it is silent.

    Attributes:
        kind: What it is kept as.
        date: When it was written.
        files: What it is about.
        trigger_phrases: What calls it up: at most 20, as `usable_phrases` says.
        context_type: What sort of work it tells of.
        tier: How important it is.
        importance_weight: 0 to 1.
        channel: The branch it was written on, or another stream of work.
        session_id: The conversation it came from.
        complaints: Values that could not be used, one line each.

    """

    title: str | None = None
    description: str | None = None
    kind: Kind | None = None
    date: dt.datetime | None = None
    project: str | None = None
    workspace: str | None = None
    branch: str | None = None
    permanent: bool | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    trigger_phrases: tuple[str, ...] = ()
    context_type: ContextType | None = None
    tier: Tier | None = None
    importance_weight: float | None = None
    channel: str | None = None
    session_id: str | None = None
    complaints: tuple[str, ...] = ()


def read_fields(front_matter: Mapping[str, FrontValue]) -> FileFields:
    """Return the fields of *front_matter*, without secrets; a value of the wrong sort is left out with a complaint."""
    reading = _Reading(front_matter)
    return FileFields(
        title=reading.text("title"),
        description=reading.text("description"),
        kind=_kind(front_matter.get("type")),
        date=reading.moment("date") or reading.moment("timestamp"),
        project=reading.text("project"),
        workspace=reading.text("workspace"),
        branch=reading.text("branch"),
        permanent=reading.flag("permanent"),
        tags=reading.texts("tags"),
        keywords=reading.texts("keywords"),
        files=reading.texts("files"),
        trigger_phrases=reading.phrases("trigger_phrases", "triggerPhrases", "triggers"),
        context_type=reading.one_of(CONTEXT_TYPES, "context_type", "contextType"),
        tier=reading.one_of(TIERS, "importance_tier", "importanceTier", "tier"),
        importance_weight=reading.share("importance_weight", "importanceWeight"),
        channel=reading.text("channel"),
        session_id=reading.text("session_id", "sessionId"),
        complaints=tuple(reading.complaints),
    )


class _Reading:
    def __init__(self, front_matter: Mapping[str, FrontValue]) -> None:
        self._front_matter = front_matter
        self.complaints = list[str]()

    def text(self, *names: str) -> str | None:
        name, value = self._first(names)
        if isinstance(value, tuple):
            self._refuse(name, value, "a text")
            return None
        if isinstance(value, bool):
            value = str(value).lower()
        return redact(value or "").strip() or None

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a list; a text is one whose items commas separate."""
        name, value = self._first(names)
        if isinstance(value, bool):
            self._refuse(name, value, "a list of texts")
            return ()
        items = value.split(",") if isinstance(value, str) else value or ()
        return tuple(text for item in items if (text := redact(item).strip()))

    def phrases(self, *names: str) -> tuple[str, ...]:
        texts = self.texts(*names)
        phrases = usable_phrases(texts)
        if len(phrases) < len({text.casefold() for text in texts}):
            self._refuse(names[0], texts, f"at most {MOST_PHRASES} phrases of {SHORTEST} to {LONGEST} characters each")
        return phrases

    def one_of(self, words: tuple[Word, ...], *names: str) -> Word | None:
        text = self.text(*names)
        word = next((word for word in words if text and word == text.lower()), None)
        if text and not word:
            self._refuse(names[0], text, ", ".join(words[:-1]) + f" or {words[-1]}")
        return word

    def share(self, *names: str) -> float | None:
        text = self.text(*names)
        try:
            number = float(text) if text else None
        except ValueError:
            number = math.nan
        if number is None or 0 <= number <= 1:
            return number
        self._refuse(names[0], text, "a number from 0 to 1")
        return None

    def flag(self, name: str) -> bool | None:
        value = self._front_matter.get(name)
        if value is None or isinstance(value, bool):
            return value
        self._refuse(name, value, "true or false")
        return None

    def moment(self, name: str) -> dt.datetime | None:
        text = self.text(name)
        try:
            return dt.datetime.fromisoformat(text).astimezone(dt.UTC) if text else None
        except (ValueError, OverflowError, OSError):
            self._refuse(name, text, "a date such as 2026-02-12 or 2026-02-12T13:42:06Z")
            return None

    def _first(self, names: tuple[str, ...]) -> tuple[str, FrontValue | None]:
        """Return the first of *names* that has a value; they are spellings of one."""
        given = ((name, value) for name in names if (value := self._front_matter.get(name)) is not None)
        return next(given, (names[0], None))

    def _refuse(self, name: str, value: object, wanted: str) -> None:
        self.complaints.append(f"{name} is {str(value)[:60]!r}: write {wanted}")


def _kind(value: FrontValue | None) -> Kind | None:
    return next((kind for kind in FILE_KINDS if kind == value), None)
