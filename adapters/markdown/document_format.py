"""Facts from a markdown file: front matter, headings, trigger phrases and path."""

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple, TypeAlias, TypeVar

from hardwon.domain.model.document import FILE_KINDS, FileFields
from hardwon.domain.model.own_files import KIND_OF_FOLDER, MEMORY
from hardwon.domain.model.plain_text import plain_text, without_code, without_links
from hardwon.domain.model.redaction import stored_form
from hardwon.domain.model.triggers import LONGEST, MAX_PHRASES, SHORTEST, usable_phrases
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, TIERS, ContextType, Kind, Tier

MAX_COMPLAINTS = 5


def first_of(complaints: Sequence[str], rest: str) -> tuple[str, ...]:
    """
    Return five of *complaints*, then a line that counts the others.

    The line is `7 more` and *rest*.
    """
    more = len(complaints) - MAX_COMPLAINTS
    return (*complaints[:MAX_COMPLAINTS], *((f"{more} more {rest}",) if more > 0 else ()))


_SAVED = re.compile(r"memory-\d{8}-\d{6}(?:-\d+)?\.(?:md|markdown)")


def kind_by_place(path: str, project_root: str) -> Kind | None:
    """
    Return the kind that the folder of *path* implies, or None.

    The nearest folder named after a kind decides; else `memory-*.md` is a session in a folder
    `memory` or at the project's root, or anywhere with a time in its name.
    """
    file = PurePath(path)
    for folder in reversed(file.parts[:-1]):
        if folder in KIND_OF_FOLDER:
            return KIND_OF_FOLDER[folder]
    is_beside = file.parent.name == MEMORY or file.parent == PurePath(project_root)
    is_session = _SAVED.fullmatch(file.name) or (is_beside and file.name.startswith(f"{MEMORY}-"))
    return "session" if is_session else None


SPECS = "specs"

_NAME = re.compile(
    r"(?P<time>[0-9]{2}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2})__(?P<topic>.+)\.(?:md|markdown)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?:(?:memory|session)[-_ ])?(?P<day>[0-9]{4}(?P<sign>[-_.])[0-9]{2}(?P=sign)[0-9]{2}|[0-9]{8})(?:[-_T](?P<time>[0-9]{6}|[0-9]{4}|[0-9]{2}(?:-[0-9]{2}){1,2}))?"
    r"(?![0-9]).*\.(?:md|markdown)",
    re.IGNORECASE,
)
_GAP = re.compile(r"[-_\s]+")


def spec_folder(path: str) -> str:
    """
    Return the spec folder of the file at *path*, never empty.

    It is the nearest folder above it that holds a folder `memory` and lies in one called `specs`,
    else the nearest that holds a folder `memory`, else the file's folder, else the name of the
    file.
    """
    *folders, file = PurePath(path).parts[bool(PurePath(path).anchor) :] or [path]
    above_memory = [
        number - 1 for number, folder in enumerate(folders) if folder == MEMORY and number > 0
    ]
    in_specs = [number for number in above_memory if number > 0 and folders[number - 1] == SPECS]
    nearest = (in_specs or above_memory or [len(folders) - 1])[-1]
    return folders[nearest] if folders else PurePath(file).stem


def written_at(name: str) -> dt.datetime | None:
    """
    Return the time in a file's *name*, without a zone, or None.

    Names are `28-11-25_14-30__oauth.md`, `memory-20260212-134206.md`, `2026-02-12-oauth.md` and
    alike; without a time the day begins. An impossible date gives None.
    """
    try:
        if found := _NAME.fullmatch(name):
            return dt.datetime.strptime(found["time"], "%d-%m-%y_%H-%M")  # noqa: DTZ007  # names have no zone
        if found := _DATED.fullmatch(name):
            time = (found["time"] or "").replace("-", "").ljust(6, "0")
            return dt.datetime.strptime(re.sub(r"\D", "", found["day"]) + time, "%Y%m%d%H%M%S")  # noqa: DTZ007
    except ValueError:
        pass
    return None


def named_at(name: str) -> dt.datetime | None:
    """Return the local time in a file's *name*, in UTC."""
    local = written_at(name)
    try:
        return local.astimezone(dt.UTC) if local else None
    except (ValueError, OverflowError, OSError):
        return None


