"""Merge a session's transcript with its hook events."""

import datetime as dt
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.consent import refuses
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.repair import Repair
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer, project_of
from hardwon.domain.model.conversation.session_actions import NO_ACTIONS, SessionActions
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.redaction import CUT, Cleaning, as_text
from hardwon.ports.transcripts import TranscribedExchange, Transcripts

SAME_TIME = dt.timedelta(minutes=1)
"""Exchanges dated up to this before their predecessor get a later timestamp."""

MIN_DISTANCE = dt.timedelta(milliseconds=1)


def dated_apart(
    transcript: Iterable[TranscribedExchange], buffer: SessionBuffer
) -> Iterator[TranscribedExchange]:
    """
    Make the timestamps of *transcript* unique within a session.

    Timestamp and prompt identify an exchange. Lines without a time have that of the line before,
    and some hosts round theirs. An exchange gets the same timestamp whether the transcript is read
    at once or in parts.
    """
    last, before = next(reversed(buffer.exchanges), None), None
    for transcribed in transcript:
        exchange = transcribed.exchange
        if (
            before is None
            and last
            and transcribed.begins_at == buffer.position
            and exchange.user == last.user
        ):
            exchange = attrs.evolve(exchange, at=last.at)
        elif before is not None and before - SAME_TIME < exchange.at <= before:
            exchange = attrs.evolve(exchange, at=before + MIN_DISTANCE)
        before = exchange.at
        yield transcribed._replace(exchange=exchange)


class PairedExchange(NamedTuple):
    """
    An exchange with the repairs in it.

    Attributes:
        before: The agent's actions before it.
    """

    transcribed: TranscribedExchange
    before: SessionActions
    repairs: tuple[Repair, ...]


def with_repairs(
    transcript: Iterable[TranscribedExchange], buffer: SessionBuffer
) -> Iterator[PairedExchange]:
    """
    Find the repairs in each exchange of *transcript*.

    They are the same whether the transcript is read at once or in parts.
    """
    actions: SessionActions | None = None
    for new in transcript:
        if actions is None:
            continues = new.begins_at == buffer.position
            actions = buffer.actions if continues else NO_ACTIONS
        before = actions
        if refuses(new.exchange.user):
            actions = actions.refused()
        paired = actions.after(new.actions, new.exchange.at)
        yield PairedExchange(new, before, paired.repairs)
        actions = paired.actions


WITHOUT_SECRETS = Cleaning()
"""The cleaning of events without a project."""

LONGEST_TURN = dt.timedelta(days=1)
"""A prompt without a reply for this long gets none: the session was killed."""

SAME_PROMPT = dt.timedelta(minutes=1)
"""The maximum difference between the times of a prompt in hooks and transcript."""


class UnreadExchanges(NamedTuple):
    """
    The exchanges of a session that are not captured yet.

    Attributes:
        buffer: The session, with the source of its exchanges.
        exchanges: The new exchanges, in order; the first may be the last one of *buffer*. To be
            closed: the transcript is open meanwhile.
        handled: The number of the last event that these exchanges cover.
        problem: The reason why the transcript is not used from now on; empty if it is, or never
            was.
    """

    buffer: SessionBuffer
    exchanges: Generator[TranscribedExchange, None, None]
    handled: int
    problem: str = ""


def merge_transcript(
    transcripts: Transcripts,
    known: SessionBuffer | None,
    events: Sequence[HookEvent],
    now: dt.datetime,
    clean: Cleaning = WITHOUT_SECRETS,
) -> UnreadExchanges:
    """
    Return the new exchanges of a session.

    The unfinished turn is left for later. Once events have replaced the transcript,
    they always do: the two give the same prompt different times.

    Args:
        transcripts: The hosts' transcripts.
        known: The session so far, None for a new one.
        events: Its events, in order, at least one.
        now: The time.
        clean: Applied to the texts of events, by the project of the session.
    """
    buffer = _session(known, events)
    is_over = (
        abs(now - _at(events[-1])) > LONGEST_TURN
    )  # before or after: a clock may have been set meanwhile
    unfinished = () if is_over else unanswered(events)
    handled = unfinished[0].number - 1 if unfinished else events[-1].number
    if buffer.source == "events":
        start = buffer.position or 0
        return UnreadExchanges(
            buffer,
            (new for new in exchanges_of(events, handled, clean) if new.begins_at >= start),
            handled,
        )
    try:
        return UnreadExchanges(
            buffer, _from_transcript(transcripts, buffer, events, is_over=not unfinished), handled
        )
    except UnreadableFileError as error:
        return _by_events(
            buffer, list(exchanges_of(events, handled, clean)), handled=handled, problem=str(error)
        )


