"""
The printed form of an entry: a lesson, a note, or a rule.

A lesson has a track record, a note none; a rule is for every session. Stored text is data: none of
its lines may read as part of the block's own frame or as the host's own words. Standard library
only.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, overload

from hardwon.domain.model.injection.neutral_text import neutral, neutral_line, neutral_name
from hardwon.domain.model.knowledge_bank import (
    CONFIDENCE,
    ENTRY_HEAD,
    NAME_PREFIXES,
    OBSERVATION_COUNT,
    metadata_line,
)
from hardwon.domain.model.ranking.prominence import LATEST_TIME
from hardwon.domain.model.text import has_word, split_by_title, tokens
from hardwon.domain.model.vocabulary import Category, Confidence, Kind


class NotedEntry(Protocol):
    """The fields of an entry that a note prints."""

    @property
    def name(self) -> str:
        """Short title, one line."""
        ...

    @property
    def description(self) -> str:
        """The text."""
        ...

    @property
    def notes(self) -> str:
        """Further lines, may be empty."""
        ...


class Printable(NotedEntry, Protocol):
    """The fields of an entry that the block prints."""

    @property
    def category(self) -> Category | None:
        """The section it is printed in."""
        ...

    @property
    def observation_count(self) -> int:
        """The number of retrospectives that saw it."""
        ...

    @property
    def confidence(self) -> Confidence:
        """How sure its authors are."""
        ...


class PrintedEntry(NamedTuple):
    """
    The fields of an entry that the hook reads.

    A tuple: importing attrs alone costs a session start three times Python's own start.

    Attributes:
        citations: The present state of the files that it cites.
        origin: The label of its project if that is another one than the user's, else empty.
    """

    number: int
    name: str
    description: str
    notes: str
    category: Category | None
    observation_count: int
    confidence: Confidence
    project: str | None = None
    citations: tuple[str, ...] = ()
    origin: str = ""

    @property
    def warning(self) -> str:
        """The sentence on what changed since it was cited."""
        return warning_of(self.citations)


def warning_of(citations: Sequence[str]) -> str:
    """Return the printed sentence on what changed of *citations*, most often empty."""
    if not citations:
        return ""
    from hardwon.domain.model.cited_place import warning_of  # noqa: PLC0415  # rarely needed

    return neutral_line(warning_of(citations))


EntryForm: TypeAlias = Literal["lesson", "note"]


Length: TypeAlias = Callable[[str], int]
"""How a host counts the length of a text."""


def units(text: str) -> int:
    """Return the length of *text* in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Return the length of *text* in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


Measure: TypeAlias = Literal["units", "bytes"]
MEASURES: Mapping[Measure, Length] = {"units": units, "bytes": utf8_bytes}

MAX_UNITS = 9_500
"""Maximum length, as the host counts it. Hosts cut a hook's output at 10,000."""

LARGEST_ENTRY = MAX_UNITS // 3
"""A larger entry is dropped first when not all fits."""


def form_of(kind: Kind) -> EntryForm:
    """
    Return the printed form of a *kind*.

    Rules are notes, whatever their kind.
    """
    return "lesson" if kind == "learning" else "note"


@overload
def piece_text(
    form: Literal["note"], entry: NotedEntry, origin: str = "", *, warning: str = ""
) -> str: ...
@overload
def piece_text(
    form: EntryForm, entry: Printable, origin: str = "", *, warning: str = ""
) -> str: ...
def piece_text(form: EntryForm, entry: Any, origin: str = "", *, warning: str = "") -> str:
    """
    Return the whole text of *entry*, with an empty line after it.

    *origin* labels another project, *warning* says what changed since it was cited.
    """
    write = _lesson_text if form == "lesson" else _note_text
    return write(entry, origin, warning)


def memory_text(
    entry_id: str, kept_at: dt.datetime, entry: NotedEntry, origin: str = "", *, warning: str = ""
) -> str:
    """
    Return the whole text of *entry*, printed at a moment.

    Its head names its id, the day it was kept, and its project. *warning* says what changed since
    it was cited.
    """
    head = ", ".join(
        filter(None, (f"memory {entry_id}", f"kept {kept_at:%Y-%m-%d}", neutral_line(origin)))
    )
    split = split_by_title(entry.name, entry.description)
    title = () if split.beginning else (neutral_name(entry.name),)
    body = _body(entry.description, entry.notes)
    return "\n".join((f"[{head}]", *title, *body, *filter(None, [warning]), ""))