def topic(name: str) -> str | None:
    """Return the topic in a file's *name*, such as `oauth callback`."""
    found = _NAME.fullmatch(name)
    return _GAP.sub(" ", found["topic"]).strip() or None if found else None


_ANY_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<text>.*))?")
_OF_TRIGGERS = re.compile(r"[\W\d_]*(?:triggers|trigger phrases?)\W*", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?P<text>.*)")


def phrases_of(body: str) -> tuple[str, ...]:
    """
    Return the first 20 list items below headings `Trigger Phrases` or `Triggers`.

    The headings have any level. Numbers and signs before their words are ignored, and so are
    comments and code.
    """
    items = islice(_items(without_code(body)), MAX_PHRASES)
    return usable_phrases(map(plain_text, items))


def _items(text: str) -> Iterator[str]:
    is_below = False
    for line in text.split("\n"):
        if heading := _ANY_HEADING.fullmatch(line):
            is_below = bool(_OF_TRIGGERS.fullmatch((heading["text"] or "").rstrip("# \t")))
        elif is_below and (item := _ITEM.fullmatch(line)):
            yield item["text"]


FrontValue: TypeAlias = str | bool | tuple[str, ...]


class Markdown(NamedTuple):
    """
    A markdown text, split into front matter and body.

    Attributes:
        body: With newlines as line ends.
        complaints: About unreadable lines of the front matter.
    """

    front_matter: Mapping[str, FrontValue]
    body: str
    complaints: tuple[str, ...] = ()


Word = TypeVar("Word", ContextType, Tier)


def read_fields(front_matter: Mapping[str, FrontValue]) -> FileFields:
    """
    Parse the fields of *front_matter*, without secrets.

    An invalid value is left out with a complaint.
    """
    reading = _Reading(front_matter)
    return FileFields(
        title=reading.text("title"),
        description=reading.text("description"),
        kind=_kind(front_matter.get("type")),
        date=reading.time("date") or reading.time("timestamp"),
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
        return stored_form(value or "").strip() or None

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a list, where a text is split at commas."""
        name, value = self._first(names)
        if isinstance(value, bool):
            self._refuse(name, value, "a list of texts")
            return ()
        items = value.split(",") if isinstance(value, str) else value or ()
        return tuple(text for item in items if (text := stored_form(item).strip()))

    def phrases(self, *names: str) -> tuple[str, ...]:
        texts = self.texts(*names)
        phrases = usable_phrases(texts)
        if len(phrases) < len({text.casefold() for text in texts}):
            self._refuse(
                names[0],
                texts,
                f"at most {MAX_PHRASES} phrases of {SHORTEST} to {LONGEST} characters each",
            )
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

    def time(self, name: str) -> dt.datetime | None:
        text = self.text(name)
        try:
            return dt.datetime.fromisoformat(text).astimezone(dt.UTC) if text else None
        except (ValueError, OverflowError, OSError):
            self._refuse(name, text, "a date such as 2026-02-12 or 2026-02-12T13:42:06Z")
            return None

    def _first(self, names: tuple[str, ...]) -> tuple[str, FrontValue | None]:
        given = (
            (name, value) for name in names if (value := self._front_matter.get(name)) is not None
        )
        return next(given, (names[0], None))

    def _refuse(self, name: str, value: object, wanted: str) -> None:
        self.complaints.append(f"{name} is {str(value)[:60]!r}: write {wanted}")


def _kind(value: FrontValue | None) -> Kind | None:
    return next((kind for kind in FILE_KINDS if kind == value), None)


_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]+(?P<atx>\S[^\n]*)$|^ {0,3}(?P<underlined>\S[^\n]*)\n {0,3}={3,}[ \t]*$",
    re.MULTILINE,
)


def first_heading(body: str) -> str | None:
    """Return the first heading of *body* without formatting, or None."""
    return next(headings(body), None)


def headings(body: str) -> Iterator[str]:
    """Yield the headings of *body* in order, without formatting."""
    found = _HEADING.finditer(without_code(body))
    texts = (
        plain_text(without_links(heading["atx"] or heading["underlined"])) for heading in found
    )
    return filter(None, texts)
