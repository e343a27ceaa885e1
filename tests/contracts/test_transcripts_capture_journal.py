import contextlib
import datetime as dt
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from typing import TypeAlias

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.sqlite.capture_journal import SqliteCaptureJournal
from hardwon.domain.model.conversation.hook_event import (
    EventKind,
    HookEvent,
    NotedProject,
    WaitingEvents,
)
from hardwon.domain.model.conversation.session import DraftChunk, Exchange, SessionBuffer
from hardwon.ports.transcripts import CaptureJournal
from tests.conversations import MINUTE, exchanges
from tests.fakes.transcripts import InMemoryCaptureJournal
from tests.strategies import DAY, NOW, anything, few_examples

Make: TypeAlias = Callable[[], AbstractContextManager[CaptureJournal]]

SESSIONS = ("one", "größe '\"")
YEAR = 365 * DAY
SETTLED = SessionBuffer(session_id="one", project_root="/project")
KINDS: tuple[EventKind, ...] = ("prompt", "reply", "compaction", "end")


@contextlib.contextmanager
def in_memory() -> Iterator[CaptureJournal]:
    yield InMemoryCaptureJournal()


@contextlib.contextmanager
def on_disk() -> Iterator[CaptureJournal]:
    with tempfile.TemporaryDirectory() as folder:
        yield SqliteCaptureJournal(f"{folder}/store", lambda: NOW)


IMPLEMENTATIONS: dict[str, Make] = {"in memory": in_memory, "sqlite": on_disk}
pytestmark = pytest.mark.parametrize("make", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)

events = st.builds(
    HookEvent,
    session_id=st.sampled_from(SESSIONS),
    kind=st.sampled_from(KINDS),
    at=st.just(NOW.isoformat()),
    project_root=anything,
    transcript_path=anything,
    text=anything,
)
drafts = st.builds(
    DraftChunk,
    topic=anything,
    exchanges=st.lists(exchanges(), min_size=1, max_size=3).map(tuple),
    is_closed=st.booleans(),
    permanent=st.booleans(),
    written=st.integers(0, 3),
)
buffers = st.builds(
    SessionBuffer,
    session_id=st.sampled_from(SESSIONS),
    project_root=anything,
    source=st.sampled_from(["transcript", "events"]),
    transcript_path=anything,
    position=st.none() | st.integers(0, 2**40),
    drafts=st.lists(drafts, max_size=2).map(tuple),
    unlearned=st.lists(anything, max_size=2).map(tuple),
)


numbers = count(1)


def reply(session_id: str) -> HookEvent:
    """Return another reply each time: the same one is noted once."""
    text = f"Reply {next(numbers)}"
    return HookEvent(session_id, "reply", NOW.isoformat(), "/project", text=text)


def waiting(journal: CaptureJournal) -> list[str]:
    return [waiting.session_id for waiting in journal.waiting()]


def test_a_new_journal_holds_nothing(make: Make) -> None:
    with make() as journal:
        assert (
            journal.waiting(),
            journal.events("one"),
            journal.buffer("one"),
            list(journal.buffers()),
        ) == (
            [],
            [],
            None,
            [],
        )
        assert journal.keep_newest(0) == {}
        journal.forget_settled(NOW)


@given(noted=st.lists(events, max_size=6))
@few_examples
def test_events_are_kept_as_they_are_in_order_and_numbered(
    make: Make, noted: list[HookEvent]
) -> None:
    with make() as journal:
        for event in noted:
            journal.note(event)
        for session_id in SESSIONS:
            own = [
                (place, event)
                for place, event in enumerate(noted, 1)
                if event.session_id == session_id
            ]

            assert journal.events(session_id) == [
                event._replace(number=place) for place, event in own
            ]
        assert waiting(journal) == list(dict.fromkeys(event.session_id for event in noted))


def test_noting_counts_the_replies_of_the_session_that_wait(make: Make) -> None:
    with make() as journal:
        counts = [journal.note(reply("one")) for _ in range(3)]

        assert counts == [1, 2, 3]
        assert journal.note(reply("one")._replace(kind="prompt")) == 3
        assert journal.note(reply("other")) == 1
        journal.keep(SessionBuffer(session_id="one", project_root="/p"), handled=2)
        assert journal.note(reply("one")) == 2


@given(buffer=buffers)
@few_examples
def test_a_buffer_comes_back_as_it_is(make: Make, buffer: SessionBuffer) -> None:
    with make() as journal:
        journal.keep(attrs.evolve(buffer, drafts=()))
        journal.keep(buffer)

        assert journal.buffer(buffer.session_id) == buffer
        assert list(journal.buffers()) == [buffer]


def test_the_buffer_that_was_kept_last_comes_first(make: Make) -> None:
    with make() as journal:
        for session_id in ("one", "two", "one"):
            journal.keep(SessionBuffer(session_id=session_id, project_root="/p"))

        assert [buffer.session_id for buffer in journal.buffers()] == ["one", "two"]