def lesson_text(entry: Printable) -> str:
    """
    Return the whole text of *entry* as a lesson.

    It has the label of another project, and a warning, if it was read with them.
    """
    if isinstance(entry, PrintedEntry):
        return piece_text("lesson", entry, entry.origin, warning=entry.warning)
    return piece_text("lesson", entry)


FROM = "From"


def origin_lines(origin: str) -> list[str]:
    """Return the line that labels another project, none without a label."""
    label = neutral_line(origin)
    return [metadata_line(FROM, label)] if label else []


def track_record_text(observation_count: int, confidence: Confidence) -> str:
    """Return the end of a lesson: observation count, confidence, empty line."""
    return f"{metadata_line(OBSERVATION_COUNT, observation_count)}\n{metadata_line(CONFIDENCE, confidence)}\n\n"


def _lesson_text(entry: Printable, origin: str, warning: str) -> str:
    """Return the text of a learning, whose description does not repeat its title."""
    split, prefix = split_by_title(entry.name, entry.description), NAME_PREFIXES[entry.category]
    description = split.continued if has_word(split.rest) or not split.beginning else ""
    lines = [
        f"{ENTRY_HEAD}{prefix}{neutral_line(entry.name) if prefix else neutral_name(entry.name)}",
        *_body(description, entry.notes),
        *origin_lines(origin),
        *filter(None, [warning]),
        track_record_text(entry.observation_count, entry.confidence),
    ]
    return "\n".join(lines)


def _note_text(entry: NotedEntry, origin: str, warning: str) -> str:
    body = _body(entry.description, entry.notes)
    labels = (*origin_lines(origin), *filter(None, [warning]))
    return "\n".join((f"{ENTRY_HEAD}{neutral_name(entry.name)}", *body, *labels, "\n"))


def _body(description: str, notes: str) -> list[str]:
    """Join both, as markdown structure may span them."""
    return [neutral(body)] if (body := "\n".join(filter(None, (description, notes)))) else []


BUDGET_TOKENS = 500


class ConstitutionalText(NamedTuple):
    """
    A constitutional entry as it is printed.

    A tuple: importing attrs alone costs a session start three times Python's own start.

    Attributes:
        importance_weight: In `[0, 1]`, the highest first.
        created_at: Breaks ties, the newest first, before the id.
        citations: The present state of the files that it cites.
        origin: The label of its project if that is another one than the user's, else empty.
    """

    number: int
    entry_id: str
    kind: Kind
    name: str
    description: str
    notes: str
    importance_weight: float
    created_at: dt.datetime
    project: str | None = None
    citations: tuple[str, ...] = ()
    origin: str = ""

    @property
    def warning(self) -> str:
        """The sentence on what changed since it was cited."""
        return warning_of(self.citations)

    @property
    def text(self) -> str:
        """The whole printed text."""
        return piece_text("note", self, self.origin, warning=self.warning)


def within_budget(
    texts: Iterable[ConstitutionalText], budget_tokens: int = BUDGET_TOKENS
) -> list[ConstitutionalText]:
    """
    Return the rules to inject, of at most *budget_tokens* together.

    They are ordered by weight, then the newest, then by id. One that does not fit is skipped;
    smaller ones after it may still fit.
    """
    chosen, room = list[ConstitutionalText](), budget_tokens
    for rule in sorted(texts, key=_order):
        if (needed := tokens(rule.text)) <= room:
            chosen.append(rule)
            room -= needed
    return chosen


def _order(rule: ConstitutionalText) -> tuple[float, dt.timedelta, str]:
    return (-rule.importance_weight, LATEST_TIME - rule.created_at, rule.entry_id)


def needs_too_much_room(entry: Printable) -> bool:
    """Return whether *entry* is dropped first when not all fits."""
    return units(lesson_text(entry)) > LARGEST_ENTRY
