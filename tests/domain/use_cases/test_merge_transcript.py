"""Merging a transcript: the unread exchanges of a session, and the events they handle."""

import datetime as dt
from collections.abc import Iterator, Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.domain.model.conversation.session import DraftChunk, Exchange, SessionBuffer
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.use_cases.merge_transcript import (
    UnreadExchanges,
    exchanges_of,
    merge_transcript,
)
from hardwon.ports.transcripts import TranscribedExchange
from tests.strategies import DAY, NOW

MINUTE = dt.timedelta(minutes=1)
LATER = NOW + DAY / 2
PATH = "/transcript"


class Transcript:
    """A transcript that gives these exchanges, each 100 bytes long; None when it is gone."""

    def __init__(self, exchanges: Sequence[Exchange] | None) -> None:
        self._exchanges = exchanges

    def read(self, path: str, position: int = 0) -> Iterator[TranscribedExchange]:
        if self._exchanges is None or path != PATH:
            raise UnreadableFileError(f"{path!r} is gone")
        for place, exchange in enumerate(self._exchanges):
            if place * 100 >= position:
                yield TranscribedExchange(
                    exchange, place * 100, is_over=place < len(self._exchanges) - 1
                )


GONE = Transcript(None)


def events(*kinds: EventKind, path: str = PATH) -> list[HookEvent]:
    """Return events a minute apart; prompts and replies are named by their numbers."""
    return [
        HookEvent(
            session_id="one",
            kind=kind,
            at=(NOW + place * MINUTE).isoformat(),
            project_root="/project",
            transcript_path=path,
            text=f"{kind} {place}" if kind in {"prompt", "reply"} else "",
            number=place,
        )
        for place, kind in enumerate(kinds, 1)
    ]


def utterances(unread: UnreadExchanges) -> list[tuple[str, str]]:
    return [
        (transcribed.exchange.user, transcribed.exchange.assistant)
        for transcribed in unread.exchanges
    ]


def exchange(minute: float, user: str = "asked", assistant: str = "answered") -> Exchange:
    return Exchange(user, assistant, NOW + minute * MINUTE)


def buffer_with(*exchanges: Exchange, position: int = 0) -> SessionBuffer:
    drafts = (
        (DraftChunk(topic="topic", exchanges=exchanges, written=len(exchanges)),)
        if exchanges
        else ()
    )
    return SessionBuffer(
        session_id="one",
        project_root="/project",
        transcript_path=PATH,
        position=position,
        drafts=drafts,
    )


