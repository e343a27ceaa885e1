"""
Give each exchange of a session a moment of its own: it is known by that, and by its prompt.

What was said in a session: as its host wrote it down, else as the hooks were told.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer, project_of
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.redaction import CUT, Cleaning, as_text
from hardwon.ports.transcripts import Transcribed, Transcripts

SAME_MOMENT = dt.timedelta(minutes=1)
"""One that is dated so little before another it follows has no moment of its own; beyond, clocks were set."""

ONE_LATER = dt.timedelta(milliseconds=1)


def dated_apart(heard: Iterable[Transcribed], buffer: SessionBuffer) -> Iterator[Transcribed]:
    """
    Yield what was *heard*, each exchange at least a millisecond after the one before it.

    Lines without a time have that of the line before, and some hosts round
    theirs. Read at one go or in parts, an exchange has the same moment.

    Args:
        heard: In order, from the beginning or from the last exchange of *buffer* on.
        buffer: The session as it was.

    """
    last, before = next(reversed(buffer.exchanges), None), None
    for each in heard:
        exchange = each.exchange
        if before is None and last and each.begins_at == buffer.position and exchange.user == last.user:
            exchange = attrs.evolve(exchange, at=last.at)
        elif before is not None and before - SAME_MOMENT < exchange.at <= before:
            exchange = attrs.evolve(exchange, at=before + ONE_LATER)
        before = exchange.at
        yield each._replace(exchange=exchange)


WITHOUT_SECRETS = Cleaning()
"""For who knows of no project."""

LONGEST_TURN = dt.timedelta(days=1)
"""A prompt without a reply for so long gets none: the session was killed."""

SAME_PROMPT = dt.timedelta(minutes=1)
"""The hooks and the transcript give a prompt times at most so far apart."""


class Heard(NamedTuple):
    """
    What there is to take in of a session.

    Attributes:
        buffer: The session, with where its exchanges come from.
        exchanges: What is new, in order; it may begin with the last exchange at hand.
        handled: The number of the last event that is dealt with when these are taken in.
        trouble: Why the transcript is not used from now on; empty when it is, or never was.

    """

    buffer: SessionBuffer
    exchanges: Iterable[Transcribed]
    handled: int
    trouble: str = ""


def hear(
    transcripts: Transcripts,
    known: SessionBuffer | None,
    events: Sequence[HookEvent],
    now: dt.datetime,
    clean: Cleaning = WITHOUT_SECRETS,
) -> Heard:
    """
    Return what is new of a session.

    The turn that goes on is left for later. Once the events had to do for the
    transcript, they always do: the two name the same prompt by different times.

    Args:
        transcripts: What hosts write down.
        known: The session as it was, None for a new one.
        events: Its events, in order, at least one.
        now: The time.
        clean: What the events tell goes through it, by the project of the session.

    """
    buffer = _session(known, events)
    going_on = () if _at(events[-1]) < now - LONGEST_TURN else unanswered(events)
    handled = going_on[0].number - 1 if going_on else events[-1].number
    if buffer.source == "events":
        start = buffer.position or 0
        return Heard(buffer, (each for each in told(events, handled, clean) if each.begins_at >= start), handled)
    try:
        return Heard(buffer, _from_transcript(transcripts, buffer, events, is_over=not going_on), handled)
    except UnreadableFileError as error:
        return _by_events(buffer, list(told(events, handled, clean)), handled, str(error))


def unanswered(events: Sequence[HookEvent]) -> Sequence[HookEvent]:
    """Return the last of *events* from the prompt on whose turn is not over."""
    for place in reversed(range(len(events))):
        if events[place].kind in {"reply", "end"}:
            break
        if events[place].kind == "prompt":
            return events[place:]
    return ()


def told(events: Iterable[HookEvent], handled: int, clean: Cleaning = WITHOUT_SECRETS) -> Iterator[Transcribed]:
    """
    Yield the exchanges that *events* up to number *handled* tell of: prompts, each with the reply that follows.

    A prompt that another one or the end follows has no reply; a reply alone is what the agent did by itself.
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


def _exchange(beginning: HookEvent, reply: str, clean: Cleaning) -> Iterator[Transcribed]:
    user, assistant = clean(beginning.text), clean(reply)
    if as_text(user) or as_text(assistant):
        exchange = Exchange(user, assistant, _at(beginning))
        yield Transcribed(exchange, beginning.number, is_over=True, session_id=beginning.session_id)


def _session(known: SessionBuffer | None, events: Sequence[HookEvent]) -> SessionBuffer:
    """Return the session as it is now; a transcript that moved is read anew."""
    root = project_of(known, (event.project_root for event in events))
    buffer = known or SessionBuffer(session_id=events[0].session_id, project_root=root)
    named = next((event.transcript_path for event in reversed(events) if event.transcript_path), "")
    path = named or buffer.transcript_path
    has_moved = bool(buffer.exchanges) and path != buffer.transcript_path and buffer.source == "transcript"
    position = None if has_moved else buffer.position
    return attrs.evolve(buffer, project_root=root, transcript_path=path, position=position)


def _from_transcript(
    transcripts: Transcripts, buffer: SessionBuffer, events: Sequence[HookEvent], *, is_over: bool
) -> Iterator[Transcribed]:
    """Return what the transcript has; raises when it has nothing, before the first exchange is asked for."""
    if not buffer.transcript_path:
        raise UnreadableFileError("the host names no transcript")
    exchanges = transcripts.read(buffer.transcript_path, buffer.position or 0)
    first = next(exchanges, None)
    if first is None:
        raise UnreadableFileError(f"{buffer.transcript_path!r} holds no exchange")
    every = chain([first], exchanges)
    if is_over or events[-1].kind != "prompt":
        return every
    ended = [_at(event) for event in events if event.kind in {"reply", "end"}]
    last = max([*ended, *(exchange.at for exchange in buffer.exchanges[-1:])], default=None)
    return (each for each in every if each.is_over or (last is not None and each.exchange.at <= last))


def _by_events(buffer: SessionBuffer, every: Iterable[Transcribed], handled: int, trouble: str) -> Heard:
    """Return what the events tell; nothing, and the transcript may still come, when that is nothing."""
    exchanges = [new for each in every if (new := _new(each, buffer))]
    if not exchanges:
        return Heard(buffer, (), handled)
    return Heard(attrs.evolve(buffer, source="events", position=0), exchanges, handled, trouble)


def _new(each: Transcribed, buffer: SessionBuffer) -> Transcribed | None:
    """Return what *each* adds to what the transcript gave before it was gone, None when that is nothing."""
    told = each.exchange
    same = [known for known in buffer.exchanges if _is_again(told, known)]
    if not same:
        return each
    known, reply = same[-1], told.assistant.removesuffix(CUT)
    if reply in known.assistant or known != buffer.exchanges[-1]:
        return None
    return each._replace(exchange=attrs.evolve(known, assistant=f"{known.assistant}\n\n{told.assistant}"))


def _is_again(told: Exchange, known: Exchange) -> bool:
    prompt = told.user.removesuffix(CUT)
    is_same = prompt == known.user or (prompt != told.user and known.user.startswith(prompt))
    return is_same and abs(known.at - told.at) <= SAME_PROMPT


def _at(event: HookEvent) -> dt.datetime:
    return dt.datetime.fromisoformat(event.at)
