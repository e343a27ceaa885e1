"""Usage signals are searched once, in the replies and the files of the agent."""

import pytest

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import Influence, Receipt, ReceiptEntry, SessionTurn
from hardwon.domain.use_cases.track_usage import NoticeUse
from tests.fakes.activity import InMemoryInfluences, InMemoryReceipts
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.state import State
from tests.strategies import NOW, lesson

FIRST = lesson(
    "Retry a refused connection after a pause that doubles each time.",
    name="Double Every Pause Again",
)
SECOND = lesson(
    "Write the file under another name, then rename it over the old one.",
    name="Rename Into Place Finally",
)


@pytest.fixture
def influences() -> InMemoryInfluences:
    state, receipts = State(), InMemoryReceipts()
    for entry in (FIRST, SECOND):
        InMemoryEntryRepository(state).put(entry)
    shown = tuple(ReceiptEntry(entry.entry_id, "lesson", "") for entry in (FIRST, SECOND))
    receipts.record(
        Receipt("one", "start", NOW, "here", None, None, "hybrid", "", ("", "", ""), shown)
    )
    return InMemoryInfluences(state, receipts)


def notice(
    influences: InMemoryInfluences, turn: SessionTurn, session_id: str = "one"
) -> list[Influence]:
    return NoticeUse(influences, FixedClock(NOW)).notice(session_id, lambda: turn)


def test_answers_and_edits_are_distinguished_and_count_once(influences: InMemoryInfluences) -> None:
    turn = SessionTurn(
        answer="I chose to double every pause again.",
        edits=f"# {SECOND.description}\n# {FIRST.description}",
    )
    used = [
        Influence(FIRST.entry_id, "one", "answer", FIRST.name, NOW),
        Influence(SECOND.entry_id, "one", "edit", SECOND.description.rstrip("."), NOW),
    ]

    assert notice(influences, turn) == used
    assert notice(influences, turn) == []
    assert influences.total() == 2


def test_given_text_and_entries_not_injected_there_are_no_usage(
    influences: InMemoryInfluences,
) -> None:
    assert notice(influences, SessionTurn(answer=FIRST.description, given=FIRST.description)) == []
    assert notice(influences, SessionTurn(answer=FIRST.description), "another") == []


def test_with_nothing_to_look_for_the_turn_is_not_read(influences: InMemoryInfluences) -> None:
    for entry in (FIRST, SECOND):
        influences.record(Influence(entry.entry_id, "one", "validation", "", NOW))
    never = NoticeUse(influences, FixedClock(NOW))

    assert (
        never.notice("one", lambda: pytest.fail("read"))
        == never.notice("another", lambda: pytest.fail("read"))
        == []
    )


def test_a_busy_store_counts_nothing(influences: InMemoryInfluences) -> None:
    influences.busy = True
    with pytest.raises(StorageError):
        notice(influences, SessionTurn(answer=FIRST.description))

    assert influences.total() == 0
