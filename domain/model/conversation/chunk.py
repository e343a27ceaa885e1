"""A part of a conversation that is about one thing."""

import datetime as dt
from collections.abc import Iterable

import attrs

from hardwon.domain.model.conversation.exchange import Exchange, as_line
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import HASH_LENGTH, IDENTITY, short_hash

PERMANENT_MARK = "[PERMANENT] "


def timestamp(moment: dt.datetime) -> str:
    """Return *moment*, which is in UTC, as ISO 8601 to the second, or to the millisecond where it has some."""
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")


def chunk_identity(project: str, first: Exchange) -> str:
    """
    Return the 16 hex digits that identify the chunk which *first* begins (rule U-3).

    It is what the user said that counts, as the reply may still grow (M-C4).
    """
    return short_hash("conversation", project, timestamp(first.at), first.user or first.assistant)


def _lines(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(as_line, items))


@attrs.frozen(kw_only=True)
class Metadata:
    """
    What a chunk is about; all in order of appearance, without repeats, each one line.

    Attributes:
        projects: The user's own first, then others that are named.
        files: Paths, from the project's folder.
        commands: Slash commands, such as `/tlc:plan`.
        decisions: Sentences that decide something.
        gotchas: Sentences that warn of a trap.
        preferences: Sentences that tell how the user wants it.
        areas: What is always recorded: devops, infrastructure, security, code-quality.
        phases: Numbers of the phases that are named.

    """

    projects: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    files: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    commands: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    decisions: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    gotchas: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    preferences: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    areas: tuple[str, ...] = attrs.field(default=(), converter=_lines)
    phases: tuple[str, ...] = attrs.field(default=(), converter=_lines)


def _identified(_: object, __: object, value: str) -> None:
    if not IDENTITY.fullmatch(value):
        raise InvalidEntryError(f"the chunk's id is {value[:80]!r}: it has {HASH_LENGTH} hex digits")


def _not_blank(_: object, __: object, value: str) -> None:
    if not value:
        raise InvalidEntryError("a chunk's title is blank")


def _not_empty(_: object, __: object, value: tuple[Exchange, ...]) -> None:
    if not value:
        raise InvalidEntryError("a chunk without an exchange is none")


@attrs.frozen(kw_only=True)
class Chunk:
    """
    Some exchanges that belong together.

    Attributes:
        chunk_id: Its identity: 16 hex digits, see `chunk_identity`.
        title: One line, not blank, at most 100 characters; begins with `[PERMANENT] ` when it is kept for good.
        summary: Two or three of its sentences, one line; fewer where it has no more.
        topic: The words its file is named after, small letters and digits with one space between.
        exchanges: In order, at least one.
        metadata: What it is about.
        session_id: The session it comes from, one line; None when unknown.
        permanent: Kept for good.

    """

    chunk_id: str = attrs.field(validator=_identified)
    title: str = attrs.field(converter=as_line, validator=_not_blank)
    summary: str = attrs.field(converter=as_line)
    topic: str = attrs.field(converter=as_line)
    exchanges: tuple[Exchange, ...] = attrs.field(validator=_not_empty)
    metadata: Metadata = Metadata()
    session_id: str | None = attrs.field(default=None, converter=attrs.converters.optional(as_line))
    permanent: bool = False

    @property
    def starts_at(self) -> dt.datetime:
        """When its first exchange began."""
        return self.exchanges[0].at

    @property
    def ends_at(self) -> dt.datetime:
        """When its last exchange began."""
        return max(exchange.at for exchange in self.exchanges)