@pytest.mark.parametrize(
    ("kinds", "exchanges", "handled"),
    [
        (["prompt", "reply"], [("prompt 1", "reply 2")], 2),
        (["prompt"], [], 0),
        (["reply"], [("", "reply 1")], 1),
        (["prompt", "reply", "prompt"], [("prompt 1", "reply 2")], 2),
        (["prompt", "prompt", "reply"], [("prompt 1", ""), ("prompt 2", "reply 3")], 3),
        (["prompt", "end"], [("prompt 1", "")], 2),
        (["prompt", "compaction", "reply"], [("prompt 1", "reply 3")], 3),
        (["prompt", "compaction"], [], 0),
        (["prompt", "reply", "reply"], [("prompt 1", "reply 2"), ("", "reply 3")], 3),
        (["end", "compaction"], [], 2),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else str(value),
)
def test_without_a_transcript_prompts_go_with_the_replies_that_follow(
    kinds: list[EventKind], exchanges: list[tuple[str, str]], handled: int
) -> None:
    unread = merge_transcript(GONE, None, events(*kinds), LATER)

    assert utterances(unread) == exchanges
    assert unread.handled == handled


@given(
    kinds=st.lists(
        st.sampled_from(["prompt", "reply", "compaction", "end"]), min_size=1, max_size=12
    )
)
def test_every_prompt_and_reply_is_reported_once_or_left_for_later(kinds: list[EventKind]) -> None:
    unread = merge_transcript(GONE, None, events(*kinds), LATER)
    texts = [text for pair in utterances(unread) for text in pair if text]
    there = [
        event.text for event in events(*kinds) if event.text and event.number <= unread.handled
    ]

    assert texts == there


@given(
    kinds=st.lists(
        st.sampled_from(["prompt", "reply", "compaction", "end"]), min_size=1, max_size=12
    ),
    cut=st.integers(1, 12),
)
def test_events_that_come_in_two_parts_tell_the_same(kinds: list[EventKind], cut: int) -> None:
    every = events(*kinds)
    once = list(merge_transcript(GONE, None, every, LATER).exchanges)
    first = merge_transcript(GONE, None, every[:cut], LATER)
    taken = list(first.exchanges)
    known = attrs.evolve(first.buffer, source="events")
    rest = [event for event in every if event.number > first.handled]
    taken += merge_transcript(GONE, known, rest, LATER).exchanges if rest else ()

    def texts(exchanges: Sequence[TranscribedExchange]) -> list[str]:
        return [
            part
            for exchange in exchanges
            for part in (exchange.exchange.user, exchange.exchange.assistant)
            if part
        ]

    assert texts(taken) == texts(once)


def test_empty_text_is_no_exchange() -> None:
    blank = [event._replace(text=" \n") for event in events("prompt", "reply")]

    assert list(exchanges_of(blank, 2)) == []
    assert merge_transcript(GONE, None, blank, LATER).handled == 2


def test_the_transcript_is_read_from_where_it_was_left() -> None:
    transcript = Transcript([exchange(minute) for minute in range(3)])
    unread = merge_transcript(
        transcript, buffer_with(exchange(1), position=100), events("reply"), LATER
    )

    assert [each.begins_at for each in unread.exchanges] == [100, 200]
    assert (unread.buffer.source, unread.problem, unread.handled) == ("transcript", "", 1)


def test_the_turn_that_goes_on_is_left_for_later() -> None:
    waiting = events("prompt", "reply", "prompt")
    transcript = Transcript([exchange(1), exchange(3)])
    unread = merge_transcript(transcript, None, waiting, LATER)

    assert [transcribed.exchange for transcribed in unread.exchanges] == [exchange(1)]
    assert unread.handled == 2


def test_a_turn_that_is_over_is_taken_though_the_next_prompt_is_not_written_yet() -> None:
    unread = merge_transcript(
        Transcript([exchange(1)]), None, events("prompt", "reply", "prompt"), LATER
    )

    assert [transcribed.exchange for transcribed in unread.exchanges] == [exchange(1)]


def test_the_first_prompt_of_a_session_is_left_for_later() -> None:
    assert (
        list(merge_transcript(Transcript([exchange(1)]), None, events("prompt"), LATER).exchanges)
        == []
    )


@pytest.mark.parametrize("kind", ["reply", "compaction", "end"])
def test_at_a_reply_a_compaction_and_the_end_all_is_taken(kind: EventKind) -> None:
    transcript = Transcript([exchange(1), exchange(3)])

    assert (
        len(
            list(
                merge_transcript(
                    transcript, None, events("prompt", "reply", "prompt", kind), LATER
                ).exchanges
            )
        )
        == 2
    )


def test_a_prompt_without_a_reply_for_a_day_gets_none() -> None:
    waiting = events("prompt", "reply", "prompt")
    too_late = NOW + 2 * DAY
    by_events, by_transcript = (
        merge_transcript(GONE, None, waiting, too_late),
        merge_transcript(Transcript([exchange(1), exchange(3)]), None, waiting, too_late),
    )

    assert utterances(by_events) == [("prompt 1", "reply 2"), ("prompt 3", "")]
    assert len(list(by_transcript.exchanges)) == 2
    assert by_events.handled == by_transcript.handled == 3


@pytest.mark.parametrize("transcript", [GONE, Transcript([])], ids=["gone", "empty"])
def test_an_unusable_transcript_is_abandoned_with_a_message(transcript: Transcript) -> None:
    unread = merge_transcript(
        transcript, buffer_with(exchange(-60), position=100), events("prompt", "reply"), LATER
    )

    assert utterances(unread) == [("prompt 1", "reply 2")]
    assert (unread.buffer.source, unread.buffer.position) == ("events", 0)
    assert PATH in unread.problem
    known = attrs.evolve(unread.buffer, position=1)
    again = merge_transcript(
        Transcript([exchange(1)]), known, events("prompt", "reply", "prompt", "reply"), LATER
    )
    assert utterances(again) == [("prompt 1", "reply 2"), ("prompt 3", "reply 4")]
    assert again.problem == ""


def test_a_host_that_names_no_transcript_is_reported() -> None:
    unread = merge_transcript(
        Transcript([exchange(1)]), None, events("prompt", "reply", path=""), LATER
    )

    assert utterances(unread) == [("prompt 1", "reply 2")]
    assert "names no transcript" in unread.problem


def test_a_transcript_that_is_not_there_yet_may_still_come() -> None:
    unread = merge_transcript(GONE, None, events("prompt"), LATER)

    assert (unread.buffer.source, unread.problem, utterances(unread)) == ("transcript", "", [])


def test_exchanges_of_a_vanished_transcript_are_not_returned_twice() -> None:
    known = buffer_with(Exchange("prompt 1", "more than reply 2", NOW + MINUTE / 2))
    unread = merge_transcript(GONE, known, events("prompt", "reply", "prompt", "reply"), LATER)

    assert utterances(unread) == [("prompt 3", "reply 4")]


@pytest.mark.parametrize("written", ["", "so far"])
def test_a_turn_that_went_on_after_it_was_read_is_merged_to_its_end(written: str) -> None:
    known = buffer_with(exchange(-9), Exchange("prompt 1", written, NOW + MINUTE / 2))
    unread = merge_transcript(GONE, known, events("prompt", "compaction", "reply"), LATER)
    [grown] = [transcribed.exchange for transcribed in unread.exchanges]

    assert grown.continues(known.exchanges[-1])
    assert grown.assistant == f"{written}\n\nreply 3".strip()


def test_text_of_events_is_cleaned_by_the_project_of_the_session() -> None:
    waiting = [
        event._replace(text=f"{event.text} in /link/src/a.py")
        for event in events("prompt", "reply")
    ]
    unread = merge_transcript(GONE, None, waiting, LATER, Cleaning("/real", other_roots=("/link",)))

    assert utterances(unread) == [("prompt 1 in src/a.py", "reply 2 in src/a.py")]


def test_a_run_that_was_cut_off_goes_on_behind_the_last_event_it_took() -> None:
    known = attrs.evolve(buffer_with(), source="events", position=3)
    unread = merge_transcript(
        GONE, known, events("prompt", "reply", "prompt", "reply", "prompt", "reply"), LATER
    )

    assert utterances(unread) == [("prompt 3", "reply 4"), ("prompt 5", "reply 6")]


def test_a_session_stays_where_it_began_and_its_transcript_may_move() -> None:
    first, second = events("prompt", "reply")
    moved = [
        first._replace(project_root=""),
        second._replace(project_root="/elsewhere", transcript_path="/moved"),
    ]

    assert merge_transcript(GONE, None, moved, LATER).buffer.project_root == "/elsewhere"
    unread = merge_transcript(GONE, buffer_with(), moved, LATER)
    assert (unread.buffer.project_root, unread.buffer.transcript_path) == ("/project", "/moved")


def test_a_transcript_that_moved_is_read_from_its_beginning() -> None:
    transcript = Transcript([exchange(minute) for minute in range(3)])
    known = attrs.evolve(buffer_with(exchange(1), position=100), transcript_path="/before")
    unread = merge_transcript(transcript, known, events("reply"), LATER)

    assert [transcribed.begins_at for transcribed in unread.exchanges] == [0, 100, 200]
    assert unread.buffer.position is None
