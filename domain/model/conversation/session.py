"""
A part of a conversation that is about one thing.

The last chunks of a session while they grow.

One turn of a session: a prompt and its answer.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import HASH_LENGTH, IDENTITY, short_hash
from hardwon.domain.model.redaction import as_text
from hardwon.domain.model.settings import BUFFERED

MILLISECOND = 1_000  # microseconds
ENDS_OF_QUESTION = "?:. "


class Answered(NamedTuple):
    """
    A question that the agent asked by a tool, and what the user chose.

    Attributes:
        question: As it was asked, one line.
        answer: As it was given, one line.
        options: What there was to choose from, each one line.

    """

    question: str
    answer: str
    options: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """What it comes to, as a sentence: `Which port: 5432.`."""
        question, answer = self.question.rstrip(ENDS_OF_QUESTION), self.answer.rstrip(".")
        return f"{question}: {answer}." if question else self.answer


def _canonical(moment: dt.datetime) -> dt.datetime:
    """Return *moment* in UTC, to the millisecond, as transcripts have it."""
    if moment.tzinfo is None:
        raise InvalidEntryError(f"the time {moment.isoformat()} has no zone: add one, such as Z")
    utc = moment.astimezone(dt.UTC)
    return utc.replace(microsecond=utc.microsecond // MILLISECOND * MILLISECOND)


def _in_lines(answers: tuple[Answered, ...]) -> tuple[Answered, ...]:
    return tuple(Answered(as_line(a.question), as_line(a.answer), tuple(map(as_line, a.options))) for a in answers)


def as_line(text: str) -> str:
    """Return *text* as any file can hold it, on one line."""
    return " ".join(as_text(text).split())


def _says_something(exchange: "Exchange", _: object, answers: tuple[Answered, ...]) -> None:
    if not (exchange.user or exchange.assistant or answers):
        raise InvalidEntryError("an exchange in which nobody says anything is none")


@attrs.frozen
class Exchange:
    """
    A prompt and all that was answered to it; one that exists reads back from markdown as it is.

    Attributes:
        user: What the user said; empty where the agent went on by itself.
        assistant: What the agent said, without its tool calls; empty where it was interrupted.
        at: When the user said it, in UTC, to the millisecond.
        answers: What the agent asked in between, in order.

    """

    user: str = attrs.field(converter=as_text)
    assistant: str = attrs.field(converter=as_text)
    at: dt.datetime = attrs.field(converter=_canonical)
    answers: tuple[Answered, ...] = attrs.field(default=(), converter=_in_lines, validator=_says_something)

    @property
    def text(self) -> str:
        """All that was said, in order, as one text."""
        asked = (f"{answered.question} {answered.answer}" for answered in self.answers)
        return "\n\n".join(filter(None, (self.user, *asked, self.assistant)))

    def continues(self, earlier: "Exchange") -> bool:
        """Return whether this is *earlier* again, of which more was said since."""
        return (self.at, self.user) == (earlier.at, earlier.user)


PERMANENT_MARK = "[PERMANENT] "


def timestamp(moment: dt.datetime) -> str:
    """Return *moment*, which is in UTC, as ISO 8601 to the second, or to the millisecond where it has some."""
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")


def chunk_identity(project: str, first: Exchange) -> str:
    """
    Return the 16 hex digits that identify the chunk that *first* begins.

    The prompt counts, not the reply, which may still grow.
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
        project: The name of the project it was said in.
        branch: The git branch it began on, None without git.

    """

    chunk_id: str = attrs.field(validator=_identified)
    title: str = attrs.field(converter=as_line, validator=_not_blank)
    summary: str = attrs.field(converter=as_line)
    topic: str = attrs.field(converter=as_line)
    exchanges: tuple[Exchange, ...] = attrs.field(validator=_not_empty)
    metadata: Metadata = Metadata()
    session_id: str | None = attrs.field(default=None, converter=attrs.converters.optional(as_line))
    permanent: bool = False
    project: str = ""
    branch: str | None = None

    @property
    def starts_at(self) -> dt.datetime:
        """When its first exchange began."""
        return self.exchanges[0].at

    @property
    def ends_at(self) -> dt.datetime:
        """When its last exchange began."""
        return max(exchange.at for exchange in self.exchanges)


BufferSource: TypeAlias = Literal["transcript", "events"]


@attrs.frozen(kw_only=True)
class Draft:
    """
    A chunk while it grows.

    Attributes:
        topic: The words its file is named after; fixed by its first exchange.
        exchanges: In order, at least one.
        is_closed: No more will come.
        permanent: Kept for good.
        written: How many of its exchanges are in its file as they are here.
        branch: The git branch it began on; empty when nobody says.

    """

    topic: str
    exchanges: tuple[Exchange, ...]
    is_closed: bool = False
    permanent: bool = False
    written: int = 0
    branch: str = ""

    @property
    def unwritten(self) -> int:
        """How many of its exchanges are still to be written."""
        return len(self.exchanges) - self.written

    def growing(self, exchange: Exchange) -> "Draft":
        """Return the draft with *exchange* at its end."""
        return attrs.evolve(self, exchanges=(*self.exchanges, exchange))

    def with_more_of_the_last(self, exchange: Exchange) -> "Draft":
        """Return the draft with *exchange* in place of its last one, which it continues."""
        return attrs.evolve(
            self, exchanges=(*self.exchanges[:-1], exchange), written=min(self.written, len(self.exchanges) - 1)
        )


@attrs.frozen(kw_only=True)
class SessionBuffer:
    """
    What is known of a session that is captured: the rolling buffer, and how far it was read.

    Attributes:
        session_id: The session, as the host names it; empty for exchanges that belong to none.
        project_root: The project's folder.
        source: Where its exchanges come from: what the host writes down, or what the hooks were told.
        transcript_path: What the host writes; empty when there is none.
        position: Where to read on: where the last exchange taken begins, in bytes of the transcript, or the number of
            the event, as *source* says; None when that is not known, and all is read anew.
        drafts: Its last chunks, in order; only the last can be open.
        unlearned: Files that were written and that the store may not know yet.

    """

    session_id: str
    project_root: str
    source: BufferSource = "transcript"
    transcript_path: str = ""
    position: int | None = 0
    drafts: tuple[Draft, ...] = ()
    unlearned: tuple[str, ...] = ()

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges at hand, in order."""
        return tuple(exchange for draft in self.drafts for exchange in draft.exchanges)

    @property
    def unwritten(self) -> int:
        """How many of them are still to be written."""
        return sum(draft.unwritten for draft in self.drafts)

    def has(self, exchange: Exchange, begins_at: int) -> bool:
        """
        Return whether *exchange* was taken in already, as it is; the last one at hand may have grown.

        What begins behind the last one taken is new, whatever time it has; of what is read anew, what is later.

        Args:
            exchange: What was heard.
            begins_at: Where, as `position` counts.

        """
        *earlier, last = self.exchanges or (None,)
        if last is None or exchange.continues(last):
            return exchange == last
        is_behind = self.position is not None and begins_at > self.position
        return any(map(exchange.continues, filter(None, earlier))) or not (is_behind or exchange.at > last.at)

    def all_written(self, files: Iterable[str] = ()) -> "SessionBuffer":
        """Return the buffer once all of it is in *files*; the oldest chunks leave it until 20 exchanges are left."""
        written = tuple(attrs.evolve(draft, written=len(draft.exchanges)) for draft in self.drafts)
        return attrs.evolve(self, drafts=_rolled(written), unlearned=tuple(sorted({*self.unlearned, *files})))

    def kept_for_good(self) -> "SessionBuffer":
        """Return the buffer with all its chunks closed and permanent, to be written anew."""
        drafts = (attrs.evolve(draft, is_closed=True, permanent=True, written=0) for draft in self.drafts)
        return attrs.evolve(self, drafts=tuple(drafts))


def _rolled(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Return *drafts* without the oldest as long as more than 20 exchanges are at hand; the last one stays."""
    kept = list(drafts)
    while len(kept) > 1 and sum(len(draft.exchanges) for draft in kept) > BUFFERED:
        kept.pop(0)
    return tuple(kept)


def project_of(buffer: SessionBuffer | None, told: Iterable[str]) -> str:
    """
    Return the folder of the project that a session is about: the one it began in; empty when the host named none.

    Args:
        buffer: What is known of the session.
        told: The folders that its events name, in order; empty where one names none.

    """
    return next(filter(None, (buffer.project_root if buffer else "", *told)), "")
