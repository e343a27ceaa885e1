"""A file that entries are made of: fields, sections, and context type."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

import attrs

from hardwon.domain.model.vocabulary import KINDS, ContextType, Kind, Tier

TYPE_WORDS: Mapping[ContextType, tuple[str, ...]] = {
    "decision": ("decision", "decisions", "adr", "architecture"),
    "discovery": ("bug", "bugs", "bugfix", "fix", "fixes", "root cause"),
    "research": ("research", "analysis", "investigation"),
    "implementation": ("implementation", "implement", "implementing", "implemented"),
}
"""
The words that name a context type.

If words of several types occur, the first type counts: a root cause analysis is a discovery,
research for a decision is a decision.
"""

_WORD = re.compile(r"[^\W_]+")


def context_type_of(name: str, title: str, headings: Iterable[str]) -> ContextType | None:
    """
    Return the type named in the file's *name*, *title* or *headings*.

    All headings must agree. None otherwise; prose is not considered.
    """
    named = _types_in([name, title])
    found = named or _types_in(headings)
    return found[0] if named or len(found) == 1 else None


def _types_in(texts: Iterable[str]) -> list[ContextType]:
    lines = [f" {' '.join(_WORD.findall(text.casefold()))} " for text in texts]
    return [
        kind
        for kind, words in TYPE_WORDS.items()
        if any(f" {word} " in line for word in words for line in lines)
    ]


FILE_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "learning")

MAX_SECTIONS = 200
"""Upper bound of the sections of a file that become entries."""


@attrs.frozen(kw_only=True)
class FileFields:
    """
    The fields of a file, without secrets, None or empty if missing.

    Attributes:
        kind: The kind of its entry, from its head or its place.
        trigger_phrases: At most 20, as `usable_phrases` returns them.
        importance_weight: 0 to 1.
        channel: The branch it was written on, or another stream of work.
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


@attrs.frozen(kw_only=True)
class Section:
    """
    A named section of a document.

    Attributes:
        title: Its own heading without formatting; empty if missing.
        starts_at: The time of its first exchange, in UTC; None if unknown or not captured.
        is_repair: Whether it tells how a failed command was repaired.
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
    is_repair: bool = False


class CapturedSection(NamedTuple):
    """
    A section captured from a conversation, parsed on demand.

    Attributes:
        section_hash: The hash of everything that its entry is made of.
        read: Returns the section, without secrets.
    """

    anchor_id: str
    section_hash: str
    permanent: bool | None
    read: Callable[[], Section]


class NamedSections(NamedTuple):
    """
    The named sections of a document.

    Attributes:
        found: In order, at most 200.
        complaints: Problems of their names, one line each.
    """

    found: tuple[Section, ...]
    complaints: tuple[str, ...] = ()


class CapturedSections(NamedTuple):
    """The captured sections of a document, in order, at most 200."""

    found: tuple[CapturedSection, ...] = ()
    complaints: tuple[str, ...] = ()


class Document(Protocol):
    """
    A file that was read.

    Its parts are parsed on demand, and have no secrets.
    """

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
        """Its first prose, at most 100 words, if any."""
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
        """Its spec folder, never empty."""
        ...

    @property
    def named_at(self) -> dt.datetime | None:
        """The time that its name states, in UTC, if any."""
        ...

    @property
    def sections(self) -> NamedSections:
        """Its named sections."""
        ...

    def captured_as(self, kind: Kind) -> CapturedSections:
        """Return the captured sections, if *kind* is one that has them."""
        ...
