"""A session in memory: exchanges, chunks, and the rolling buffer of capture."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import attrs

from hardwon.domain.model.conversation.repair import Repair
from hardwon.domain.model.conversation.session_actions import NO_ACTIONS, SessionActions
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.identity import HASH_LENGTH, IDENTITY, short_hash
from hardwon.domain.model.redaction import as_text
from hardwon.domain.model.settings import BUFFERED

MILLISECOND = 1_000  # microseconds
ENDS_OF_QUESTION = "?:. "


class Answered(NamedTuple):
    """
    A question that the agent asked by a tool, with the answer.

    Attributes:
        options: The choices offered, each one line.
    """

    question: str
    answer: str
    options: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """Question and answer as a sentence: `Which port: 5432.`."""
        question, answer = self.question.rstrip(ENDS_OF_QUESTION), self.answer.rstrip(".")
        return f"{question}: {answer}." if question else self.answer


def _canonical(time: dt.datetime) -> dt.datetime:
    if time.tzinfo is None:
        raise InvalidEntryError(f"the time {time.isoformat()} has no zone: add one, such as Z")
    utc = time.astimezone(dt.UTC)
    return utc.replace(microsecond=utc.microsecond // MILLISECOND * MILLISECOND)


def _in_lines(answers: tuple[Answered, ...]) -> tuple[Answered, ...]:
    return tuple(
        Answered(as_line(pair.question), as_line(pair.answer), tuple(map(as_line, pair.options)))
        for pair in answers
    )


def as_line(text: str) -> str:
    """Return *text* on one line, as any file can hold it."""
    return " ".join(as_text(text).split())


def _not_silent(exchange: "Exchange", _: object, answers: tuple[Answered, ...]) -> None:
    if not (exchange.user or exchange.assistant or answers):
        raise InvalidEntryError("an exchange needs a prompt or a reply")


@attrs.frozen
class Exchange:
    """
    A prompt and the answer to it.

    An `Exchange` reads back from markdown unchanged.

    Attributes:
        user: The prompt; empty where the agent continued by itself.
        assistant: The reply without tool calls; empty where it was interrupted.
        at: The time of the prompt, in UTC, to the millisecond.
        answers: The questions that the agent asked in between, in order.
    """

    user: str = attrs.field(converter=as_text)
    assistant: str = attrs.field(converter=as_text)
    at: dt.datetime = attrs.field(converter=_canonical)
    answers: tuple[Answered, ...] = attrs.field(
        default=(), converter=_in_lines, validator=_not_silent
    )

    @property
    def text(self) -> str:
        """All its texts, joined in order."""
        asked = (f"{answered.question} {answered.answer}" for answered in self.answers)
        return "\n\n".join(filter(None, (self.user, *asked, self.assistant)))

    def continues(self, earlier: "Exchange") -> bool:
        """
        Return whether this is *earlier* with a longer reply.

        Timestamp and prompt identify an exchange.
        """
        return (self.at, self.user) == (earlier.at, earlier.user)


def timestamp(time: dt.datetime) -> str:
    """
    Return *time*, in UTC, as ISO 8601.

    It has milliseconds only where they are not zero.
    """
    return time.isoformat(timespec="milliseconds" if time.microsecond else "seconds").replace(
        "+00:00", "Z"
    )


def chunk_identity(project: str, first: Exchange) -> str:
    """
    Return the id of the chunk that *first* begins, 16 hex digits.

    The prompt is hashed, not the reply, which may still grow.
    """
    return short_hash("conversation", project, timestamp(first.at), first.user or first.assistant)


def _lines(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(as_line, items))


@attrs.frozen(kw_only=True)
class ChunkMetadata:
    """
    The metadata of a chunk.

    All values are distinct, in order of appearance, one line each.

    Attributes:
        projects: The user's own first, then others that are named.
        files: Paths, relative to the project's folder.
        areas: Of devops, infrastructure, security and code-quality.
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
        raise InvalidEntryError(
            f"the chunk's id is {value[:80]!r}: it has {HASH_LENGTH} hex digits"
        )