def unanswered(events: Sequence[HookEvent]) -> Sequence[HookEvent]:
    """Return the events of the unfinished turn, beginning with its prompt."""
    for place in reversed(range(len(events))):
        if events[place].kind in {"reply", "end"}:
            break
        if events[place].kind == "prompt":
            return events[place:]
    return ()


def exchanges_of(
    events: Iterable[HookEvent], handled: int, clean: Cleaning = WITHOUT_SECRETS
) -> Iterator[TranscribedExchange]:
    """
    Yield the exchanges of *events* up to number *handled*.

    An exchange is a prompt with the replies that follow. A prompt followed by another prompt or the
    end has no reply; a reply without a prompt has an empty one.
    """
    prompt: HookEvent | None = None
    for event in events:
        if event.number > handled:
            break
        if event.kind == "compaction":
            continue
        if prompt and event.kind != "reply":
            yield from _exchange(prompt, "", clean)
        if event.kind == "reply":
            yield from _exchange(prompt or event._replace(text=""), event.text, clean)
        prompt = event if event.kind == "prompt" else None
    if prompt:
        yield from _exchange(prompt, "", clean)


def _exchange(beginning: HookEvent, reply: str, clean: Cleaning) -> Iterator[TranscribedExchange]:
    user, assistant = clean(beginning.text), clean(reply)
    if as_text(user) or as_text(assistant):
        exchange = Exchange(user, assistant, _at(beginning))
        yield TranscribedExchange(
            exchange, beginning.number, is_over=True, session_id=beginning.session_id
        )


def _session(known: SessionBuffer | None, events: Sequence[HookEvent]) -> SessionBuffer:
    """
    Return the session as it is now.

    A transcript with a new path is read from the beginning.
    """
    root = project_of(known, (event.project_root for event in events))
    buffer = known or SessionBuffer(session_id=events[0].session_id, project_root=root)
    named = next((event.transcript_path for event in reversed(events) if event.transcript_path), "")
    path = named or buffer.transcript_path
    has_moved = (
        bool(buffer.exchanges) and path != buffer.transcript_path and buffer.source == "transcript"
    )
    position = None if has_moved else buffer.position
    return attrs.evolve(
        buffer, project_root=root, transcript_path=path, position=position, is_past=False
    )


def _from_transcript(
    transcripts: Transcripts, buffer: SessionBuffer, events: Sequence[HookEvent], *, is_over: bool
) -> Generator[TranscribedExchange, None, None]:
    """
    Return the exchanges of the transcript.

    If it has none, this raises at once, not in the iteration.
    """
    if not buffer.transcript_path:
        raise UnreadableFileError("the host names no transcript")
    exchanges = transcripts.read(buffer.transcript_path, buffer.position or 0)
    first = next(exchanges, None)
    if first is None:
        raise UnreadableFileError(f"{buffer.transcript_path!r} holds no exchange")
    ended = [_at(event) for event in events if event.kind in {"reply", "end"}]
    last = max([*ended, *(exchange.at for exchange in buffer.exchanges[-1:])], default=None)
    takes_all = is_over or events[-1].kind != "prompt"
    return (
        found
        for found in chain([first], exchanges)
        if takes_all or found.is_over or (last is not None and found.exchange.at <= last)
    )


def _by_events(
    buffer: SessionBuffer, every: Iterable[TranscribedExchange], handled: int, problem: str
) -> UnreadExchanges:
    """
    Return the exchanges of the events.

    Without any, the transcript may still appear.
    """
    exchanges = [new for found in every if (new := _new(found, buffer))]
    if not exchanges:
        return UnreadExchanges(buffer, _each(()), handled)
    return UnreadExchanges(
        buffer=attrs.evolve(buffer, source="events", position=0),
        exchanges=_each(exchanges),
        handled=handled,
        problem=problem,
    )


def _each(exchanges: Iterable[TranscribedExchange]) -> Generator[TranscribedExchange, None, None]:
    yield from exchanges


def _new(found: TranscribedExchange, buffer: SessionBuffer) -> TranscribedExchange | None:
    exchange = found.exchange
    same = [known for known in buffer.exchanges if _is_same(exchange, known)]
    if not same:
        return found
    known, reply = same[-1], exchange.assistant.removesuffix(CUT)
    if reply in known.assistant or known != buffer.exchanges[-1]:
        return None
    return found._replace(
        exchange=attrs.evolve(known, assistant=f"{known.assistant}\n\n{exchange.assistant}")
    )


def _is_same(exchange: Exchange, known: Exchange) -> bool:
    prompt = exchange.user.removesuffix(CUT)
    has_same_prompt = prompt == known.user or (
        prompt != exchange.user and known.user.startswith(prompt)
    )
    return has_same_prompt and abs(known.at - exchange.at) <= SAME_PROMPT


def _at(event: HookEvent) -> dt.datetime:
    return dt.datetime.fromisoformat(event.at)