def test_keeping_deals_with_the_events_of_its_session_up_to_a_number(make: Make) -> None:
    with make() as journal:
        for session_id in ("one", "two", "one", "one"):
            journal.note(reply(session_id))
        journal.keep(SessionBuffer(session_id="one", project_root="/p"), handled=3)

        assert [event.number for event in journal.events("one")] == [4]
        assert [event.number for event in journal.events("two")] == [2]
        assert waiting(journal) == ["two", "one"]


def test_a_number_is_never_given_twice(make: Make) -> None:
    with make() as journal:
        journal.note(reply("one"))
        journal.keep(SessionBuffer(session_id="one", project_root="/p"), handled=1)
        journal.note(reply("one"))

        assert [event.number for event in journal.events("one")] == [2]


@given(noted=st.lists(events, min_size=1, max_size=6))
@few_examples
def test_waiting_sessions_are_listed_without_their_texts(
    make: Make, noted: list[HookEvent]
) -> None:
    with make() as journal:
        for place, event in enumerate(noted):
            journal.note(event._replace(at=(NOW + place * MINUTE).isoformat()))
        for listed in journal.waiting():
            own = journal.events(listed.session_id)

            assert listed == WaitingEvents(
                listed.session_id,
                next((event.project_root for event in own if event.project_root), ""),
                len(own),
                sum(event.kind == "reply" for event in own),
                own[-1].number,
                own[-1].at,
            )


AGES = st.sampled_from([-10 * YEAR, 0 * DAY, 31 * DAY, 100 * YEAR])
"""From now, as clocks were set."""


@given(ages=st.lists(AGES, max_size=6), most=st.integers(0, 6))
@few_examples
def test_events_beyond_the_most_go_in_the_order_in_which_they_were_noted(
    make: Make, ages: list[dt.timedelta], most: int
) -> None:
    with make() as journal:
        for place, age in enumerate(ages):
            journal.note(
                reply(SESSIONS[place % 2])._replace(at=(NOW + age).isoformat(), text=f"{place}")
            )
        lost = journal.keep_newest(most)
        kept = [int(event.text) for session_id in SESSIONS for event in journal.events(session_id)]

        assert sorted(kept) == [*range(len(ages))][max(0, len(ages) - most) :]
        assert sum(lost.values()) == len(ages) - len(kept)
        assert set(lost) == {SESSIONS[place % 2] for place in range(len(ages) - len(kept))}


@pytest.mark.parametrize(
    ("buffer", "event", "stays"),
    [
        (SETTLED, False, False),
        (SETTLED, True, True),
        (attrs.evolve(SETTLED, unlearned=("memory/a.md",)), False, True),
        (
            attrs.evolve(
                SETTLED, drafts=(DraftChunk(topic="d", exchanges=(Exchange("a", "b", NOW),)),)
            ),
            False,
            True,
        ),
    ],
    ids=["nothing waits", "an event waits", "a file waits", "an exchange waits"],
)
def test_buffers_of_long_ago_stay_while_something_of_them_waits(
    make: Make, buffer: SessionBuffer, *, event: bool, stays: bool
) -> None:
    with make() as journal:
        journal.keep(buffer)
        if event:
            journal.note(reply(buffer.session_id)._replace(at="0001-01-01T00:00:00+00:00"))
        journal.forget_settled(dt.datetime.max.replace(tzinfo=dt.UTC))

        assert bool(journal.buffer(buffer.session_id)) == stays
        assert len(journal.events(buffer.session_id)) == event


def test_the_version_of_reading_outlives_the_buffer(make: Make) -> None:
    with make() as journal:
        assert journal.reading("one") == 0
        journal.keep(attrs.evolve(SETTLED, reading=7))
        assert (journal.reading("one"), journal.reading("other")) == (7, 0)
        journal.forget_settled(dt.datetime.max.replace(tzinfo=dt.UTC))
        assert (journal.buffer("one"), journal.reading("one")) == (None, 7)
        journal.keep(attrs.evolve(SETTLED, reading=0))
        assert journal.reading("one") == 0


def test_a_noted_project_is_known_by_its_folder_as_long_as_a_session_of_it_is(make: Make) -> None:
    old, new = NotedProject("/a/.git", "/a", 7), NotedProject("/b/.git", "/b", 8, "id")
    event = reply("one")._replace(project_root="/project")
    with make() as journal:
        assert journal.noted_project("/project") is None
        journal.note(event, old)
        journal.note(event, new)
        journal.note(event)
        assert (journal.noted_project("/project"), journal.noted_project("/other")) == (new, None)

        journal.keep(SETTLED, handled=3)
        journal.forget_settled(dt.datetime.min.replace(tzinfo=dt.UTC))
        assert journal.noted_project("/project") == new
        journal.forget_settled(dt.datetime.max.replace(tzinfo=dt.UTC))
        assert journal.noted_project("/project") is None