def _not_blank(_: object, __: object, value: str) -> None:
    if not value:
        raise InvalidEntryError("a chunk's title is blank")


def _not_empty(_: object, __: object, value: tuple[Exchange, ...]) -> None:
    if not value:
        raise InvalidEntryError("a chunk needs an exchange")


@attrs.frozen(kw_only=True)
class Chunk:
    """
    Consecutive exchanges on one topic, with their description.

    Attributes:
        title: One line, not blank, at most 100 characters; begins with `[PERMANENT] ` if permanent.
        summary: Two or three of its sentences, one line; fewer where it has no more.
        topic: The words its file is named after, small letters and digits with one space between.
        permanent: Whether it never expires and is never pruned.
    """

    chunk_id: str = attrs.field(validator=_identified)
    title: str = attrs.field(converter=as_line, validator=_not_blank)
    summary: str = attrs.field(converter=as_line)
    topic: str = attrs.field(converter=as_line)
    exchanges: tuple[Exchange, ...] = attrs.field(validator=_not_empty)
    metadata: ChunkMetadata = ChunkMetadata()
    session_id: str | None = attrs.field(default=None, converter=attrs.converters.optional(as_line))
    permanent: bool = False
    project: str = ""
    branch: str | None = None

    @property
    def starts_at(self) -> dt.datetime:
        """The time of its first exchange."""
        return self.exchanges[0].at

    @property
    def ends_at(self) -> dt.datetime:
        """The time of its last exchange."""
        return max(exchange.at for exchange in self.exchanges)

    def without_gotchas(self, causes: Sequence[str]) -> "Chunk":
        """Drop the gotchas that state one of *causes*: a repair has them."""
        gotchas = (
            text for text in self.metadata.gotchas if not any(cause in text for cause in causes)
        )
        return attrs.evolve(self, metadata=attrs.evolve(self.metadata, gotchas=tuple(gotchas)))


READING = 1
"""The version of reading a transcript. Version 0 found no repairs."""

MAX_REPAIRS = 50
MAX_DECIDED = 200
"""Signatures of a session that are known as decided."""

BufferSource: TypeAlias = Literal["transcript", "events"]


