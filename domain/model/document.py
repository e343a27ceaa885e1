"""
The sort of work that a file without a context type describes.

A file that entries are made of, as values: fields and sections, whatever its format.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

import attrs

from hardwon.domain.model.vocabulary import KINDS, ContextType, Kind, Tier

SIGNS: Mapping[ContextType, tuple[str, ...]] = {
    "decision": ("decision", "decisions", "adr", "architecture"),
    "discovery": ("bug", "bugs", "bugfix", "fix", "fixes", "root cause"),
    "research": ("research", "analysis", "investigation"),
    "implementation": ("implementation", "implement", "implementing", "implemented"),
}
"""
The words that stand for a type.

Where several occur the first of the types counts: a root cause analysis is a
discovery, research for a decision is a decision.
"""

_WORD = re.compile(r"[^\W_]+")


def context_type_of(name: str, title: str, headings: Iterable[str]) -> ContextType | None:
    """
    Return the type that words of the file's *name* and *title* stand for, else its *headings* if all agree.

    None if nothing is clear; prose is not considered.
    """
    named = _types_in([name, title])
    found = named or _types_in(headings)
    return found[0] if named or len(found) == 1 else None


def _types_in(texts: Iterable[str]) -> list[ContextType]:
    """Return the types whose words occur in *texts*, in the order of `SIGNS`."""
    lines = [f" {' '.join(_WORD.findall(text.casefold()))} " for text in texts]
    return [kind for kind, signs in SIGNS.items() if any(f" {sign} " in line for sign in signs for line in lines)]


FILE_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "learning")

MAX_SECTIONS = 200
"""Upper bound of sections that become entries: no file may flood the store."""


@attrs.frozen(kw_only=True)
class FileFields:
    """
    The fields of a file, without secrets; None or empty if missing.

    Attributes:
        kind: The kind of its entry, from its head or its place.
        date: When it was written.
        files: What it is about.
        trigger_phrases: The phrases that surface it: at most 20, as `usable_phrases` says.
        context_type: The sort of work it describes.
        tier: How important it is.
        importance_weight: 0 to 1.
        channel: The branch it was written on, or another stream of work.
        session_id: The conversation it came from.
        complaints: Lines and values that could not be used, one line each.

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


class Section(NamedTuple):
    """
    A named section of a document.

    Attributes:
        anchor_id: Its name: 1 to 120 letters, digits and `-_./`.
        title: Its own heading without formatting; empty if missing.
        text: Its text without formatting.
        starts_at: When its first exchange began, in UTC; None if it was not captured, or does not say.
        ends_at: When its last exchange began, in UTC; None as above.
        keywords: The words of its topic.
        tags: The areas it is about.
        references: The files it names.
        session_id: The session it comes from, None when unknown.

    """

    anchor_id: str
    title: str
    text: str
    starts_at: dt.datetime | None = None
    ends_at: dt.datetime | None = None
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    session_id: str | None = None


class CapturedSection(NamedTuple):
    """
    A section that a conversation was captured in, read when it is needed.

    Attributes:
        anchor_id: Its name: 16 hex digits.
        section_hash: Of everything that its entry is made of.
        permanent: Whether it is kept for good, None where it leaves that to its file.
        read: Returns the section, without secrets.

    """

    anchor_id: str
    section_hash: str
    permanent: bool | None
    read: Callable[[], Section]


class Sections(NamedTuple):
    """
    The named sections of a document.

    Attributes:
        found: In the order they begin, at most 200.
        complaints: Everything wrong with their names, one line each.

    """

    found: tuple[Section, ...]
    complaints: tuple[str, ...] = ()


class CapturedSections(NamedTuple):
    """
    The sections of a document that conversations were captured in.

    Attributes:
        found: In the order they begin, at most 200.
        complaints: Everything wrong with their names, one line each.

    """

    found: tuple[CapturedSection, ...] = ()
    complaints: tuple[str, ...] = ()


class Document(Protocol):
    """A file as it was read; its parts are parsed when they are asked for, and hold no secrets."""

    @property
    def path(self) -> str:
        """Its path, absolute with links resolved."""
        ...

    @property
    def mtime(self) -> int:
        """When it was changed, in Unix seconds."""
        ...

    @property
    def file_hash(self) -> str:
        """The sha256 of its bytes."""
        ...

    @property
    def fields(self) -> FileFields:
        """The fields of its head."""
        ...

    @property
    def title(self) -> str:
        """Its title: from its fields, else its first heading, else its name."""
        ...

    @property
    def text(self) -> str:
        """Its text without formatting."""
        ...

    @property
    def summary(self) -> str:
        """The first prose of it, at most 100 words; empty without any."""
        ...

    @property
    def headings(self) -> tuple[str, ...]:
        """Its headings in order, without formatting."""
        ...

    @property
    def phrases(self) -> tuple[str, ...]:
        """The trigger phrases that its text lists, at most 20."""
        ...

    @property
    def spec_folder(self) -> str:
        """The spec folder that it belongs to, never empty."""
        ...

    @property
    def named_at(self) -> dt.datetime | None:
        """The moment that it is named after, in UTC; None without one."""
        ...

    @property
    def sections(self) -> Sections:
        """Its named sections."""
        ...

    def captured_as(self, kind: Kind) -> CapturedSections:
        """Return the sections that conversations were captured in, if the file is of a *kind* that has such."""
        ...
