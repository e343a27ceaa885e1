"""Waiting events of a session are captured, whatever interrupts it and how often."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.errors import StorageError, UnreadableFileError
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.use_cases.capture import CaptureEvents, CaptureIndexOutcome
from tests.conversations import sessions
from tests.domain.use_cases.test_capture import Breaking, Desk, by_id, talk
from tests.fakes.clock import FixedClock
from tests.fakes.transcripts import InMemoryTranscripts
from tests.strategies import DAY, NOW, few_examples

PATH = "/session.jsonl"
LATER = NOW + 10 * DAY


class Office:
    """A desk, what the host wrote down, and a store that learns."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.warned = list[str]()
        self.known = set[str]()
        self.is_open = True
        self._breaking = Breaking()
        self._transcripts = InMemoryTranscripts("one")
        self._ingest = CaptureEvents(
            capture=self.desk.capture,
            transcripts=self._transcripts,
            learn=self._learn,
            clean=Cleaning("/app"),
            clock=FixedClock(LATER),
            warn=self.warned.append,
            observe=lambda _: None,
        )

    def say(self, exchanges: Sequence[Exchange]) -> None:
        """Write all that was said, and note that some of it was."""
        self._transcripts.put(PATH, exchanges)
        self.desk.journal.note(HookEvent("one", "reply", NOW.isoformat(), "/app", PATH, "said"))

    def work(self, break_at: int | None = None) -> bool:
        """Capture the waiting events and fail at that step; return whether it completed."""
        self._breaking = self.desk.files._breaking = self.desk.journal._breaking = Breaking(
            break_at
        )
        try:
            self._ingest.capture_waiting("one")
        except (StorageError, UnreadableFileError):
            return False
        return True

    def _learn(self, files: Sequence[str]) -> CaptureIndexOutcome:
        self._breaking.step(StorageError("killed"))
        if not self.is_open:
            return CaptureIndexOutcome(
                problems=("written but not indexed: locked",), is_known=False
            )
        self.known |= set(files)
        self._breaking.step(StorageError("killed"))
        return CaptureIndexOutcome()


@given(
    exchanges=sessions(at_most=25),
    breaks=st.lists(st.integers(0, 12), max_size=4),
    cut=st.integers(0, 25),
)
@few_examples
def test_a_capture_interrupted_anywhere_and_repeated_keeps_the_same_files_and_entries(
    exchanges: list[Exchange], breaks: list[int], cut: int
) -> None:
    whole, broken = Office(), Office()
    whole.say(exchanges or talk(1))
    whole.work()
    for place, at in enumerate(breaks):
        broken.say((exchanges or talk(1))[: cut + place + 1])
        broken.work(at)
    broken.say(exchanges or talk(1))

    assert broken.work()
    assert by_id(broken.desk.files.kept) == by_id(whole.desk.files.kept)
    assert broken.known >= {section.path for section in broken.desk.files.kept.values()}
    assert broken.desk.journal.waiting() == []


@pytest.mark.parametrize("at", range(6))
def test_the_events_wait_until_the_store_knows(at: int) -> None:
    office = Office()
    office.say(talk(1))

    assert not office.work(break_at=at)
    assert [waiting.session_id for waiting in office.desk.journal.waiting()] == ["one"]
    assert office.work()
    assert (
        office.desk.journal.waiting(),
        office.desk.session("one").unwritten,
        bool(office.known),
    ) == ([], 0, True)


def test_while_the_store_is_closed_the_text_is_kept_and_the_events_wait() -> None:
    office = Office()
    office.say(talk(1))
    office.is_open = False
    office.work()

    assert office.warned == ["written but not indexed: locked"]
    assert len(office.desk.journal.waiting()) == len(office.desk.files.kept) == 1


def test_a_missing_transcript_is_reported_once() -> None:
    office = Office()
    office.desk.journal.note(
        HookEvent("one", "prompt", NOW.isoformat(), "/app", "/gone", "Which parser?")
    )
    office.desk.journal.note(
        HookEvent("one", "reply", NOW.isoformat(), "/app", "/gone", "The one in /app/src.")
    )
    office.work()
    office.desk.journal.note(HookEvent("one", "end", NOW.isoformat(), "/app", "/gone"))
    office.work()

    assert [line.startswith("session one: '/gone'") for line in office.warned] == [True]
    assert office.desk.session("one").exchanges == (
        Exchange("Which parser?", "The one in src.", NOW),
    )