@attrs.frozen(kw_only=True)
class DraftChunk:
    """
    A chunk that may still grow.

    Attributes:
        topic: The words its file is named after; fixed by its first exchange.
        written: How many of its exchanges are in its file, unchanged since.
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

    def growing(self, exchange: Exchange) -> "DraftChunk":
        """Append *exchange*."""
        return attrs.evolve(self, exchanges=(*self.exchanges, exchange))

    def with_more_of_the_last(self, exchange: Exchange) -> "DraftChunk":
        """Replace the last exchange by *exchange*, which continues it."""
        return attrs.evolve(
            self,
            exchanges=(*self.exchanges[:-1], exchange),
            written=min(self.written, len(self.exchanges) - 1),
        )

    def split(self, place: int, topic: str) -> "tuple[DraftChunk, DraftChunk]":
        """
        Return the exchanges before *place*, closed, and the others on *topic*.

        A file that has exchanges of both is out of date.
        """
        before, after = self.exchanges[:place], self.exchanges[place:]
        return (
            attrs.evolve(
                self,
                exchanges=before,
                is_closed=True,
                written=self.written if self.written <= place else 0,
            ),
            attrs.evolve(self, exchanges=after, topic=topic, written=0),
        )


@attrs.frozen(kw_only=True)
class SessionBuffer:
    """
    The rolling buffer of a captured session, with its read position.

    Attributes:
        session_id: The session, by the host's name; empty for exchanges that belong to none.
        source: The origin of its exchanges: the host's transcript, or the events of the hooks.
        position: Where to continue reading, by *source*: the byte of the transcript where the last
            exchange read begins, or the number of the event; None to read from the start.
        drafts: Its last chunks, in order; only the last can be open.
        unlearned: Files that were written but may not be indexed yet.
        actions: The agent's actions before the exchange at `position`.
        repairs: Candidates: repairs that are no memories yet, one for each signature.
        decided: Signatures of repairs that were kept or dropped.
        reading: The version in which its transcript was read from the beginning.
        is_past: Whether it was captured as an earlier session, and did not go on since.
    """

    session_id: str
    project_root: str
    source: BufferSource = "transcript"
    transcript_path: str = ""
    position: int | None = 0
    drafts: tuple[DraftChunk, ...] = ()
    unlearned: tuple[str, ...] = ()
    actions: SessionActions = NO_ACTIONS
    repairs: tuple[Repair, ...] = ()
    decided: tuple[str, ...] = ()
    reading: int = READING
    is_past: bool = False

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The buffered exchanges, in order."""
        return tuple(exchange for draft in self.drafts for exchange in draft.exchanges)

    @property
    def unwritten(self) -> int:
        """How many exchanges are still to be written."""
        return sum(draft.unwritten for draft in self.drafts)

    @property
    def is_settled(self) -> bool:
        """Whether all of it is written and indexed."""
        return not (self.unwritten or self.unlearned)

    def has(self, exchange: Exchange, begins_at: int) -> bool:
        """
        Return whether *exchange* was merged already, unchanged.

        The last buffered one may have grown. An exchange after `position` is new whatever its time;
        before it, or without a position, one that is later than the last.

        Args:
            exchange: An exchange of the transcript or the events.
            begins_at: Its position, in the units of `position`.
        """
        *earlier, last = self.exchanges or (None,)
        if last is None or exchange.continues(last):
            return exchange == last
        is_behind = self.position is not None and begins_at > self.position
        return any(map(exchange.continues, filter(None, earlier))) or not (
            is_behind or exchange.at > last.at
        )

    def all_written(self, files: Iterable[str] = ()) -> "SessionBuffer":
        """
        Return the buffer after it was written to *files*.

        The oldest chunks are dropped down to 20 exchanges.
        """
        written = tuple(attrs.evolve(draft, written=len(draft.exchanges)) for draft in self.drafts)
        return attrs.evolve(
            self, drafts=_rolled(written), unlearned=tuple(sorted({*self.unlearned, *files}))
        )

    def with_repairs(self, repairs: Iterable[Repair]) -> "SessionBuffer":
        """Add undecided *repairs*, of which one with a cause replaces one without."""
        found = {repair.signature: repair for repair in self.repairs}
        for repair in repairs:
            known = found.get(repair.signature)
            if repair.signature not in self.decided and (known is None or not known.cause):
                found[repair.signature] = repair
        return attrs.evolve(self, repairs=tuple(found.values())[-MAX_REPAIRS:])

    def with_decided(self, repairs: Iterable[Repair]) -> "SessionBuffer":
        """Drop *repairs* from the candidates, for good."""
        signatures = {repair.signature for repair in repairs}
        left = tuple(item for item in self.repairs if item.signature not in signatures)
        decided = tuple(dict.fromkeys((*self.decided, *sorted(signatures))))
        return attrs.evolve(self, repairs=left, decided=decided[-MAX_DECIDED:])

    def kept_for_good(self) -> "SessionBuffer":
        """Close all chunks, and make them permanent and to be rewritten."""
        drafts = (
            attrs.evolve(draft, is_closed=True, permanent=True, written=0) for draft in self.drafts
        )
        return attrs.evolve(self, drafts=tuple(drafts))


def _rolled(drafts: Iterable[DraftChunk]) -> tuple[DraftChunk, ...]:
    kept = list(drafts)
    while len(kept) > 1 and sum(len(draft.exchanges) for draft in kept) > BUFFERED:
        kept.pop(0)
    return tuple(kept)


def project_of(buffer: SessionBuffer | None, folders: Iterable[str]) -> str:
    """
    Return the project folder in which a session began.

    Empty if the host named none.
    """
    return next(filter(None, (buffer.project_root if buffer else "", *folders)), "")
